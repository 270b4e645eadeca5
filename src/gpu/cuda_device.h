// A GPU behind a worker process: `burin worker`, which is started for each request and ended when
// its time is over. A kernel that faults or hangs, or a driver that crashes, costs that process.
//
//   CudaDevice device(path_of_this_program());
//   Result<DeviceResult> result = device.run(request);
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "measure/device.h"

namespace burin::gpu {

class CudaDevice : public measure::Device {
 public:
  explicit CudaDevice(std::string burin) : burin_(std::move(burin)) {}  // the program's path

  Result<measure::DeviceResult> run(const measure::DeviceRequest& request) override;

  // With one worker for many; where one fails, a fresh worker serves those behind it.
  std::vector<Result<measure::DeviceResult>> run_all(
      std::span<const measure::DeviceRequest> requests,
      const std::function<void(std::size_t)>& done = {}) override;

 private:
  std::string burin_;
};

std::string path_of_this_program();

// The N of "cuda:N" ("cuda" is cuda:0); anything else is wrong usage.
Result<unsigned> parse_device(std::string_view text);

}  // namespace burin::gpu
