// How `burin tune` ends.
#pragma once

#include "base/result.h"
#include "jobs/tune/tune_kernel.h"

namespace burin::jobs {

// kDone if a configuration worked in each run. Where none did: kInput if the spec or the source is
// to blame for all of them, kDevice if a device may be.
Exit exit_of(const TunedKernel& tuned);

}  // namespace burin::jobs
