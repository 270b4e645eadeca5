// The tables of a capture file. docs/capture.md tells what they are for those who ask with SQL.
#pragma once

#include "store/database.h"

namespace burin::capture {

extern const store::FileKind kCaptureFile;

}  // namespace burin::capture
