#!/bin/sh
# Makes the fatbins beside this script anew, with nvcc 13.0. They are kept in the repository so that
# the tests run where there is no CUDA toolkit. Line tables name each source by its name alone; what
# tests say of lines and of single instructions must be looked at again afterwards.
set -eu
cd "$(dirname "$0")"
PATH=$PATH:/usr/local/cuda/bin
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT

# Adds a cubin of the source for the architecture to $images. Each fatbin is small: it is compressed.
compile() {
  ptx=$work/kernels.ptx
  PWD=/proc/self/cwd nvcc -ptx -lineinfo -arch="sm_$2" -o "$ptx" "$1.cu"
  # nvcc writes absolute paths, so the second half assembles what we have made relative.
  sed -i "s|\"/proc/self/cwd/|\"|; s|\"[^\"]*/targets/[^\"]*/include/|\"cuda/include/|" "$ptx"
  ptxas -lineinfo -arch="sm_$2" -o "$work/$1.$2.cubin" "$ptx"
  images="$images --image3=kind=elf,sm=$2,file=$work/$1.$2.cubin"
}

for source in advised barrier calls choices endless fault grid mapping planes queue rows split texture unknown unlikely variables waits; do
  images=
  for sm in 80 90; do compile $source $sm; done
  fatbinary -64 --compress-all --compress-mode=size --create=$source.fatbin $images
done

for source in advice_costs arithmetic control few_warps iterations lane_order launch_facts lookups merges promises sharing; do
  images=
  compile $source 90
  fatbinary -64 --compress-all --compress-mode=size --create=$source.fatbin $images
done
