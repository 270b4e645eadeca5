// Runs the same launch on a GPU of this computer, for `burin run --device cuda:0`: times it, and
// compares its buffers with the emulator's result.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "emulate/outputs.h"
#include "emulate/run.h"
#include "launch/launch.h"
#include "launch/options.h"
#include "measure/device.h"

namespace burin::jobs {

inline constexpr unsigned kMinDeviceLaunches = 20;

struct DeviceRunOptions {
  std::string device;        // "cuda:0"
  unsigned launches = 20;    // number of timed launches
  bool cooperative = false;  // cooperative launch: all blocks are resident at once
  bool warm = false;         // buffers are in the L2 cache, as far as they fit
  double limit_seconds = 120;
};

struct DeviceRun {
  std::string device;  // "cuda:0"
  measure::DeviceResult result;
  std::vector<emulate::CheckedOutput> buffers{};  // emulator's buffers compared with the GPU's
  bool compared = false;                          // buffers were compared
  // All values known to the emulator equal the GPU's, or are within tolerance.
  bool agrees = false;
};

// Only times the launch; no buffer is compared.
Result<DeviceRun> time_on_device(Bytes cubin, const read::Function& kernel,
                                 const launch::Launch& launch, const DeviceRunOptions& options);

// Returns the device number. A usage Error if `options` name no device, or too few or too many
// launches, so that mistakes are reported before any work starts.
Result<unsigned> check_device_options(const DeviceRunOptions& options);

// Runs and times the launch, and compares its outputs. `cubin` contains the kernel. The outputs are
// compared with `emulated` bit for bit, except for buffers with an entry in `tolerances`. Fewer
// than 20 launches are a usage Error.
Result<DeviceRun> run_on_device(Bytes cubin, const read::Function& kernel,
                                const launch::Launch& launch, const emulate::Run& emulated,
                                std::span<const launch::ExpectedFile> tolerances,
                                const DeviceRunOptions& options);

// Does the same on any device.
Result<DeviceRun> run_on_device(measure::Device& device, Bytes cubin, const read::Function& kernel,
                                const launch::Launch& launch, const emulate::Run& emulated,
                                std::span<const launch::ExpectedFile> tolerances,
                                const DeviceRunOptions& options);

}  // namespace burin::jobs
