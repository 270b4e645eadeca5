// Why a launch takes the time it takes: everything that `burin explain` reports.
//
//   Result<Explanation> why = explain(kernel, launch, machine, options);
//   why->limits.limiters            the resources that limit it
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyze/bounds/bounds.h"
#include "analyze/code/regions.h"
#include "analyze/critical_path.h"
#include "analyze/ladder.h"
#include "analyze/limiter.h"
#include "analyze/sensitivity/sensitivity.h"
#include "analyze/study/study.h"
#include "analyze/what_if.h"
#include "base/result.h"

namespace burin::analyze {

struct ExplainOptions {
  timing::PredictOptions predict{};
  double step = 0.2;
  bool split = true;                   // split sensitivities over regions
  std::vector<RegionLines> regions{};  // empty: find regions automatically
  std::vector<std::string> what_ifs{};
  bool ladder = false;
};

struct WhatIfTime {
  std::string text;
  timing::Prediction prediction;
};

struct Explanation {
  timing::Prediction prediction;
  Regions regions;
  Limits limits;  // sensitivities, lower bounds, and what limits the launch
  Roofline roofline;
  CriticalPath path;
  std::vector<WhatIfTime> what_ifs;
  std::vector<Rung> ladder;
};

// With --model saake, the explanation is the paper's own analysis on its own model: sensitivities
// by resource and region, and what-ifs; no lower bounds, no critical path.
Result<Explanation> explain(const read::Kernel& kernel, const launch::Launch& launch,
                            const machine::Machine& machine, const ExplainOptions& options);
Result<Explanation> explain_saake(const read::Kernel& kernel, const launch::Launch& launch,
                                  const machine::Machine& machine, const ExplainOptions& options,
                                  const std::vector<WhatIf>& what_ifs);

// Returns the regions that the user names or, if none is named, those found in the code.
Result<Regions> regions_of(const read::Kernel& kernel, const timing::Prediction& prediction,
                           const std::vector<RegionLines>& named);

}  // namespace burin::analyze
