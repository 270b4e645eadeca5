// One launch of a capture in full, and host call stacks in the folded format of flame graphs.
//
//   launch 17 of app.burin: transpose(float*, int)
//   time          1.20 ms
//   shape         grid 256,256,1, block 32,8,1, 4224 bytes of dynamic shared memory
//   argument 0    0x7fc5cb600000, byte 0 of 256 MiB
//   called from   run(Options const&) (libapp.so)
//                 main (app)
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "capture/capture.h"
#include "report/write/json.h"
#include "report/write/output.h"

namespace burin::report {

struct CapturedLaunchReport {
  const capture::Capture& capture;
  const capture::CapturedLaunch& launch;
  capture::CapturedArguments arguments;
  std::vector<capture::CapturedFrame> stack;  // innermost frame first
};

void write_captured_launch(Output& out, const CapturedLaunchReport& report);
void write_captured_launch_json(Json& json, const CapturedLaunchReport& report);

// Maps each folded stack, e.g. "main;run(Options const&);transpose(float*, int)", to the total time
// in ns of the launches made from it, or to their number if no launch has a time. Launches without
// a stack are listed under the kernel alone.
Result<std::map<std::string, std::uint64_t>> folded_stacks(const capture::Capture& capture);

// Returns "run(Options const&)", or "libapp.so+0x1140" without a symbol.
std::string frame_name(const capture::CapturedFrame& frame);

}  // namespace burin::report
