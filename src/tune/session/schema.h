// The tables of a session file.
#pragma once

#include "store/database.h"

namespace burin::tune {

extern const store::FileKind kSessionFile;

}  // namespace burin::tune
