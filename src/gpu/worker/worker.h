// The worker side of the protocol (measure/protocol.h). It runs in its own process, which owns the
// context of one device: a kernel that faults or hangs, or a driver that crashes, ends that process
// only.
//
//   Worker worker([](std::string_view line) { write(1, line); });
//   while (read(line) && worker.answer(line)) {}
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "measure/device.h"
#include "measure/device_name.h"

namespace burin::gpu {

class Worker {
 public:
  using Say = std::function<void(std::string_view line)>;

  explicit Worker(Say say) : say_(std::move(say)) {}

  // Reports the stages and then the result or the error. Returns false if the worker must end,
  // because the device is lost to this process.
  bool answer(std::string_view request_line);

  bool failed() const { return failed_; }  // some request was answered with an error

 private:
  measure::DeviceAnswer run(const measure::DeviceRequest& request);
  Result<void> open(const std::string& device);

  Say say_;
  bool failed_ = false;
  std::unique_ptr<measure::Device> device_;
  measure::DeviceName name_;  // of device_
};

}  // namespace burin::gpu
