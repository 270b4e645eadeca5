// `burin tune --at-saturation`: the search runs at the minimum saturation point, where a launch is
// short; the best configurations are then verified at the target, whose fastest one wins.
//
//   Result<TunedAtSaturation> tuned = tune_at_saturation({.tune = request}, events);
//   tuned->winner()->best_time_us()      at the target
//   tuned->savings.speedup()             12.5: tuning at the target takes 12.5 times the kernel
//   time
#pragma once

#include <optional>

#include "base/result.h"
#include "jobs/saturate/saturate_kernel.h"
#include "model/saturate/savings.h"

namespace burin::jobs {

struct TunedAtSaturation {
  SaturatedKernel curve{};
  bool at_target = false;  // no saturation point below the target: the search ran at the target
  TunedKernel tuned{};     // the search
  std::optional<TunedKernel> verified{};  // the finalists at the target, unless `at_target`
  model::Savings savings{};
  bool savings_known = false;  // some configuration ran at both sizes
  std::vector<std::string> written{};

  // The run at the target; null if nothing worked.
  const TunedRun* winner() const;
};

// `request.tune` is that of `burin tune`.
Result<TunedAtSaturation> tune_at_saturation(const SaturateRequest& request,
                                             const TuneEvents& events);

}  // namespace burin::jobs
