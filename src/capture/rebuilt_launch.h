// Rebuilds a captured launch so that it can be launched again: the arguments with their original
// bytes, and the allocations they point into at their original addresses, so that pointers inside
// structures, tensor maps and memory itself remain valid.
//
//   Result<RebuiltLaunch> rebuilt = rebuild_launch(capture, launch, function);
//   Result<Run> run = emulate(kernel, rebuilt->launch, {});
//   check_memory(*run, rebuilt->expected[0]) …
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "capture/capture.h"
#include "launch/expected_memory.h"
#include "launch/launch.h"

namespace burin::capture {

struct RebuiltLaunch {
  launch::Launch launch;
  std::vector<launch::ExpectedMemory>
      expected;                    // empty: the capture has no memory contents for the launch
  std::vector<std::string> notes;  // caveats to show with a result
};

// Returns an Error if the arguments are unknown or do not fit the kernel, or if the launch is of a
// kind that cannot be repeated.
Result<RebuiltLaunch> rebuild_launch(const Capture& capture, const CapturedLaunch& launch,
                                     const read::Function& kernel);

// CAPTURE[:LAUNCH] on a command line: the file name, and the text after the last colon that is not
// part of the file name, or "" if there is none.
struct CaptureName {
  std::string file;
  std::string launch;
};
CaptureName parse_capture_name(const std::string& text);

// Finds the launch that LAUNCH names: a number as listed by `burin inspect`, or a kernel name (or
// part of it), with #K for its K-th launch: 17, saxpy, saxpy#3. "" means the only launch.
Result<const CapturedLaunch*> find_launch(const Capture& capture, const std::string& which);

}  // namespace burin::capture
