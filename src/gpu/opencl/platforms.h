// The OpenCL devices of this computer, counted over all platforms in the order of the loader:
// opencl:0, opencl:1, …
//
//   Result<std::vector<OpenclDeviceInfo>> devices = list_opencl_devices();
//   (*devices)[0].name == "NVIDIA H200", (*devices)[1].platform == "Portable Computing Language"
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "gpu/opencl/opencl.h"

namespace burin::gpu {

struct OpenclDeviceInfo {
  OpenclHandle handle = nullptr;
  std::string name;      // "NVIDIA H200"
  std::string platform;  // "NVIDIA CUDA"
  std::string version;   // "OpenCL 3.0"
  std::string driver;    // "580.65.06"
  bool is_gpu = false;
  std::uint32_t compute_units = 0;
  std::uint64_t cache_bytes = 0;
  std::uint64_t memory_bytes = 0;
  std::uint64_t max_allocation_bytes = 0;
  std::uint64_t local_memory_bytes = 0;
};

// Loads the drivers into this process: for the worker. Returns an Error if there is no OpenCL; the
// list may be empty.
Result<std::vector<OpenclDeviceInfo>> list_opencl_devices();

// The same in a child process, which is killed after `limit_seconds`, with null handles. Empty if
// there is no OpenCL, or if a driver crashes or hangs.
std::vector<OpenclDeviceInfo> find_opencl_devices(double limit_seconds = 20);

}  // namespace burin::gpu
