// The same launch on a GPU of this computer, for `burin run --device cuda:0`.
#pragma once

#include <span>
#include <string>

#include "base/bytes.h"
#include "base/result.h"
#include "emulate/run.h"
#include "launch/launch.h"
#include "launch/options.h"
#include "report/json.h"
#include "report/output.h"

namespace burin {

struct DeviceRunOptions {
  std::string device;      // "cuda:0"
  unsigned launches = 20;  // timed
  bool warm = false;       // caches keep what the launch before left
  double limit_seconds = 120;
};

struct DeviceRun {
  bool agrees = false;  // every buffer is what the emulator left, or within its tolerance
};

// `cubin` holds the kernel; `emulated` is what the outputs are compared with.
Result<DeviceRun> run_on_device(Bytes cubin, const Function& kernel, const Launch& launch,
                                const Run& emulated, std::span<const ExpectedFile> tolerances,
                                const DeviceRunOptions& options);

void write_device_run(Output& out, const DeviceRun& run);
void write_device_run_json(Json& json, const DeviceRun& run);  // the field "device"

}  // namespace burin
