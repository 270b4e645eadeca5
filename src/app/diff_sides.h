// The two sides of `burin diff`: what is compared of two files, two launches or two captures.
#pragma once

#include <string>
#include <utility>

#include "app/advised_launch.h"
#include "app/cli.h"
#include "app/predict_options.h"
#include "base/result.h"
#include "report/diff.h"

namespace burin {

struct DiffRequest {
  std::string before, after;
  PredictCommand command{};    // FILE is left out; a launch where --grid is given
  std::string after_kernel{};  // of a launch, where it has another name in `after`
  bool predict = false;        // captured launches too
  AdviseRequest advise{};
};

using DiffSides = std::pair<DiffSide, DiffSide>;

// Every kernel of two binaries, for the newest architecture that both have.
Result<DiffSides> binary_sides(const DiffRequest& request, Context& context);

// One launch, with the code of either file: time, stalls and advice as the emulator tells them.
Result<DiffSides> launch_sides(const DiffRequest& request, Context& context);

// The kernels of two captures: measured times, stalls and advice as the samples tell them.
Result<DiffSides> capture_sides(const DiffRequest& request, Context& context);

}  // namespace burin
