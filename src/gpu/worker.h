// The worker side of the protocol (measure/protocol.h). It runs in its own process, which owns the
// GPU context. After a request that ended in a fault, further requests fail: the context is lost.
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

  // Reports the stages and then the result or the error. Returns true if it was a result.
  bool answer(std::string_view request_line);

 private:
  Result<measure::DeviceResult> run(const measure::DeviceRequest& request);
  Result<void> open(const measure::DeviceRequest& request);
  // Sets up `kept_` for the request. Returns true if the buffers of the previous request are
  // reused.
  Result<bool> prepare(const measure::DeviceRequest& request);

  // The buffers of a launch and the request they belong to.
  struct Kept {
    measure::DeviceRequest request;  // the buffers refer to request.launch
    std::optional<DeviceBuffers> buffers{};
    std::vector<measure::DeviceOutput> outputs{};
  };

  Say say_;
  std::optional<KernelTimes> stamps_;
  std::optional<GpuContext> gpu_;
  std::optional<CacheControl> caches_;  // like kept_, released before the context
  std::unique_ptr<Kept> kept_;
  unsigned device_ = 0;
};

}  // namespace burin::gpu
