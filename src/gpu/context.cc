#include "gpu/context.h"

#include <cstdlib>
#include <vector>

#include "base/format.h"
#include "base/text.h"
#include "gpu/clock.h"

namespace burin::gpu {
namespace {

std::string name_of(const Cuda& cuda, int device) {
  char name[256] = "";
  cuda.device_name(name, sizeof name, device);
  return name;
}

Error no_such_device(const Cuda& cuda, const std::string& label) {
  int count = 0;
  cuda.device_count(&count);
  std::vector<std::string> names;
  for (int device = 0; device < count; ++device) names.push_back(name_of(cuda, device));
  if (names.empty()) return {label + " does not exist: the driver sees no GPU", Exit::kDevice};
  return {fmt::format("{} does not exist: the driver sees {}, {}", label,
                      count_of(names.size(), "GPU"), list_of(names, 8)),
          Exit::kDevice};
}

}  // namespace

Result<GpuContext> GpuContext::open(unsigned device) {
  // All code is on the GPU before the first launch, so that no timed launch has to load it.
  ::setenv("CUDA_MODULE_LOADING", "EAGER", 1);
  const Result<const Cuda*> opened = open_cuda();
  if (!opened) return opened.error();
  const Cuda& cuda = **opened;
  GpuContext gpu;
  gpu.cuda_ = &cuda;
  gpu.label_ = fmt::format("cuda:{}", device);
  if (auto done = gpu.check(cuda.init(0), "cuInit"); !done) return done.error();
  int handle = 0;
  if (device > 0xffff || cuda.device_get(&handle, static_cast<int>(device)) != 0) {
    return no_such_device(cuda, gpu.label_);
  }
  gpu.name_ = name_of(cuda, handle);
  int major = 0, minor = 0, sms = 0, l2_bytes = 0, version = 0;
  cuda.device_attribute(&major, Cuda::kCapabilityMajor, handle);
  cuda.device_attribute(&minor, Cuda::kCapabilityMinor, handle);
  cuda.device_attribute(&sms, Cuda::kMultiprocessors, handle);
  cuda.device_attribute(&l2_bytes, Cuda::kL2CacheSize, handle);
  cuda.driver_version(&version);
  gpu.architecture_ = fmt::format("sm_{}{}", major, minor);
  gpu.l2_bytes_ = static_cast<std::uint64_t>(l2_bytes);
  gpu.sms_ = static_cast<std::uint32_t>(sms);
  gpu.driver_ = burin::gpu::driver_version();
  if (gpu.driver_.empty()) gpu.driver_ = "CUDA " + dotted_version(version);
  char bus_id[64] = "";
  cuda.device_bus_id(bus_id, sizeof bus_id, handle);
  gpu.bus_id_ = bus_id;

  CudaHandle context = nullptr;
  if (auto done = gpu.check(cuda.context_retain(&context, handle), "cuDevicePrimaryCtxRetain");
      !done) {
    return done.error();
  }
  if (auto done = gpu.check(cuda.context_set(context), "cuCtxSetCurrent"); !done) {
    return done.error();
  }
  if (auto done =
          gpu.check(cuda.stream_create(&gpu.stream_, Cuda::kNonBlockingStream), "cuStreamCreate");
      !done) {
    return done.error();
  }
  return gpu;
}

Result<void> GpuContext::check(CudaStatus status, const char* call) const {
  if (Result<void> done = cuda_->check(status, call); !done) return done.error().within(label_);
  return {};
}

Result<void> GpuContext::finish(const std::string& kernel) const {
  const CudaStatus status = cuda_->stream_synchronize(stream_);
  if (status == 0) return {};
  return Error{fmt::format("the kernel {} failed on {} ({}): {}", kernel, label_, name_,
                           cuda_->words(status)),
               Exit::kDevice};
}

}  // namespace burin::gpu
