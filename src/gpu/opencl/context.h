// An open OpenCL device with a context and a queue that executes commands in order and records
// their times.
//
//   Result<OpenclContext> device = OpenclContext::open(1);
//   device->check(device->opencl().finish(device->queue()), "clFinish");
#pragma once

#include <string>

#include "base/result.h"
#include "gpu/opencl/opencl.h"
#include "gpu/opencl/platforms.h"

namespace burin::gpu {

class OpenclContext {
 public:
  static Result<OpenclContext> open(unsigned number);  // the N of opencl:N

  OpenclContext(OpenclContext&& other) noexcept;
  OpenclContext& operator=(OpenclContext&&) = delete;
  ~OpenclContext();

  const Opencl& opencl() const { return *opencl_; }
  OpenclHandle device() const { return info_.handle; }
  OpenclHandle context() const { return context_; }
  OpenclHandle queue() const { return queue_; }
  const std::string& label() const { return label_; }  // "opencl:1"
  const OpenclDeviceInfo& info() const { return info_; }

  // Returns an Error if the call failed: "opencl:1: clFinish: …".
  Result<void> check(OpenclStatus status, const char* call) const;

 private:
  OpenclContext() = default;

  const Opencl* opencl_ = nullptr;
  OpenclHandle context_ = nullptr;
  OpenclHandle queue_ = nullptr;
  std::string label_;
  OpenclDeviceInfo info_;
};

}  // namespace burin::gpu
