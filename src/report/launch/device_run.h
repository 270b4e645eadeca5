// The result of a launch on a GPU: of this computer now, or when it was recorded.
//
//   on cuda:0 (NVIDIA H200, driver 580.65.06): 12.45 µs, median of 20 launches; interquartile range
//   12.38 to 12.51 µs, 1980 MHz, caches flushed
//   3 buffers match the emulator's result bit for bit
#pragma once

#include "jobs/input/device_run.h"
#include "jobs/input/launch_request.h"
#include "report/write/json.h"
#include "report/write/output.h"

namespace burin::report {

void write_device_run(Output& out, const jobs::DeviceRun& run);
// "recorded      12.4 µs by launch 17 of app.burin on NVIDIA H200"; nothing if no time was
// recorded.
void write_recorded(Output& out, const jobs::CapturedFacts& captured);
void write_device_run_json(Json& json, const jobs::DeviceRun& run);  // the field "device"

}  // namespace burin::report
