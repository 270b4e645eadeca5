// The tables of a capture file. docs/capture.md describes them for users who query with SQL.
#pragma once

#include "store/database.h"

namespace burin::capture {

extern const store::FileKind kCaptureFile;

}  // namespace burin::capture
