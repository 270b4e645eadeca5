// Which functions of the driver are hooked, and under which names programs ask for them.
#include "runtime/hooks/preload.h"

// Only their addresses matter here.
extern "C" {
void cuLaunchKernel();
void cuLaunchKernel_ptsz();
void cuLaunchKernelEx();
void cuLaunchKernelEx_ptsz();
void cuGetProcAddress();
void cuGetProcAddress_v2();
void cuModuleLoad();
void cuModuleLoadData();
void cuModuleLoadDataEx();
void cuModuleLoadFatBinary();
void cuLibraryLoadData();
void cuLibraryLoadFromFile();
void cuModuleUnload();
void cuLibraryUnload();
void cuLibraryGetKernel();
void cuLibraryEnumerateKernels();
void cuCtxDestroy_v2();
void cuDevicePrimaryCtxReset_v2();
void cuDevicePrimaryCtxRelease_v2();
void cuStreamBeginCapture_v2();
void cuStreamBeginCapture_v2_ptsz();
void cuStreamBeginCaptureToGraph();
void cuStreamBeginCaptureToGraph_ptsz();
}

namespace burin::runtime {

std::atomic<void*> real_functions[kHookCount];

namespace {

// `exported` is the name in libcuda.so.1; `name` and `per_thread` are how cuGetProcAddress() is
// asked for it, from `version` on.
struct HookedFunction {
  const char* exported;
  std::string_view name;
  bool per_thread_only;  // there is another function for the legacy default stream
  int version;
  void (*hook)();
};

constexpr HookedFunction kHooks[kHookCount] = {
    {"cuLaunchKernel", "cuLaunchKernel", false, 4000, cuLaunchKernel},
    {"cuLaunchKernel_ptsz", "cuLaunchKernel", true, 7000, cuLaunchKernel_ptsz},
    {"cuLaunchKernelEx", "cuLaunchKernelEx", false, 11060, cuLaunchKernelEx},
    {"cuLaunchKernelEx_ptsz", "cuLaunchKernelEx", true, 11060, cuLaunchKernelEx_ptsz},
    // One name for two functions: see hook_named().
    {"cuGetProcAddress", "cuGetProcAddress", false, 11030, cuGetProcAddress},
    {"cuGetProcAddress_v2", "cuGetProcAddress", false, 12000, cuGetProcAddress_v2},
    {"cuModuleLoad", "cuModuleLoad", false, 2000, cuModuleLoad},
    {"cuModuleLoadData", "cuModuleLoadData", false, 2000, cuModuleLoadData},
    {"cuModuleLoadDataEx", "cuModuleLoadDataEx", false, 2010, cuModuleLoadDataEx},
    {"cuModuleLoadFatBinary", "cuModuleLoadFatBinary", false, 2000, cuModuleLoadFatBinary},
    {"cuLibraryLoadData", "cuLibraryLoadData", false, 12000, cuLibraryLoadData},
    {"cuLibraryLoadFromFile", "cuLibraryLoadFromFile", false, 12000, cuLibraryLoadFromFile},
    {"cuModuleUnload", "cuModuleUnload", false, 2000, cuModuleUnload},
    {"cuLibraryUnload", "cuLibraryUnload", false, 12000, cuLibraryUnload},
    {"cuLibraryGetKernel", "cuLibraryGetKernel", false, 12000, cuLibraryGetKernel},
    {"cuLibraryEnumerateKernels", "cuLibraryEnumerateKernels", false, 12040,
     cuLibraryEnumerateKernels},
    {"cuCtxDestroy_v2", "cuCtxDestroy", false, 4000, cuCtxDestroy_v2},
    {"cuDevicePrimaryCtxReset_v2", "cuDevicePrimaryCtxReset", false, 11000,
     cuDevicePrimaryCtxReset_v2},
    {"cuDevicePrimaryCtxRelease_v2", "cuDevicePrimaryCtxRelease", false, 11000,
     cuDevicePrimaryCtxRelease_v2},
    {"cuStreamBeginCapture_v2", "cuStreamBeginCapture", false, 10010, cuStreamBeginCapture_v2},
    {"cuStreamBeginCapture_v2_ptsz", "cuStreamBeginCapture", true, 10010,
     cuStreamBeginCapture_v2_ptsz},
    {"cuStreamBeginCaptureToGraph", "cuStreamBeginCaptureToGraph", false, 12030,
     cuStreamBeginCaptureToGraph},
    {"cuStreamBeginCaptureToGraph_ptsz", "cuStreamBeginCaptureToGraph", true, 12030,
     cuStreamBeginCaptureToGraph_ptsz},
};

}  // namespace

const char* exported_name(Hook hook) {
  return kHooks[hook].exported;
}

void* hook_function(Hook hook) {
  return reinterpret_cast<void*>(kHooks[hook].hook);
}

void* hook_for(Hook hook, void* function) {
  // A driver that refers to its own functions by name finds those of this library.
  if (function == hook_function(hook)) {
    if (void* const own = driver_symbol(exported_name(hook))) function = own;
  }
  if (!is_active()) return function;
  void* expected = nullptr;
  // Another address under the same name is another version of it, with other parameters.
  if (!real_functions[hook].compare_exchange_strong(expected, function) && expected != function) {
    return function;
  }
  return hook_function(hook);
}

void* hook_named(std::string_view name, std::uint64_t flags, int version, void* function) {
  const bool per_thread = (flags & kPerThreadFlag) != 0;
  std::size_t best = kHookCount;
  for (std::size_t i = 0; i < kHookCount; ++i) {
    const HookedFunction& known = kHooks[i];
    if (known.name != name || version < known.version) continue;
    // Of functions for both streams the one for this stream is listed last, as are newer versions.
    if (!known.per_thread_only || per_thread) best = i;
  }
  return best == kHookCount ? function : hook_for(static_cast<Hook>(best), function);
}

}  // namespace burin::runtime
