// A GPU used from this process, which owns its context. After a fault the GPU can no longer be used
// from this process, and a kernel that hangs takes the process with it: only the worker does this
// (gpu/worker/worker.h). Everyone else uses gpu/worker/worker_device.h.
//
//   CudaDevice device(0, [](std::string_view stage) { … });
//   DeviceAnswer answer = device.run(request);
//
// Context, buffers, reference and burin's own kernels stay from one request to the next.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "gpu/attempt.h"
#include "gpu/cache_control.h"
#include "gpu/context.h"
#include "gpu/device_buffers.h"
#include "gpu/device_comparer.h"
#include "gpu/kernel_times.h"
#include "gpu/loaded_program.h"
#include "gpu/reference.h"
#include "measure/clock_history.h"
#include "measure/device.h"

namespace burin::gpu {

class CudaDevice : public measure::Device {
 public:
  using Stage = std::function<void(std::string_view stage)>;  // "running the kernel"

  // `number` is the N of cuda:N. The GPU is opened by the first request.
  CudaDevice(unsigned number, Stage stage) : number_(number), stage_(std::move(stage)) {}

  measure::DeviceAnswer run(const measure::DeviceRequest& request) override;

 private:
  // What exists while the GPU is open, in the order in which it is made.
  struct Opened {
    explicit Opened(GpuContext context) : gpu(std::move(context)) {}

    GpuContext gpu;
    std::optional<CacheControl> caches{};
    std::optional<DeviceComparer> comparer{};
    std::optional<DeviceBuffers> buffers{};
    std::optional<Reference> reference{};
  };

  Attempt<void> open(const measure::DeviceRequest& request);
  measure::DeviceAnswer run_steps(const measure::DeviceRequest& request);
  Attempt<void> launch_and_wait(LoadedProgram& program);
  Attempt<void> verify(const measure::DeviceRequest& request, measure::DeviceResult& result);
  Attempt<void> repeat(const measure::DeviceRequest& request, LoadedProgram& program,
                       measure::DeviceResult& result);
  Attempt<void> time(const measure::DeviceRequest& request, LoadedProgram& program,
                     measure::DeviceResult& result);

  unsigned number_;
  Stage stage_;
  std::optional<KernelTimes> stamps_;
  std::unique_ptr<Opened> opened_;
  measure::ClockHistory clocks_;
  std::optional<std::chrono::steady_clock::time_point> last_timed_;
};

}  // namespace burin::gpu
