// What a program's launches call when it is linked with --wrap: the linker replaces
// cudaLaunchKernel by __wrap_cudaLaunchKernel, and __real_cudaLaunchKernel here by the CUDA
// runtime's. launch.options lists the names. `<<<>>>` of nvcc 13 calls __cudaLaunchKernel with a
// cudaKernel_t, that of earlier versions cudaLaunchKernel with the address of a __global__
// function.
#include <algorithm>
#include <cstdint>

#include "runtime/hooks/cuda.h"
#include "runtime/hooks/driver.h"
#include "runtime/hooks/runtime.h"

using burin::runtime::CudaStatus;
using burin::runtime::Dim3;
using burin::runtime::RuntimeLaunchConfig;

extern "C" {
// Not every version of the runtime has all of them.
#define BURIN_REAL(name)                                                                       \
  __attribute__((weak)) CudaStatus __real_##name(const void*, Dim3, Dim3, void**, std::size_t, \
                                                 void*)
BURIN_REAL(cudaLaunchKernel);
BURIN_REAL(cudaLaunchKernel_ptsz);
BURIN_REAL(__cudaLaunchKernel);
BURIN_REAL(__cudaLaunchKernel_ptsz);
#undef BURIN_REAL
__attribute__((weak)) CudaStatus __real_cudaLaunchKernelExC(const RuntimeLaunchConfig*, const void*,
                                                            void**);
__attribute__((weak)) CudaStatus __real_cudaLaunchKernelExC_ptsz(const RuntimeLaunchConfig*,
                                                                 const void*, void**);
__attribute__((weak)) CudaStatus __real___cudaGetKernel(void** kernel, const void* function);
__attribute__((weak)) CudaStatus __real_cudaStreamBeginCapture(void* stream, int mode);
__attribute__((weak)) CudaStatus __real_cudaStreamBeginCapture_ptsz(void* stream, int mode);
__attribute__((weak)) CudaStatus cudaGetLastError();
}

namespace burin::runtime {
namespace {

using LaunchFunction = CudaStatus(const void*, Dim3, Dim3, void**, std::size_t, void*);
using LaunchExFunction = CudaStatus(const RuntimeLaunchConfig*, const void*, void**);

// Null where the launch stays as it is.
Engine* engine_for_this() noexcept {
  return inside_launch ? nullptr : engine_for_launches();
}

void* stream_of(void* stream, bool per_thread) {
  return stream == nullptr && per_thread ? reinterpret_cast<void*>(kPerThreadStream) : stream;
}

// A changed launch that fails is repeated: only the repetition's error is the program's.
CudaStatus clear_if_repeated(CudaStatus status, bool changed) {
  if (status != 0 && changed && cudaGetLastError != nullptr) cudaGetLastError();
  return status;
}

CudaStatus launch(LaunchFunction* function, bool per_thread, const void* kernel, Dim3 grid,
                  Dim3 block, void** arguments, std::size_t shared_bytes, void* stream) {
  Engine* const engine = engine_for_this();
  if (engine == nullptr) return function(kernel, grid, block, arguments, shared_bytes, stream);
  LaunchRequest request;
  request.kernel = kernel;
  request.arguments.pointers = arguments;
  request.own = {{grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, shared_bytes};
  request.stream = stream_of(stream, per_thread);
  return engine->launch(request, [&](const LaunchShape& shape) {
    const CudaStatus status = function(kernel, {shape.grid[0], shape.grid[1], shape.grid[2]},
                                       {shape.block[0], shape.block[1], shape.block[2]}, arguments,
                                       static_cast<std::size_t>(shape.shared_bytes), stream);
    return clear_if_repeated(status, shape != request.own);
  });
}

CudaStatus launch_ex(LaunchExFunction* function, bool per_thread, const RuntimeLaunchConfig* config,
                     const void* kernel, void** arguments) {
  Engine* const engine = engine_for_this();
  if (config == nullptr || engine == nullptr ||
      !may_reshape(config->attributes, config->attribute_count)) {
    return function(config, kernel, arguments);
  }
  LaunchRequest request;
  request.kernel = kernel;
  request.arguments.pointers = arguments;
  request.own = {{config->grid.x, config->grid.y, config->grid.z},
                 {config->block.x, config->block.y, config->block.z},
                 config->shared_bytes};
  request.stream = stream_of(config->stream, per_thread);
  return engine->launch(request, [&](const LaunchShape& shape) {
    RuntimeLaunchConfig changed = *config;
    changed.grid = {shape.grid[0], shape.grid[1], shape.grid[2]};
    changed.block = {shape.block[0], shape.block[1], shape.block[2]};
    changed.shared_bytes = static_cast<std::size_t>(shape.shared_bytes);
    return clear_if_repeated(function(&changed, kernel, arguments), shape != request.own);
  });
}

}  // namespace
}  // namespace burin::runtime

extern "C" {

#define BURIN_WRAP(name, per_thread)                                                         \
  CudaStatus __wrap_##name(const void* kernel, Dim3 grid, Dim3 block, void** arguments,      \
                           std::size_t shared_bytes, void* stream) {                         \
    return burin::runtime::launch(__real_##name, per_thread, kernel, grid, block, arguments, \
                                  shared_bytes, stream);                                     \
  }
BURIN_WRAP(cudaLaunchKernel, false)
BURIN_WRAP(cudaLaunchKernel_ptsz, true)
BURIN_WRAP(__cudaLaunchKernel, false)
BURIN_WRAP(__cudaLaunchKernel_ptsz, true)
#undef BURIN_WRAP

CudaStatus __wrap_cudaLaunchKernelExC(const RuntimeLaunchConfig* config, const void* kernel,
                                      void** arguments) {
  return burin::runtime::launch_ex(__real_cudaLaunchKernelExC, false, config, kernel, arguments);
}

CudaStatus __wrap_cudaLaunchKernelExC_ptsz(const RuntimeLaunchConfig* config, const void* kernel,
                                           void** arguments) {
  return burin::runtime::launch_ex(__real_cudaLaunchKernelExC_ptsz, true, config, kernel,
                                   arguments);
}

// Tells cudaKernel_t from addresses of __global__ functions.
CudaStatus __wrap___cudaGetKernel(void** kernel, const void* function) {
  const CudaStatus status = __real___cudaGetKernel(kernel, function);
  if (status == 0) {
    try {
      burin::runtime::remember_kernel(*kernel, nullptr);
    } catch (...) {
      // Its launches stay as they are.
    }
  }
  return status;
}

CudaStatus __wrap_cudaStreamBeginCapture(void* stream, int mode) {
  burin::runtime::runtime_engine().capture_begins();
  return __real_cudaStreamBeginCapture(stream, mode);
}

CudaStatus __wrap_cudaStreamBeginCapture_ptsz(void* stream, int mode) {
  burin::runtime::runtime_engine().capture_begins();
  return __real_cudaStreamBeginCapture_ptsz(stream, mode);
}

}  // extern "C"
