// Loads modules with the driver's functions while it runs, one after the other, and one of them
// again: `late_modules CUBIN KERNEL`. The kernel takes (float*, float*, float*, int). 7 kernels.
#include <cuda.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

__global__ void before(float* x) {
  x[threadIdx.x] = 1;
}

int main(int, char** argv) {
  float* buffers[3];
  for (float*& buffer : buffers) cudaMalloc(&buffer, 4096);
  before<<<1, 256>>>(buffers[0]);
  std::ifstream file(argv[1], std::ios::binary);
  const std::string image{std::istreambuf_iterator<char>(file), {}};
  int n = 1024, failures = 0;
  for (int round = 0; round < 3; ++round) {
    CUmodule module;
    CUfunction function;
    failures += cuModuleLoadData(&module, image.data()) != CUDA_SUCCESS;
    failures += cuModuleGetFunction(&function, module, argv[2]) != CUDA_SUCCESS;
    void* parameters[] = {&buffers[0], &buffers[1], &buffers[2], &n};
    struct {
      void *a, *b, *c;
      int n;
    } block{buffers[0], buffers[1], buffers[2], n};
    size_t size = 28;
    void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &block, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                     CU_LAUNCH_PARAM_END};
    failures += cuLaunchKernel(function, 4, 1, 1, 256, 1, 1, 0, nullptr, parameters, nullptr) != CUDA_SUCCESS;
    failures += cuLaunchKernel(function, 4, 1, 1, 256, 1, 1, 0, nullptr, nullptr, extra) != CUDA_SUCCESS;
    cuCtxSynchronize();
    cuModuleUnload(module);
  }
  std::printf("%d failures\n", failures);
  return failures;
}
