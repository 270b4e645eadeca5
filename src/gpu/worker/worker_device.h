// A device of this computer, used through a worker process: `burin worker`, which serves one
// request after another. It is killed when a request exceeds its time limit, and replaced after
// that, after a crash, and after a fault that left the device unusable. So neither a kernel that
// faults or hangs nor a driver that crashes affects this process.
//
//   WorkerDevice device(path_of_this_program());
//   DeviceAnswer answer = device.run(request);
//
// Buffers that were kept are lost with a worker; the next request fills them again. A reference
// that was kept (Check::kKeep) is made again by repeating its request. Neither that nor the start
// of a worker counts towards the time limit of a request.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/process.h"
#include "base/result.h"
#include "measure/device.h"
#include "measure/protocol.h"

namespace burin::gpu {

class WorkerDevice : public measure::Device {
 public:
  explicit WorkerDevice(std::string burin)
      : burin_(std::move(burin)) {}  // path of the burin executable

  measure::DeviceAnswer run(const measure::DeviceRequest& request) override;

  unsigned workers() const { return started_; }  // number of workers started so far

 private:
  // Has the request answered by the worker. Nothing if the worker had ended before it was asked.
  std::optional<measure::DeviceAnswer> ask(const measure::DeviceRequest& request);
  measure::DeviceAnswer not_answered(const measure::DeviceRequest& request,
                                     const measure::WorkerAnswer& received, bool timed_out) const;
  Result<void> start(const std::string& device);

  std::string burin_;
  std::optional<Process> worker_;
  std::string device_;  // that the worker serves
  bool fresh_ = true;   // the worker has not answered yet
  unsigned started_ = 0;
  std::optional<measure::DeviceRequest> reference_;  // the last one with Check::kKeep
  bool has_reference_ = false;                       // the worker has it
};

std::string path_of_this_program();

// The N of "cuda:N" ("cuda" means cuda:0), where only a CUDA device will do. Returns a usage Error
// for anything else.
Result<unsigned> parse_device(std::string_view text);

}  // namespace burin::gpu
