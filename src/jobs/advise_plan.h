// `burin advise --plan`: the changes in sequence. Those that burin can make itself come first,
// compiled and predicted; then the findings on the changed kernel, emulated on top of one another.
//
//   advised->plan = make_plan(*advised, steps, changed.get());
//
//   3.10 ms now; the work takes at least 0.43 ms
//   1  tried      1.60 ms  #pragma unroll 4 at k.cu:12
//   2  estimated  0.60 ms  thread-coarsening at k.cu:14
#pragma once

#include <vector>

#include "jobs/advise_launch.h"
#include "jobs/input/progress.h"

namespace burin::jobs {

// `made`: changes that were made, `changed`: the advice for the launch with them; null if there are
// none. Rules in `without` were tried and did not help.
Plan make_plan(const AdvisedLaunch& advised, const std::vector<FixStep>& made,
               const AdvisedLaunch* changed, const std::vector<std::string>& without,
               const Progress& progress);

}  // namespace burin::jobs
