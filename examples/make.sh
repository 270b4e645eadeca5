#!/bin/sh
# Rebuilds the example cubins, which are kept in the repository so that burin can be tried without
# CUDA. Needs nvcc; the line tables name each source relative to the repository's root.
set -eu
cd "$(dirname "$0")/.."
PATH=$PATH:/usr/local/cuda/bin
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
ptx=$work/example.ptx

for source in examples/*.cu; do
  for arch in sm_80 sm_90; do
    PWD=/proc/self/cwd nvcc -ptx -lineinfo -arch=$arch -o "$ptx" "$source"
    # nvcc writes absolute paths, so the second half assembles what we have made relative.
    sed -i "s|\"/proc/self/cwd/|\"|; s|\"[^\"]*/targets/[^\"]*/include/|\"cuda/include/|" "$ptx"
    ptxas -lineinfo -arch=$arch -o "${source%.cu}.$arch.cubin" "$ptx"
  done
done
