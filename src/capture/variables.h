// What the variables of a captured launch's module held, and where they lay: `__device__` ones at
// the addresses they had, as pointers to them may be anywhere in memory, `__constant__` ones in
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

// Into `to`, which rebuild_launch made. False where the capture has none of them.
Result<bool> rebuild_variables(const Capture& capture, const CapturedLaunch& launch,
                               const read::Image& image, launch::Launch& to);

}  // namespace burin::capture
