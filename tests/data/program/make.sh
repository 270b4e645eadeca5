#!/bin/sh
# Compiles flow.cu for each architecture. Needs nvcc (13.0 made the files that are kept).
# The line tables name the folder the compiler ran in, so that is one that says nothing.
set -eu
cd "$(dirname "$0")"
work=/tmp/flow
mkdir -p $work
cp flow.cu $work
for sm in 75 80 90 100; do
  (cd $work && nvcc -arch=sm_$sm -lineinfo -cubin -o flow.sm_$sm.cubin flow.cu)
  cp $work/flow.sm_$sm.cubin .
done
rm -r $work
