// The hooks of libburin_launch.so, which LD_PRELOAD puts into an unmodified program.
//
// A program that links the CUDA runtime statically opens libcuda.so.1 with dlopen(), finds
// cuGetProcAddress_v2 with dlsym(), and everything else with that. So dlsym()
// (preload_dlsym.cc) and cuGetProcAddress() answer with the functions of preload.cc for
// the names in preload_table.cc. A program that is linked with libcuda itself binds to these
// functions by name, because preloaded libraries come first.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <string_view>

#include "runtime/engine.h"
#include "runtime/hooks/cuda.h"

#define BURIN_EXPORT extern "C" __attribute__((visibility("default")))

namespace burin::runtime {

Engine& preload_engine() noexcept;
bool is_active() noexcept;

// A function of libcuda.so.1 by its exported name, never one of this library.
void* driver_symbol(const char* name);

// The functions that are hooked, in the order of the table in preload_table.cc.
enum Hook : std::size_t {
  kLaunch,
  kLaunchPerThread,
  kLaunchEx,
  kLaunchExPerThread,
  kGetProcAddress,
  kGetProcAddressV2,
  kModuleLoad,
  kModuleLoadData,
  kModuleLoadDataEx,
  kModuleLoadFatBinary,
  kLibraryLoadData,
  kLibraryLoadFromFile,
  kModuleUnload,
  kLibraryUnload,
  kLibraryGetKernel,
  kLibraryEnumerateKernels,
  kCtxDestroy,
  kPrimaryReset,
  kPrimaryRelease,
  kBeginCapture,
  kBeginCapturePerThread,
  kBeginCaptureToGraph,
  kBeginCaptureToGraphPerThread,
  kHookCount,
};

// The driver's functions, as far as they were looked up.
extern std::atomic<void*> real_functions[kHookCount];

const char* exported_name(Hook hook);
void* hook_function(Hook hook);

// The hook for `function`, which the driver has under that name; the function itself if there is no
// hook, or no reason for one.
void* hook_for(Hook hook, void* function);
// The same for what cuGetProcAddress() was asked for.
void* hook_named(std::string_view name, std::uint64_t flags, int version, void* function);

// The driver's own function. Null only if the driver has no function of that name.
template <typename Function>
Function* real(Hook hook) {
  void* function = real_functions[hook].load(std::memory_order_relaxed);
  if (function == nullptr) {
    function = driver_symbol(exported_name(hook));
    real_functions[hook].store(function, std::memory_order_relaxed);
  }
  return reinterpret_cast<Function*>(function);
}

// Runs what a hook does besides the driver's function: no exception enters the program.
template <typename Work>
void beside(Work&& work) noexcept {
  try {
    work();
  } catch (const std::exception&) {
    // At worst a kernel's code is not known.
  }
}

}  // namespace burin::runtime
