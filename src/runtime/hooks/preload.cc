// The functions that programs call instead of the driver's.
#include "runtime/hooks/preload.h"

#include <algorithm>
#include <string>
#include <vector>

#include "runtime/hooks/driver.h"

using burin::runtime::CudaStatus;

namespace burin::runtime {
namespace {

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
  return has_arguments ? preload_engine().launch(request, call) : call(request.own);
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
  return preload_engine().launch(request, [&](const LaunchShape& shape) {
    DriverLaunchConfig changed = *config;
    std::copy_n(shape.grid.begin(), 3, changed.grid);
    std::copy_n(shape.block.begin(), 3, changed.block);
    changed.shared_bytes = static_cast<std::uint32_t>(shape.shared_bytes);
    return function(&changed, kernel, parameters, extra);
  });
}

void loaded(CudaStatus status, void** module, const void* image) {
  if (status != 0 || module == nullptr) return;
  beside([&] {
    std::vector<std::string> kernels;
    for (const ProgramFile& file : preload_engine().programs())
      kernels.push_back(file.program.kernel);
    remember_image(*module, image, kernels);
  });
}

void unloading(const void* module) {
  beside([&] {
    if (module != nullptr) forget_module(module);
    preload_engine().forget_handles();
  });
}

}  // namespace

Engine& preload_engine() noexcept {
  // Never destroyed: programs launch kernels in destructors of static objects too.
  static Engine* const the_engine = [] {
    set_driver_lookup(driver_symbol);
    return new Engine(read_settings(), driver_api());
  }();
  return *the_engine;
}

bool is_active() noexcept {
  return preload_engine().active();
}

}  // namespace burin::runtime

using burin::runtime::Hook;

BURIN_EXPORT CudaStatus cuLaunchKernel(const void* kernel, unsigned gx, unsigned gy, unsigned gz,
                                       unsigned bx, unsigned by, unsigned bz, unsigned shared,
                                       void* stream, void** parameters, void** extra) {
  burin::runtime::LaunchRequest request{kernel, {}, {{gx, gy, gz}, {bx, by, bz}, shared}, stream};
  const bool readable = burin::runtime::read_arguments(parameters, extra, request.arguments);
  return burin::runtime::launch(Hook::kLaunch, request, readable, stream, parameters, extra);
}

BURIN_EXPORT CudaStatus cuLaunchKernel_ptsz(const void* kernel, unsigned gx, unsigned gy,
                                            unsigned gz, unsigned bx, unsigned by, unsigned bz,
                                            unsigned shared, void* stream, void** parameters,
                                            void** extra) {
  burin::runtime::LaunchRequest request{
      kernel, {}, {{gx, gy, gz}, {bx, by, bz}, shared}, burin::runtime::stream_of(stream, true)};
  const bool readable = burin::runtime::read_arguments(parameters, extra, request.arguments);
  return burin::runtime::launch(Hook::kLaunchPerThread, request, readable, stream, parameters,
                                extra);
}

BURIN_EXPORT CudaStatus cuLaunchKernelEx(const burin::runtime::DriverLaunchConfig* config,
                                         const void* kernel, void** parameters, void** extra) {
  return burin::runtime::launch_ex(Hook::kLaunchEx, config, kernel, parameters, extra);
}

BURIN_EXPORT CudaStatus cuLaunchKernelEx_ptsz(const burin::runtime::DriverLaunchConfig* config,
                                              const void* kernel, void** parameters, void** extra) {
  return burin::runtime::launch_ex(Hook::kLaunchExPerThread, config, kernel, parameters, extra);
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
  burin::runtime::preload_engine().capture_begins();
  return burin::runtime::real<CaptureFunction>(Hook::kBeginCapture)(stream, mode);
}

BURIN_EXPORT CudaStatus cuStreamBeginCapture_v2_ptsz(void* stream, int mode) {
  burin::runtime::preload_engine().capture_begins();
  return burin::runtime::real<CaptureFunction>(Hook::kBeginCapturePerThread)(stream, mode);
}

BURIN_EXPORT CudaStatus cuStreamBeginCaptureToGraph(void* stream, void* graph, const void* nodes,
                                                    const void* edges, std::size_t count,
                                                    int mode) {
  burin::runtime::preload_engine().capture_begins();
  return burin::runtime::real<CaptureToGraphFunction>(Hook::kBeginCaptureToGraph)(
      stream, graph, nodes, edges, count, mode);
}

BURIN_EXPORT CudaStatus cuStreamBeginCaptureToGraph_ptsz(void* stream, void* graph,
                                                         const void* nodes, const void* edges,
                                                         std::size_t count, int mode) {
  burin::runtime::preload_engine().capture_begins();
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

// Tells libburin_launch.a inside the program that launches are changed here.
BURIN_EXPORT int burin_launch_preloaded() {
  return burin::runtime::is_active() ? 1 : 0;
}
