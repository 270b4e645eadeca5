// A real GPU, used through a worker process: `burin worker`, which is started for each request and
// killed when its time limit expires. A kernel that faults or hangs, or a driver that crashes,
// affects only that process.
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
  explicit CudaDevice(std::string burin)
      : burin_(std::move(burin)) {}  // path of the burin executable

  Result<measure::DeviceResult> run(const measure::DeviceRequest& request) override;

  // Runs many requests with one worker. If a request fails, a new worker runs the ones after it.
  std::vector<Result<measure::DeviceResult>> run_all(
      std::span<const measure::DeviceRequest> requests,
      const std::function<void(std::size_t)>& done = {}) override;

 private:
  std::string burin_;
};

std::string path_of_this_program();

// The N of "cuda:N" ("cuda" means cuda:0). Returns a usage Error for anything else.
Result<unsigned> parse_device(std::string_view text);

}  // namespace burin::gpu
