// Times a kernel on the GPU, launch by launch.
//
// Before each launch, the buffers that the kernel changes are restored and the caches are made cold
// or warm; neither is included in the time. Launches are enqueued after a gate, which opens once a
// whole batch is in the queue, so that no launch waits for the CPU:
//
//   gate │ restore  caches  event  KERNEL  event │ restore  caches  event  KERNEL  event │ …
//
// Times come from CUPTI time stamps if CUPTI works, otherwise from the events.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "gpu/cache_control.h"
#include "gpu/context.h"
#include "gpu/device_buffers.h"
#include "gpu/kernel_times.h"
#include "gpu/loaded_kernel.h"
#include "measure/device.h"

namespace burin::gpu {

// Runs the timed launches and fills the timing fields of `result`.
Result<void> time_launches(const GpuContext& gpu, const CacheControl& caches, KernelTimes& stamps,
                           LoadedKernel& kernel, DeviceBuffers& buffers,
                           const measure::DeviceRequest& request, measure::DeviceResult& result);

}  // namespace burin::gpu
