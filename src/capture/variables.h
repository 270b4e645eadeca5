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

// Adds the variables to `to`, which rebuild_launch made. Returns false if the capture has none.
Result<bool> rebuild_variables(const Capture& capture, const CapturedLaunch& launch,
                               const read::Image& image, launch::Launch& to);

}  // namespace burin::capture
