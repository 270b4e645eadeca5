// What limits a launch: the one answer that explain and advise both give.
//
//   Limits found = limits(study, {});
//   found.limiters        {0}: the first row of found.rows limits the launch
//
// A unit whose lower bound is nearly the predicted time limits the launch, whatever its other
// sensitivities: improving anything else gains nothing. Otherwise the rows with the largest share
// limit it, several if they cannot be ranked, and none if all shares are small.
#pragma once

#include <cstddef>
#include <vector>

#include "analyze/bounds/bounds.h"
#include "analyze/sensitivity/sensitivity.h"
#include "analyze/study/study.h"

namespace burin::analyze {

struct Limits {
  std::vector<Sensitivity> rows;      // largest share first
  std::vector<Bound> bounds;          // largest first
  std::vector<std::size_t> limiters;  // indices of `rows`; several cannot be ranked; empty: none
  bool saturated = false;             // the limiter's lower bound is nearly the predicted time
  double bound_share = 0;             // that bound as a share of the predicted time
};

Limits limits(const Study& study, const SensitivityOptions& options = {});

// The decision alone: sets `limiters`, `saturated` and `bound_share`.
void choose_limiters(double time_us, Limits& limits);

}  // namespace burin::analyze
