// Which GPUs take which machine code.
#pragma once

#include "read/architecture.h"

namespace burin::read {

// True where a GPU of architecture `gpu` runs machine code made for `code`: of the same or an older
// architecture of its generation (sm_80 on sm_86, not on sm_90); code for one chip (sm_90a) only on
// that.
bool runs_on(Architecture code, Architecture gpu);

}  // namespace burin::read
