// `burin tune --at-saturation`: the search runs where a launch is short, at a problem size at which
// the device is about saturated; its best configurations climb from size to size, fewer each time,
// and the fastest at the target wins.
//
//   Result<TunedAtSaturation> tuned = tune_at_saturation({.tune = request}, events);
//   tuned->winner()->best_time_us()      at the target
//   tuned->savings.speedup()             12.5: tuning at the target takes 12.5 times the kernel
//   time
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "jobs/saturate/saturate_kernel.h"
#include "model/saturate/savings.h"

namespace burin::jobs {

struct TunedAtSaturation {
  SaturatedKernel curve{};
  // The search, then the survivors at each larger size. The last one is at the target, unless
  // nothing worked or the user interrupted.
  std::vector<TunedKernel> rungs{};
  model::Savings savings{};
  bool savings_known = false;  // some configuration ran at the smallest size and at the target
  std::vector<std::string> written{};

  bool at_target() const { return rungs.size() == 1; }  // the search ran at the target itself
  // The run at the target; null if nothing worked there.
  const TunedRun* winner() const;
};

// `request.tune` is that of `burin tune`.
Result<TunedAtSaturation> tune_at_saturation(const SaturateRequest& request,
                                             const TuneEvents& events);

}  // namespace burin::jobs
