#!/bin/sh
# Rebuilds the cubins of the golden tests. They are kept in the repository: a new toolkit changes
# the code it makes, and then every golden dump. Needs nvcc 13.0.
set -eu
cd "$(dirname "$0")/../../.."
PATH=$PATH:/usr/local/cuda/bin
here=tests/data/golden
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
ptx=$work/golden.ptx

# build NAME ARCH [flag…]: the flags go to the compiler and to the assembler, -rdc as each knows it.
build() {
  name=$1 arch=$2
  shift 2
  assemble=
  for flag in "$@"; do
    case $flag in
      -rdc=true) assemble="$assemble -c" ;;
      -G) assemble="$assemble -g" ;;
      *) assemble="$assemble $flag" ;;
    esac
  done
  PWD=/proc/self/cwd nvcc -ptx -arch="$arch" "$@" -o "$ptx" $here/"$name".cu
  # nvcc writes absolute paths, so the second half assembles what we have made relative.
  sed -i "s|\"/proc/self/cwd/|\"|; s|\"[^\"]*/targets/[^\"]*/include/|\"cuda/include/|" "$ptx"
  ptxas -arch="$arch" $assemble -o $here/"$name"."$arch".cubin "$ptx"
}

build loops sm_75 -lineinfo
build loops sm_90
build switch sm_80
build switch sm_100
build calls sm_86
build calls sm_90
build linked sm_89 -rdc=true
build linked sm_90 -rdc=true
build barriers sm_80 -lineinfo
build barriers sm_120
build cluster sm_90 -lineinfo
build constant sm_75
build constant sm_90
build local sm_86
build tensor sm_80
build tensor sm_120
build hopper sm_90a -lineinfo
build double sm_80
build double sm_100
build half sm_89
build texture sm_75
build texture sm_90
build inlined sm_80 -lineinfo
build inlined sm_90 -lineinfo
build inlined sm_120 -lineinfo
build debug sm_80 -G
build debug sm_90 -G
build parameters sm_75
build parameters sm_90
build parameters sm_120
build blackwell sm_100a

# One file with two architectures and PTX, compressed.
nvcc -fatbin -Xfatbin -compress-all -gencode arch=compute_75,code=sm_75 \
  -gencode arch=compute_90a,code=sm_90a -gencode arch=compute_90a,code=compute_90a \
  -o $here/constant.fatbin $here/constant.cu
