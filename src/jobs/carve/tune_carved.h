// `burin tune --carve`: carving first, then a search among what it keeps.
#pragma once

#include "base/result.h"
#include "jobs/tune/tune_kernel.h"

namespace burin::jobs {

// Like tune_kernel(), with TuneRequest::only filled in. A note says how many configurations are
// left.
Result<TunedKernel> tune_carved(const TuneRequest& request, const TuneEvents& events);

}  // namespace burin::jobs
