// Runs microbenchmarks (micro/micro.h) on a GPU and derives machine file entries from the results.
//
//   Result<GpuShape> gpu = describe_gpu(0);
//   WorkerDevice device(path_of_this_program());
//   Result<Calibration> done = calibrate(device, {.gpu = *gpu, .machine = *load_machine("h200")});
//   for (const Settled& settled : done->settled) …
//
// A microbenchmark settles nothing if it does not compile, its code is not as intended, or one of
// its launches fails. MicroResult::refused says why; the other microbenchmarks continue.
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
  machine::Machine machine{};       // values that are not measured are taken from here
  std::vector<std::string> only{};  // entries or microbenchmarks; `*` matches any text; none: all
  // Progress callback: "compiling", 3, 40.
  std::function<void(std::string_view doing, std::size_t done, std::size_t all)> progress{};
};

struct MicroResult {
  std::string name;
  std::string what;
  std::string refused{};  // why it settled nothing, or not everything; "" if it did
  Readings readings{};
  std::vector<MicroLaunch> launches{};
  std::vector<Settled> settled{};
};

struct Calibration {
  machine::Machine machine;  // includes the settled values and their sources
  std::string gpu{}, architecture{}, driver{};
  std::string toolkit{};            // "ptxas 13.0"
  std::vector<double> clock_mhz{};  // SM clock during the timed launches, MHz
  std::vector<MicroResult> results{};
};

// Runs the calibration. Returns an Error if no launch succeeds or if `only` matches nothing.
Result<Calibration> calibrate(measure::Device& device, const CalibrateRequest& request);

// Describes the GPU. Runs in its own process, like everything that calls the driver.
Result<GpuShape> describe_gpu(unsigned device);

// True if `name` matches `pattern`: "l1.*" matches "l1.latency".
bool matches(std::string_view pattern, std::string_view name);

}  // namespace burin::gpu
