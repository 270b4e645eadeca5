#include "runtime/hooks/runtime.h"

#include <dlfcn.h>

#include <algorithm>

#include "runtime/burin_launch.h"
#include "runtime/hooks/cuda.h"
#include "runtime/hooks/driver.h"

// Weak, so that a program that only wraps needs nothing of them; all are one object of the runtime.
extern "C" {
using burin::runtime::CudaStatus;
__attribute__((weak)) CudaStatus cudaGetDevice(int* device);
__attribute__((weak)) CudaStatus cudaGetDeviceCount(int* count);
__attribute__((weak)) CudaStatus cudaFuncGetAttributes(void* attributes, const void* kernel);
__attribute__((weak)) CudaStatus cudaGetFuncBySymbol(void** function, const void* symbol);
__attribute__((weak)) CudaStatus cudaStreamIsCapturing(void* stream, int* status);
__attribute__((weak)) CudaStatus cudaGetLastError();
__attribute__((weak)) CudaStatus cudaPeekAtLastError();
CudaStatus cudaLaunchKernel(const void* kernel, burin::runtime::Dim3 grid,
                            burin::runtime::Dim3 block, void** arguments, std::size_t shared_bytes,
                            void* stream);
}

namespace burin::runtime {

thread_local bool inside_launch = false;

namespace {

int runtime_device_count() {
  int count = 0;
  return cudaGetDeviceCount != nullptr && cudaGetDeviceCount(&count) == 0 ? count : 0;
}

int current_runtime_device() {
  int device = -1;
  return cudaGetDevice != nullptr && cudaGetDevice(&device) == 0 ? device : -1;
}

// `handle` is a __global__ function or a cudaKernel_t.
bool describe_runtime_kernel(const void* handle, KernelFacts& facts) {
  if (cudaFuncGetAttributes == nullptr || cudaGetFuncBySymbol == nullptr) return false;
  const bool clean = cudaPeekAtLastError != nullptr && cudaPeekAtLastError() == 0;
  // Takes both kinds of handle, loads the kernel and makes the device's context current, which the
  // driver's functions need.
  alignas(8) char attributes[1024];  // cudaFuncAttributes has 128 bytes in CUDA 13
  void* function = nullptr;
  bool found = cudaFuncGetAttributes(attributes, handle) == 0;
  if (found) {
    function = function_of(handle);
    if (function == handle) found = cudaGetFuncBySymbol(&function, handle) == 0;
  }
  if (!found && clean) cudaGetLastError();  // the program must not see this error
  return found && function != nullptr && describe_function(function, handle, facts);
}

bool (*driver_is_capturing)(void* stream) = nullptr;

// The driver's function does less than the runtime's and is asked first. A yes may also mean that
// this thread has no context yet: then the runtime is asked, which makes one current.
bool is_capturing_stream(void* stream) {
  if (stream == nullptr || cudaStreamIsCapturing == nullptr) return false;  // never captured
  if (!driver_is_capturing(stream)) return false;
  int status = 0;
  return cudaStreamIsCapturing(stream, &status) != 0 || status != 0;
}

LaunchRequest request_of(const void* kernel, const burin_launch_shape& own, void** arguments,
                         void* stream) {
  LaunchRequest request;
  request.kernel = kernel;
  request.arguments.pointers = arguments;
  std::copy_n(own.grid, 3, request.own.grid.begin());
  std::copy_n(own.block, 3, request.own.block.begin());
  request.own.shared_bytes = own.shared_bytes;
  request.stream = stream;
  return request;
}

}  // namespace

constinit LaunchEngine launch_engine;

Engine& runtime_engine() noexcept {
  static Engine* const engine = [] {
    CudaApi api = driver_api();
    api.device_count = runtime_device_count;
    api.device = current_runtime_device;
    api.describe_kernel = describe_runtime_kernel;
    driver_is_capturing = api.is_capturing;
    api.is_capturing = is_capturing_stream;
    auto* created = new Engine(read_settings(), api);
    created->watch_captures();
    return created;
  }();
  return *engine;
}

Engine* find_engine() noexcept {
  auto* const preloaded =
      reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "burin_launch_preloaded"));
  if ((preloaded != nullptr && preloaded() != 0) || !runtime_engine().active()) {
    launch_engine.none.store(true, std::memory_order_relaxed);
    return nullptr;
  }
  launch_engine.engine.store(&runtime_engine(), std::memory_order_release);
  return &runtime_engine();
}

}  // namespace burin::runtime

extern "C" int burin_launch_kernel(const void* kernel, const burin_launch_shape* own,
                                   void** arguments, void* stream) {
  using namespace burin::runtime;
  const LaunchRequest request = request_of(kernel, *own, arguments, stream);
  const auto call = [&](const LaunchShape& shape) {
    inside_launch = true;
    const CudaStatus status = cudaLaunchKernel(
        kernel, {shape.grid[0], shape.grid[1], shape.grid[2]},
        {shape.block[0], shape.block[1], shape.block[2]}, arguments, shape.shared_bytes, stream);
    inside_launch = false;
    // A changed launch that fails is repeated: only the repetition's error is the program's.
    if (status != 0 && shape != request.own && cudaGetLastError != nullptr) cudaGetLastError();
    return status;
  };
  Engine* const engine = engine_for_launches();
  return engine != nullptr ? engine->launch(request, call) : call(request.own);
}

extern "C" int burin_launch_choose(const void* kernel, const burin_launch_shape* own,
                                   void** arguments, void* stream, burin_launch_shape* chosen) {
  using namespace burin::runtime;
  *chosen = *own;
  const Engine::Decision decision =
      runtime_engine().decide(request_of(kernel, *own, arguments, stream));
  if (decision.timed != nullptr) decision.timed->cancel();
  if (!decision.changed) return 0;
  std::copy_n(decision.shape.grid.begin(), 3, chosen->grid);
  std::copy_n(decision.shape.block.begin(), 3, chosen->block);
  chosen->shared_bytes = decision.shape.shared_bytes;
  return 1;
}
