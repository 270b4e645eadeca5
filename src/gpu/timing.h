// Times a kernel on the GPU, launch by launch.
//
// Before each launch the buffers that the kernel changes are put back and the caches made cold or
// warm; neither is in the time. The queue is filled behind a gate that is opened when a
// batch of launches is in it, so no launch waits for the CPU:
//
//   gate │ restore  caches  event  KERNEL  event │ restore  caches  event  KERNEL  event │ …
//
// Time stamps of CUPTI are taken where it serves, else the time between the events.
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

// Fills the fields of `result` that tell of time.
Result<void> time_launches(const GpuContext& gpu, const CacheControl& caches, KernelTimes& stamps,
                           LoadedKernel& kernel, DeviceBuffers& buffers,
                           const measure::DeviceRequest& request, measure::DeviceResult& result);

}  // namespace burin::gpu
