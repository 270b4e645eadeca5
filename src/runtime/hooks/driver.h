// What the engine asks of CUDA, answered by the driver. Its functions are found in libcuda.so.1 at
// the first question.
#pragma once

#include <string>
#include <vector>

#include "runtime/launch/cuda_api.h"

namespace burin::runtime {

// libcuda.so.1, if the program has loaded it.
void* driver_library();

// A driver function by its exported name; null if there is none. The default is dlsym() on
// libcuda.so.1; a library that replaces dlsym() sets its own.
using FindDriverFunction = void* (*)(const char* name);
void set_driver_lookup(FindDriverFunction find);
void* find_driver_function(const char* name);

// All of CudaApi.
CudaApi driver_api();

// The CUfunction of a handle that the driver launches: a CUfunction, or a CUkernel that was
// remembered. Null if there is none in the current context.
void* function_of(const void* handle);
// The facts of `function`, a CUfunction. `handle` is the CUkernel that it came from, or the same.
bool describe_function(void* function, const void* handle, KernelFacts& facts);

// CUkernels and CUfunctions are launched alike but described differently. `library` is the
// CUlibrary that the kernel is from, or null.
void remember_kernel(const void* kernel, const void* library);
// The code inside an image that was loaded as `module`, a CUmodule or CUlibrary. A null image is
// one that was not seen.
void remember_image(const void* module, const void* image, const std::vector<std::string>& kernels);
// A CUmodule or CUlibrary is unloaded.
void forget_module(const void* module);

}  // namespace burin::runtime
