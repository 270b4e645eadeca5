// Times a program on the GPU, run by run. A run is all launches of a request in order.
//
// Before each run, the buffers that the kernels change are restored and the caches are made cold or
// warm; neither is included in the time. Runs are enqueued after a gate, which opens once a whole
// batch is in the queue, so that no launch waits for the CPU:
//
//   gate │ restore  caches  event  KERNELS  event │ restore  caches  event  KERNELS  event │ …
//
// Times come from CUPTI time stamps if CUPTI works, otherwise from the events. A series ends as
// measure/stopping.h says. Batches that ran at a throttled clock are repeated.
#pragma once

#include "gpu/attempt.h"
#include "gpu/cache_control.h"
#include "gpu/context.h"
#include "gpu/device_buffers.h"
#include "gpu/kernel_times.h"
#include "gpu/loaded_program.h"
#include "measure/clock_history.h"
#include "measure/device.h"

namespace burin::gpu {

// What stays from one request to the next.
struct TimingTools {
  const GpuContext& gpu;
  const CacheControl& caches;
  KernelTimes& stamps;
  measure::ClockHistory& clocks;
};

// Runs the timed launches and fills the timing fields of `result`. `idle`: the GPU has been idle
// and its clock may be low, so it is kept busy for the request's warm_up_ms first.
Attempt<void> time_launches(const TimingTools& tools, LoadedProgram& program,
                            DeviceBuffers& buffers, const measure::DeviceRequest& request,
                            bool idle, measure::DeviceResult& result);

}  // namespace burin::gpu
