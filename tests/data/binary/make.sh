#!/bin/sh
# Makes the binaries beside this script anew, with nvcc 13.0 and the host compiler. They are kept in
# the repository so that the tests run where there is no CUDA toolkit.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=/tmp/burin-binary-data # a fixed place: line tables name it
rm -rf "$work" && mkdir "$work" && cp "$here"/*.cu "$here"/*.ptx "$work" && cd "$work"

nvcc -arch=sm_75 -lineinfo -cubin -o nested_sm75.cubin nested.cu
nvcc -arch=sm_90a -lineinfo -cubin -o nested_sm90a.cubin nested.cu
nvcc -arch=sm_80 -G -cubin -o nested_debug_sm80.cubin nested.cu
nvcc -arch=sm_75 -cubin -o resources_sm75.cubin resources.cu
nvcc -arch=sm_90 -cubin -o resources_sm90.cubin resources.cu
nvcc -arch=sm_80 -rdc=true -cubin -o resources_rdc_sm80.cubin resources.cu
nvcc -arch=sm_90 -rdc=true -cubin -o resources_rdc_sm90.cubin resources.cu
ptxas -arch=sm_75 -o required_sm75.cubin required.ptx
nvcc -arch=sm_80 -cubin -o dense_sm80.cubin dense.cu
nvcc -arch=sm_90 -cubin -o dense_sm90.cubin dense.cu

nvcc -gencode arch=compute_75,code=sm_75 -gencode arch=compute_90a,code=sm_90a \
  -gencode arch=compute_100f,code=sm_100f -gencode arch=compute_90,code='[compute_90,lto_90]' \
  -fatbin -o many.fatbin dense.cu
nvcc -arch=sm_80 -Xfatbin=-compress-all -fatbin -o zstd.fatbin dense.cu
nvcc -arch=sm_80 -Xfatbin=-compress-all,--compress-mode=speed -fatbin -o lz4.fatbin dense.cu

nvcc -arch=sm_80 -c -o dense.o dense.cu
nvcc -arch=sm_80 -dc -o relocatable_code_with_a_long_name.o dense.cu
gcc -c -x c -o plain.o - <<'C'
int plain(void) { return 1; }
C
ar rcs both.a plain.o dense.o relocatable_code_with_a_long_name.o
gcc -shared -nostdlib -o dense.so dense.o -Wl,--unresolved-symbols=ignore-all -s
rm relocatable_code_with_a_long_name.o
cp ./*.cubin ./*.fatbin ./*.o ./*.a ./*.so "$here"
