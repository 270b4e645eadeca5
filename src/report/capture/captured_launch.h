// One launch of a capture in full, and host call stacks in the folded form that flame graphs take.
//
//   launch 17 of app.burin: transpose(float*, int)
//   time          1.20 ms from 20.1 ms on
//   shape         grid 256,256,1, block 32,8,1, 4224 bytes of dynamic shared memory
//   argument 0    buf:268435456:at=0x7fc5cb600000
//   called from   main (app)
//                 run(Options const&) (libapp.so)
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
  std::vector<capture::CapturedFrame> stack;  // the innermost first
};

void write_captured_launch(Output& out, const CapturedLaunchReport& report);
void write_captured_launch_json(Json& json, const CapturedLaunchReport& report);

// "main;run(Options const&);transpose(float*, int)" to the time of the launches from there, in ns,
// or to their number where nothing has a time. Launches without a stack stand under the kernel
// alone.
Result<std::map<std::string, std::uint64_t>> folded_stacks(const capture::Capture& capture);

// "run(Options const&)", or "libapp.so+0x1140" where there is no symbol.
std::string frame_name(const capture::CapturedFrame& frame);

}  // namespace burin::report
