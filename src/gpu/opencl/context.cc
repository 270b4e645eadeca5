#include "gpu/opencl/context.h"

#include <utility>
#include <vector>

#include "base/format.h"
#include "base/text.h"

namespace burin::gpu {

Result<OpenclContext> OpenclContext::open(unsigned number) {
  const Result<const Opencl*> opened = open_opencl();
  if (!opened) return opened.error();
  Result<std::vector<OpenclDeviceInfo>> devices = list_opencl_devices();
  if (!devices) return devices.error();
  OpenclContext context;
  context.opencl_ = *opened;
  context.label_ = fmt::format("opencl:{}", number);
  if (number >= devices->size()) {
    std::vector<std::string> names;
    for (const OpenclDeviceInfo& info : *devices) names.push_back(info.name);
    return Error{names.empty()
                     ? fmt::format("{} does not exist: OpenCL has no device; install a driver, "
                                   "such as pocl-opencl-icd",
                                   context.label_)
                     : fmt::format("{} does not exist: OpenCL has {}, {}", context.label_,
                                   count_of(names.size(), "device"), list_of(names, 8)),
                 Exit::kDevice};
  }
  context.info_ = std::move((*devices)[number]);
  OpenclStatus status = 0;
  context.context_ =
      context.opencl_->context_create(nullptr, 1, &context.info_.handle, nullptr, nullptr, &status);
  if (auto done = context.check(status, "clCreateContext"); !done) return done.error();
  context.queue_ = context.opencl_->queue_create(context.context_, context.info_.handle,
                                                 Opencl::kProfiling, &status);
  if (auto done = context.check(status, "clCreateCommandQueue"); !done) return done.error();
  return context;
}

OpenclContext::OpenclContext(OpenclContext&& other) noexcept
    : opencl_(other.opencl_),
      context_(std::exchange(other.context_, nullptr)),
      queue_(std::exchange(other.queue_, nullptr)),
      label_(std::move(other.label_)),
      info_(std::move(other.info_)) {}

OpenclContext::~OpenclContext() {
  if (queue_ != nullptr) opencl_->queue_release(queue_);
  if (context_ != nullptr) opencl_->context_release(context_);
}

Result<void> OpenclContext::check(OpenclStatus status, const char* call) const {
  if (Result<void> done = opencl_->check(status, call); !done) return done.error().within(label_);
  return {};
}

}  // namespace burin::gpu
