// The files that `burin tune` writes when it has ended: all trials in formats of other tools
// (--export), and the winning constants for the application (--emit).
#pragma once

#include "base/result.h"
#include "jobs/tune/tune_kernel.h"

namespace burin::jobs {

// Checks before any work that the files can be written.
Result<void> check_tune_outputs(const TuneRequest& request);

// Checks before anything is measured, once kernel and problem sizes are known, that the files may
// be written under the names that follow from them, and that the spec gives what --emit asks for.
Result<void> check_emitted(const TuneRequest& request, const TunedKernel& tuned);

// Writes them, and adds their names to `tuned.written`.
Result<void> write_tune_outputs(const TuneRequest& request, TunedKernel& tuned);

}  // namespace burin::jobs
