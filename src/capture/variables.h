// Rebuilds the variables of a captured launch's module: `__device__` variables at their original
// addresses, because pointers to them may be anywhere in memory, and `__constant__` variables in
// their bank.
//
//   Result<RebuiltLaunch> rebuilt = rebuild_launch(capture, launch, function);
//   Result<bool> known = rebuild_variables(capture, launch, image, rebuilt->launch);
#pragma once

#include "base/result.h"
#include "capture/capture.h"
#include "launch/launch.h"
#include "read/binary/image.h"

namespace burin::capture {

// Adds the variables to `to`, which rebuild_launch made. A launch without memory of its own gets
// the constants that were last recorded for its module. Returns false if the capture has none.
Result<bool> rebuild_variables(const Capture& capture, const CapturedLaunch& launch,
                               const read::Image& image, launch::Launch& to);

// The variables that the program has written, as a rule, and that the launch does not have: those
// whose initial value is zero throughout. The others are tables and strings, as a rule.
std::vector<read::VariablePlace> unrecorded_variables(const read::Image& image,
                                                      const launch::Launch& launch);

}  // namespace burin::capture
