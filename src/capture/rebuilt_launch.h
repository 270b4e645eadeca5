// A captured launch, made ready to be launched again: the arguments as the bytes they were, and the
// allocations they point into at the addresses they had, so that pointers inside of structures, of
// tensor maps and of memory itself mean what they meant.
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
      expected;                    // empty: the capture has no contents of memory for it
  std::vector<std::string> notes;  // what the reader of a result should know
};

// An Error where the arguments are not known, do not fit the kernel, or the launch is of a kind
// that cannot be repeated.
Result<RebuiltLaunch> rebuild_launch(const Capture& capture, const CapturedLaunch& launch,
                                     const read::Function& kernel);

// CAPTURE[:LAUNCH] of a command line: the file, and what stands behind the last colon that is not
// part of its name. "" where nothing does.
struct CaptureName {
  std::string file;
  std::string launch;
};
CaptureName parse_capture_name(const std::string& text);

// The launch that LAUNCH means: a number as `burin inspect` lists them, or a kernel's name (or part
// of it), and #K for its K-th launch: 17, saxpy, saxpy#3. "" means the only one.
Result<const CapturedLaunch*> find_launch(const Capture& capture, const std::string& which);

}  // namespace burin::capture
