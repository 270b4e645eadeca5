// The worker's side of the protocol (measure/protocol.h): runs in a process of its own, which owns
// the GPU's context. A request after one that ended in a fault is refused: the context is lost.
//
//   Worker worker([](std::string_view line) { write(1, line); });
//   while (read(line)) worker.answer(line);
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "gpu/cache_control.h"
#include "gpu/context.h"
#include "gpu/device_buffers.h"
#include "gpu/kernel_times.h"
#include "measure/device.h"

namespace burin::gpu {

class Worker {
 public:
  using Say = std::function<void(std::string_view line)>;

  explicit Worker(Say say) : say_(std::move(say)) {}

  // Says the stages and then the result or the error; whether it was a result.
  bool answer(std::string_view request_line);

 private:
  Result<measure::DeviceResult> run(const measure::DeviceRequest& request);
  Result<void> open(const measure::DeviceRequest& request);
  // Makes `kept_` the request's; whether its buffers are those of the request before.
  Result<bool> prepare(const measure::DeviceRequest& request);

  // The buffers of a launch, and whose they are.
  struct Kept {
    measure::DeviceRequest request;  // the buffers refer to its launch
    std::optional<DeviceBuffers> buffers{};
    std::vector<measure::DeviceOutput> outputs{};
  };

  Say say_;
  std::optional<KernelTimes> stamps_;
  std::optional<GpuContext> gpu_;
  std::optional<CacheControl> caches_;  // released before the context, as …
  std::unique_ptr<Kept> kept_;
  unsigned device_ = 0;
};

}  // namespace burin::gpu
