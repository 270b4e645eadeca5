// The hooks of libburin_launch.so, which LD_PRELOAD puts into an unmodified program.
//
// A program that links the CUDA runtime statically opens libcuda.so.1 with dlopen(), finds
// cuGetProcAddress_v2 with dlsym(), and everything else with that. So dlsym() and
// cuGetProcAddress() answer with the functions below for a few names. A program that is linked with
// libcuda itself binds to the exported functions below, because preloaded libraries come first.
#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <exception>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/engine.h"
#include "runtime/hooks_cuda.h"
#include "runtime/hooks_driver.h"

#define BURIN_EXPORT extern "C" __attribute__((visibility("default")))

using burin::runtime::CudaStatus;

extern "C" {
using DlsymFunction = void* (*)(void*, const char*);
// Read by the assembly below.
__attribute__((visibility("hidden"))) DlsymFunction burin_launch_real_dlsym = nullptr;
__attribute__((visibility("hidden"))) void* burin_launch_dlsym(void* handle, const char* name);
}

namespace burin::runtime {
namespace {

DlsymFunction find_real_dlsym() {
  // The versions of glibc's dlsym(): since 2.34, and the oldest on x86_64 and aarch64.
  for (const char* version : {"GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17"}) {
    if (void* found = dlvsym(RTLD_NEXT, "dlsym", version)) {
      return reinterpret_cast<DlsymFunction>(found);
    }
  }
  return nullptr;
}

void* driver_symbol(const char* name) {
  if (burin_launch_real_dlsym == nullptr) burin_launch_real_dlsym = find_real_dlsym();
  void* const library = driver_library();
  return library == nullptr ? nullptr : burin_launch_real_dlsym(library, name);
}

Engine& engine() noexcept {
  // Never destroyed: programs launch kernels in destructors of static objects too.
  static Engine* const the_engine = [] {
    set_driver_lookup(driver_symbol);
    return new Engine(read_settings(), driver_api());
  }();
  return *the_engine;
}

// The functions that are hooked, in the order of kHooks below.
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

std::atomic<void*> real_functions[kHookCount];
const char* exported_name(Hook hook);

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

using LaunchFunction = CudaStatus(const void*, unsigned, unsigned, unsigned, unsigned, unsigned,
                                  unsigned, unsigned, void*, void**, void**);
using LaunchExFunction = CudaStatus(const DriverLaunchConfig*, const void*, void**, void**);

void* stream_of(void* stream, bool per_thread) {
  return stream == nullptr && per_thread ? reinterpret_cast<void*>(kPerThreadStream) : stream;
}

CudaStatus launch(Hook hook, const LaunchRequest& request, bool has_arguments, void* stream,
                  void** parameters, void** extra) {
  auto* const function = real<LaunchFunction>(hook);
  const auto call = [&](const LaunchShape& shape) {
    return function(request.kernel, shape.grid[0], shape.grid[1], shape.grid[2], shape.block[0],
                    shape.block[1], shape.block[2], static_cast<unsigned>(shape.shared_bytes),
                    stream, parameters, extra);
  };
  return has_arguments ? engine().launch(request, call) : call(request.own);
}

CudaStatus launch_ex(Hook hook, const DriverLaunchConfig* config, const void* kernel,
                     void** parameters, void** extra) {
  auto* const function = real<LaunchExFunction>(hook);
  LaunchRequest request;
  if (config == nullptr || !may_reshape(config->attributes, config->attribute_count) ||
      !read_arguments(parameters, extra, request.arguments)) {
    return function(config, kernel, parameters, extra);
  }
  request.kernel = kernel;
  std::copy_n(config->grid, 3, request.own.grid.begin());
  std::copy_n(config->block, 3, request.own.block.begin());
  request.own.shared_bytes = config->shared_bytes;
  request.stream = stream_of(config->stream, hook == kLaunchExPerThread);
  return engine().launch(request, [&](const LaunchShape& shape) {
    DriverLaunchConfig changed = *config;
    std::copy_n(shape.grid.begin(), 3, changed.grid);
    std::copy_n(shape.block.begin(), 3, changed.block);
    changed.shared_bytes = static_cast<std::uint32_t>(shape.shared_bytes);
    return function(&changed, kernel, parameters, extra);
  });
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

void loaded(CudaStatus status, void** module, const void* image) {
  if (status != 0 || module == nullptr) return;
  beside([&] {
    std::vector<std::string> kernels;
    for (const ProgramFile& file : engine().programs()) kernels.push_back(file.program.kernel);
    remember_image(*module, image, kernels);
  });
}

void unloading(const void* module) {
  beside([&] {
    if (module != nullptr) forget_module(module);
    engine().forget_handles();
  });
}

void* hook_named(std::string_view name, std::uint64_t flags, int version, void* function);

}  // namespace
}  // namespace burin::runtime

using burin::runtime::Hook;

BURIN_EXPORT CudaStatus cuLaunchKernel(const void* kernel, unsigned gx, unsigned gy, unsigned gz,
                                       unsigned bx, unsigned by, unsigned bz, unsigned shared,
                                       void* stream, void** parameters, void** extra) {
  burin::runtime::LaunchRequest request{kernel, {}, {{gx, gy, gz}, {bx, by, bz}, shared}, stream};
  const bool readable = burin::runtime::read_arguments(parameters, extra, request.arguments);
  return launch(Hook::kLaunch, request, readable, stream, parameters, extra);
}

BURIN_EXPORT CudaStatus cuLaunchKernel_ptsz(const void* kernel, unsigned gx, unsigned gy,
                                            unsigned gz, unsigned bx, unsigned by, unsigned bz,
                                            unsigned shared, void* stream, void** parameters,
                                            void** extra) {
  burin::runtime::LaunchRequest request{
      kernel, {}, {{gx, gy, gz}, {bx, by, bz}, shared}, burin::runtime::stream_of(stream, true)};
  const bool readable = burin::runtime::read_arguments(parameters, extra, request.arguments);
  return launch(Hook::kLaunchPerThread, request, readable, stream, parameters, extra);
}

BURIN_EXPORT CudaStatus cuLaunchKernelEx(const burin::runtime::DriverLaunchConfig* config,
                                         const void* kernel, void** parameters, void** extra) {
  return launch_ex(Hook::kLaunchEx, config, kernel, parameters, extra);
}

BURIN_EXPORT CudaStatus cuLaunchKernelEx_ptsz(const burin::runtime::DriverLaunchConfig* config,
                                              const void* kernel, void** parameters, void** extra) {
  return launch_ex(Hook::kLaunchExPerThread, config, kernel, parameters, extra);
}

BURIN_EXPORT CudaStatus cuModuleLoad(void** module, const char* path) {
  const CudaStatus status =
      burin::runtime::real<CudaStatus(void**, const char*)>(Hook::kModuleLoad)(module, path);
  burin::runtime::loaded(status, module, nullptr);
  return status;
}

BURIN_EXPORT CudaStatus cuModuleLoadData(void** module, const void* image) {
  const CudaStatus status =
      burin::runtime::real<CudaStatus(void**, const void*)>(Hook::kModuleLoadData)(module, image);
  burin::runtime::loaded(status, module, image);
  return status;
}

BURIN_EXPORT CudaStatus cuModuleLoadDataEx(void** module, const void* image, unsigned count,
                                           void* options, void** values) {
  using Function = CudaStatus(void**, const void*, unsigned, void*, void**);
  const CudaStatus status = burin::runtime::real<Function>(Hook::kModuleLoadDataEx)(
      module, image, count, options, values);
  burin::runtime::loaded(status, module, image);
  return status;
}

BURIN_EXPORT CudaStatus cuModuleLoadFatBinary(void** module, const void* image) {
  using Function = CudaStatus(void**, const void*);
  const CudaStatus status =
      burin::runtime::real<Function>(Hook::kModuleLoadFatBinary)(module, image);
  burin::runtime::loaded(status, module, image);
  return status;
}

using LibraryLoadFunction = CudaStatus(void**, const void*, void*, void**, unsigned, void*, void**,
                                       unsigned);

BURIN_EXPORT CudaStatus cuLibraryLoadData(void** library, const void* image, void* jit_options,
                                          void** jit_values, unsigned jit_count, void* options,
                                          void** values, unsigned count) {
  const CudaStatus status = burin::runtime::real<LibraryLoadFunction>(Hook::kLibraryLoadData)(
      library, image, jit_options, jit_values, jit_count, options, values, count);
  burin::runtime::loaded(status, library, image);
  return status;
}

BURIN_EXPORT CudaStatus cuLibraryLoadFromFile(void** library, const void* path, void* jit_options,
                                              void** jit_values, unsigned jit_count, void* options,
                                              void** values, unsigned count) {
  const CudaStatus status = burin::runtime::real<LibraryLoadFunction>(Hook::kLibraryLoadFromFile)(
      library, path, jit_options, jit_values, jit_count, options, values, count);
  burin::runtime::loaded(status, library, nullptr);
  return status;
}

BURIN_EXPORT CudaStatus cuModuleUnload(void* module) {
  burin::runtime::unloading(module);
  return burin::runtime::real<CudaStatus(void*)>(Hook::kModuleUnload)(module);
}

BURIN_EXPORT CudaStatus cuLibraryUnload(void* library) {
  burin::runtime::unloading(library);
  return burin::runtime::real<CudaStatus(void*)>(Hook::kLibraryUnload)(library);
}

BURIN_EXPORT CudaStatus cuLibraryGetKernel(void** kernel, void* library, const char* name) {
  using Function = CudaStatus(void**, void*, const char*);
  const CudaStatus status =
      burin::runtime::real<Function>(Hook::kLibraryGetKernel)(kernel, library, name);
  if (status == 0 && kernel != nullptr) {
    burin::runtime::beside([&] { burin::runtime::remember_kernel(*kernel, library); });
  }
  return status;
}

BURIN_EXPORT CudaStatus cuLibraryEnumerateKernels(void** kernels, unsigned count, void* library) {
  using Function = CudaStatus(void**, unsigned, void*);
  const CudaStatus status =
      burin::runtime::real<Function>(Hook::kLibraryEnumerateKernels)(kernels, count, library);
  for (unsigned i = 0; status == 0 && kernels != nullptr && i < count; ++i) {
    burin::runtime::beside([&] { burin::runtime::remember_kernel(kernels[i], library); });
  }
  return status;
}

BURIN_EXPORT CudaStatus cuCtxDestroy_v2(void* context) {
  burin::runtime::unloading(nullptr);
  return burin::runtime::real<CudaStatus(void*)>(Hook::kCtxDestroy)(context);
}

BURIN_EXPORT CudaStatus cuDevicePrimaryCtxReset_v2(int device) {
  burin::runtime::unloading(nullptr);
  return burin::runtime::real<CudaStatus(int)>(Hook::kPrimaryReset)(device);
}

BURIN_EXPORT CudaStatus cuDevicePrimaryCtxRelease_v2(int device) {
  burin::runtime::unloading(nullptr);
  return burin::runtime::real<CudaStatus(int)>(Hook::kPrimaryRelease)(device);
}

using CaptureFunction = CudaStatus(void*, int);
using CaptureToGraphFunction = CudaStatus(void*, void*, const void*, const void*, std::size_t, int);

BURIN_EXPORT CudaStatus cuStreamBeginCapture_v2(void* stream, int mode) {
  burin::runtime::engine().capture_begins();
  return burin::runtime::real<CaptureFunction>(Hook::kBeginCapture)(stream, mode);
}

BURIN_EXPORT CudaStatus cuStreamBeginCapture_v2_ptsz(void* stream, int mode) {
  burin::runtime::engine().capture_begins();
  return burin::runtime::real<CaptureFunction>(Hook::kBeginCapturePerThread)(stream, mode);
}

BURIN_EXPORT CudaStatus cuStreamBeginCaptureToGraph(void* stream, void* graph, const void* nodes,
                                                    const void* edges, std::size_t count,
                                                    int mode) {
  burin::runtime::engine().capture_begins();
  return burin::runtime::real<CaptureToGraphFunction>(Hook::kBeginCaptureToGraph)(
      stream, graph, nodes, edges, count, mode);
}

BURIN_EXPORT CudaStatus cuStreamBeginCaptureToGraph_ptsz(void* stream, void* graph,
                                                         const void* nodes, const void* edges,
                                                         std::size_t count, int mode) {
  burin::runtime::engine().capture_begins();
  return burin::runtime::real<CaptureToGraphFunction>(Hook::kBeginCaptureToGraphPerThread)(
      stream, graph, nodes, edges, count, mode);
}

BURIN_EXPORT CudaStatus cuGetProcAddress(const char* name, void** function, int version,
                                         std::uint64_t flags) {
  using Function = CudaStatus(const char*, void**, int, std::uint64_t);
  const CudaStatus status =
      burin::runtime::real<Function>(Hook::kGetProcAddress)(name, function, version, flags);
  if (status == 0 && name != nullptr && function != nullptr && *function != nullptr) {
    *function = burin::runtime::hook_named(name, flags, version, *function);
  }
  return status;
}

BURIN_EXPORT CudaStatus cuGetProcAddress_v2(const char* name, void** function, int version,
                                            std::uint64_t flags, void* found) {
  using Function = CudaStatus(const char*, void**, int, std::uint64_t, void*);
  const CudaStatus status = burin::runtime::real<Function>(Hook::kGetProcAddressV2)(
      name, function, version, flags, found);
  if (status == 0 && name != nullptr && function != nullptr && *function != nullptr) {
    *function = burin::runtime::hook_named(name, flags, version, *function);
  }
  return status;
}

namespace burin::runtime {
namespace {

// `exported` is the name in libcuda.so.1; `name` and `per_thread` are how cuGetProcAddress() is
// asked for it, from `version` on.
struct HookedFunction {
  const char* exported;
  std::string_view name;
  bool per_thread_only;  // there is another function for the legacy default stream
  int version;
  void* hook;
};

template <typename Function>
void* address(Function* function) {
  return reinterpret_cast<void*>(function);
}

const HookedFunction kHooks[kHookCount] = {
    {"cuLaunchKernel", "cuLaunchKernel", false, 4000, address(::cuLaunchKernel)},
    {"cuLaunchKernel_ptsz", "cuLaunchKernel", true, 7000, address(::cuLaunchKernel_ptsz)},
    {"cuLaunchKernelEx", "cuLaunchKernelEx", false, 11060, address(::cuLaunchKernelEx)},
    {"cuLaunchKernelEx_ptsz", "cuLaunchKernelEx", true, 11060, address(::cuLaunchKernelEx_ptsz)},
    // One name for two functions: see hook_named().
    {"cuGetProcAddress", "cuGetProcAddress", false, 11030, address(::cuGetProcAddress)},
    {"cuGetProcAddress_v2", "cuGetProcAddress", false, 12000, address(::cuGetProcAddress_v2)},
    {"cuModuleLoad", "cuModuleLoad", false, 2000, address(::cuModuleLoad)},
    {"cuModuleLoadData", "cuModuleLoadData", false, 2000, address(::cuModuleLoadData)},
    {"cuModuleLoadDataEx", "cuModuleLoadDataEx", false, 2010, address(::cuModuleLoadDataEx)},
    {"cuModuleLoadFatBinary", "cuModuleLoadFatBinary", false, 2000,
     address(::cuModuleLoadFatBinary)},
    {"cuLibraryLoadData", "cuLibraryLoadData", false, 12000, address(::cuLibraryLoadData)},
    {"cuLibraryLoadFromFile", "cuLibraryLoadFromFile", false, 12000,
     address(::cuLibraryLoadFromFile)},
    {"cuModuleUnload", "cuModuleUnload", false, 2000, address(::cuModuleUnload)},
    {"cuLibraryUnload", "cuLibraryUnload", false, 12000, address(::cuLibraryUnload)},
    {"cuLibraryGetKernel", "cuLibraryGetKernel", false, 12000, address(::cuLibraryGetKernel)},
    {"cuLibraryEnumerateKernels", "cuLibraryEnumerateKernels", false, 12040,
     address(::cuLibraryEnumerateKernels)},
    {"cuCtxDestroy_v2", "cuCtxDestroy", false, 4000, address(::cuCtxDestroy_v2)},
    {"cuDevicePrimaryCtxReset_v2", "cuDevicePrimaryCtxReset", false, 11000,
     address(::cuDevicePrimaryCtxReset_v2)},
    {"cuDevicePrimaryCtxRelease_v2", "cuDevicePrimaryCtxRelease", false, 11000,
     address(::cuDevicePrimaryCtxRelease_v2)},
    {"cuStreamBeginCapture_v2", "cuStreamBeginCapture", false, 10010,
     address(::cuStreamBeginCapture_v2)},
    {"cuStreamBeginCapture_v2_ptsz", "cuStreamBeginCapture", true, 10010,
     address(::cuStreamBeginCapture_v2_ptsz)},
    {"cuStreamBeginCaptureToGraph", "cuStreamBeginCaptureToGraph", false, 12030,
     address(::cuStreamBeginCaptureToGraph)},
    {"cuStreamBeginCaptureToGraph_ptsz", "cuStreamBeginCaptureToGraph", true, 12030,
     address(::cuStreamBeginCaptureToGraph_ptsz)},
};

const char* exported_name(Hook hook) {
  return kHooks[hook].exported;
}

bool is_active() {
  bool active = false;
  beside([&] { active = engine().active(); });
  return active;
}

// The hook for `function`, which the driver has under that name; the function itself if there is no
// hook, or no reason for one.
void* hook_for(Hook hook, void* function) {
  // A driver that refers to its own functions by name finds those of this library.
  if (function == kHooks[hook].hook) {
    if (void* const own = driver_symbol(exported_name(hook))) function = own;
  }
  if (!is_active()) return function;
  void* expected = nullptr;
  // Another address under the same name is another version of it, with other parameters.
  if (!real_functions[hook].compare_exchange_strong(expected, function) && expected != function) {
    return function;
  }
  return kHooks[hook].hook;
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

}  // namespace
}  // namespace burin::runtime

// What dlsym() returns instead of the driver's function; null if it must not interfere.
extern "C" void* burin_launch_dlsym(void* handle, const char* name) {
  using namespace burin::runtime;
  if (burin_launch_real_dlsym == nullptr) burin_launch_real_dlsym = find_real_dlsym();
  if (name == nullptr || name[0] != 'c' || name[1] != 'u') return nullptr;
  if (handle == RTLD_NEXT || handle == RTLD_DEFAULT) return nullptr;
  for (std::size_t i = 0; i < kHookCount; ++i) {
    if (kHooks[i].exported == nullptr) return nullptr;  // called before this library's constructors
    if (std::strcmp(kHooks[i].exported, name) != 0) continue;
    void* const function = burin_launch_real_dlsym(handle, name);
    if (function == nullptr || function == kHooks[i].hook) return function;
    return hook_for(static_cast<Hook>(i), function);
  }
  return nullptr;
}

// dlsym() itself. The C library's looks at its return address where the handle is RTLD_NEXT, so it
// is entered by a jump, with the caller's return address on top.
#if defined(__x86_64__)
asm(R"(
  .text
  .globl dlsym
  .type dlsym, @function
dlsym:
  endbr64
  push %rdi
  push %rsi
  sub $8, %rsp
  call burin_launch_dlsym
  add $8, %rsp
  pop %rsi
  pop %rdi
  test %rax, %rax
  jne 1f
  jmp *burin_launch_real_dlsym(%rip)
1:
  ret
  .size dlsym, .-dlsym
)");
#elif defined(__aarch64__)
asm(R"(
  .text
  .globl dlsym
  .type dlsym, %function
dlsym:
  stp x29, x30, [sp, #-32]!
  mov x29, sp
  stp x0, x1, [sp, #16]
  bl burin_launch_dlsym
  mov x9, x0
  ldp x0, x1, [sp, #16]
  ldp x29, x30, [sp], #32
  cbnz x9, 1f
  adrp x10, burin_launch_real_dlsym
  ldr x10, [x10, #:lo12:burin_launch_real_dlsym]
  br x10
1:
  mov x0, x9
  ret
  .size dlsym, .-dlsym
)");
#else
#error "dlsym() is written for x86_64 and aarch64"
#endif

// Tells libburin_launch.a inside the program that launches are changed here.
BURIN_EXPORT int burin_launch_preloaded() {
  return burin::runtime::is_active() ? 1 : 0;
}
