#include "gpu/cuda.h"

#include "base/format.h"
#include "gpu/library.h"

namespace burin::gpu {
namespace {

// Fills the table; the name of the first entry point that the library lacks, or "".
std::string bind_all(const Library& library, Cuda& cuda) {
  Entries entry(library);
  entry("cuInit", cuda.init);
  entry("cuDriverGetVersion", cuda.driver_version);
  entry("cuGetErrorName", cuda.error_name);
  entry("cuGetErrorString", cuda.error_string);
  entry("cuDeviceGetCount", cuda.device_count);
  entry("cuDeviceGet", cuda.device_get);
  entry("cuDeviceGetName", cuda.device_name);
  entry("cuDeviceGetAttribute", cuda.device_attribute);
  entry("cuDeviceGetPCIBusId", cuda.device_bus_id);
  entry("cuDevicePrimaryCtxRetain", cuda.context_retain);
  entry("cuCtxSetCurrent", cuda.context_set);
  entry("cuCtxSynchronize", cuda.context_synchronize);
  entry("cuModuleLoadData", cuda.module_load);
  entry("cuModuleUnload", cuda.module_unload);
  entry("cuModuleGetFunction", cuda.module_function);
  entry("cuModuleGetGlobal_v2", cuda.module_global);
  entry("cuFuncSetAttribute", cuda.function_set);
  entry("cuLinkCreate_v2", cuda.link_create);
  entry("cuLinkAddData_v2", cuda.link_add);
  entry("cuLinkComplete", cuda.link_complete);
  entry("cuLinkDestroy", cuda.link_destroy);
  entry("cuMemGetInfo_v2", cuda.memory_info);
  entry("cuMemAlloc_v2", cuda.allocate);
  entry("cuMemFree_v2", cuda.release);
  entry("cuMemHostAlloc", cuda.allocate_host);
  entry("cuMemFreeHost", cuda.release_host);
  entry("cuMemHostGetDevicePointer_v2", cuda.host_pointer);
  entry("cuMemcpyHtoD_v2", cuda.copy_in);
  entry("cuMemcpyDtoH_v2", cuda.copy_out);
  entry("cuMemcpyDtoDAsync_v2", cuda.copy_async);
  entry("cuMemsetD8Async", cuda.set_async);
  entry("cuStreamCreate", cuda.stream_create);
  entry("cuStreamSynchronize", cuda.stream_synchronize);
  entry("cuStreamWaitValue32_v2", cuda.stream_wait_value);
  entry("cuEventCreate", cuda.event_create);
  entry("cuEventDestroy_v2", cuda.event_destroy);
  entry("cuEventRecord", cuda.event_record);
  entry("cuEventElapsedTime", cuda.event_elapsed);
  entry("cuLaunchKernelEx", cuda.launch);
  return entry.missing();
}

}  // namespace

std::string Cuda::words(CudaStatus status) const {
  const char* name = nullptr;
  const char* said = nullptr;
  error_name(status, &name);
  error_string(status, &said);
  if (name == nullptr) return fmt::format("error {}", status);
  return fmt::format("{} ({})", said == nullptr ? "no description" : said, name);
}

Result<void> Cuda::check(CudaStatus status, std::string_view call) const {
  if (status == 0) return {};
  return Error{fmt::format("{}: {}", call, words(status)), Exit::kDevice};
}

Result<const Cuda*> open_cuda() {
  static Cuda cuda;
  static const Library library = Library::open(cuda_names());
  static const std::string missing = bind_all(library, cuda);
  if (!library) {
    return Error{"no NVIDIA driver found (libcuda.so.1); see burin doctor", Exit::kDevice};
  }
  if (!missing.empty()) {
    return Error{
        fmt::format("the NVIDIA driver lacks {}; burin needs a driver for CUDA 12 or newer",
                    missing),
        Exit::kDevice};
  }
  return &cuda;
}

std::string dotted_version(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

}  // namespace burin::gpu
