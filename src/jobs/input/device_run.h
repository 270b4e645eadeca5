// The same launch on a GPU of this computer, for `burin run --device cuda:0`: timed, and its
// buffers compared with what the emulator left.
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

struct DeviceRunOptions {
  std::string device;        // "cuda:0"
  unsigned launches = 20;    // timed
  bool cooperative = false;  // all blocks are on the GPU at once
  bool warm = false;         // the L2 cache holds the buffers, as far as they fit
  double limit_seconds = 120;
};

struct DeviceRun {
  std::string device;  // "cuda:0"
  measure::DeviceResult result;
  std::vector<emulate::CheckedOutput> buffers{};  // the emulator's, against the GPU's
  bool compared = false;                          // the buffers were looked at
  bool agrees = false;  // all that the emulator knows is what the GPU left, or within tolerance
};

// Only the times: no buffer is looked at.
Result<DeviceRun> time_on_device(Bytes cubin, const read::Function& kernel,
                                 const launch::Launch& launch, const DeviceRunOptions& options);

// An Error, of wrong usage, where `options` name no device or too few or many launches: to be told
// before any work is done. The device's number.
Result<unsigned> check_device_options(const DeviceRunOptions& options);

// `cubin` holds the kernel; `emulated` is what the outputs are compared with, bit for bit save
// where one of `tolerances` speaks of the buffer. Launches below 20 are wrong usage.
Result<DeviceRun> run_on_device(Bytes cubin, const read::Function& kernel,
                                const launch::Launch& launch, const emulate::Run& emulated,
                                std::span<const launch::ExpectedFile> tolerances,
                                const DeviceRunOptions& options);

// The same over any device.
Result<DeviceRun> run_on_device(measure::Device& device, Bytes cubin, const read::Function& kernel,
                                const launch::Launch& launch, const emulate::Run& emulated,
                                std::span<const launch::ExpectedFile> tolerances,
                                const DeviceRunOptions& options);

}  // namespace burin::jobs
