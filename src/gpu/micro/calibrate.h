// Runs microbenchmarks on a GPU (micro/micro.h) and tells what they settle.
//
//   Result<GpuShape> gpu = describe_gpu(0);
//   CudaDevice device(path_of_this_program());
//   Result<Calibration> done = calibrate(device, {.gpu = *gpu, .machine = *load_machine("h200")});
//   for (const Settled& settled : done->settled) …
//
// A microbenchmark that does not compile, whose code is not what was meant, or of which a launch
// fails settles nothing, and says why; the others go on.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "gpu/micro/micro.h"
#include "measure/device.h"

namespace burin::gpu {

struct CalibrateRequest {
  unsigned device = 0;
  GpuShape gpu{};
  machine::Machine machine{};       // what is not measured stays as it is there
  std::vector<std::string> only{};  // entries or microbenchmarks, `*` for any characters; none: all
  // Told of the work: "compiling", 3, 40.
  std::function<void(std::string_view doing, std::size_t done, std::size_t all)> progress{};
};

struct MicroResult {
  std::string name;
  std::string what;
  std::string refused{};  // why it settled nothing, or not all; "" where it did
  Readings readings{};
  std::vector<MicroLaunch> launches{};
  std::vector<Settled> settled{};
};

struct Calibration {
  machine::Machine machine;  // with the settled values and their sources
  std::string gpu{}, architecture{}, driver{};
  std::string toolkit{};            // "ptxas 13.0"
  std::vector<double> clock_mhz{};  // of the timed launches
  std::vector<MicroResult> results{};
};

// An Error where the device serves none of the launches, or `only` names nothing.
Result<Calibration> calibrate(measure::Device& device, const CalibrateRequest& request);

// Asked in a process of its own, as all that touches the driver.
Result<GpuShape> describe_gpu(unsigned device);

// "l1.*" means "l1.latency".
bool matches(std::string_view pattern, std::string_view name);

}  // namespace burin::gpu
