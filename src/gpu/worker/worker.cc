#include "gpu/worker/worker.h"

#include "base/format.h"
#include "gpu/cuda_device.h"
#include "gpu/opencl/opencl_device.h"
#include "measure/protocol.h"

namespace burin::gpu {

bool Worker::answer(std::string_view line) {
  const Result<measure::DeviceRequest> request = measure::read_request(line);
  const measure::DeviceAnswer answer =
      request ? run(*request)
              : measure::DeviceAnswer(request.error(), measure::FailureKind::kRequest);
  say_(measure::answer_line(answer));
  failed_ = failed_ || !answer;
  return !answer.lost();
}

Result<void> Worker::open(const std::string& device) {
  const Result<measure::DeviceName> name = measure::parse_device_name(device);
  if (!name) return name.error();
  if (device_ != nullptr && name_ == *name) return {};
  if (device_ != nullptr) {
    return Error{
        fmt::format("this worker serves {}; start another one for {}", name_.text(), name->text()),
        Exit::kUsage};
  }
  const auto stage = [this](std::string_view words) { say_(measure::stage_line(words)); };
  if (name->kind == measure::DeviceKind::kOpencl) {
    device_ = std::make_unique<OpenclDevice>(name->number, stage);
  } else {
    device_ = std::make_unique<CudaDevice>(name->number, stage);
  }
  name_ = *name;
  return {};
}

measure::DeviceAnswer Worker::run(const measure::DeviceRequest& request) {
  if (Result<void> done = open(request.device); !done) {
    return {done.error(), measure::FailureKind::kRequest};
  }
  return device_->run(request);
}

}  // namespace burin::gpu
