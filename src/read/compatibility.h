// Binary compatibility between GPU architectures.
#pragma once

#include "read/architecture.h"

namespace burin::read {

// True if a GPU of architecture `gpu` can run machine code compiled for `code`. The code must be
// for the same or an older architecture of the same generation (sm_80 runs on sm_86, not on sm_90).
// Architecture-specific code (sm_90a) runs on that architecture only.
bool runs_on(Architecture code, Architecture gpu);

}  // namespace burin::read
