// `burin explain`: which resource limits a launch, where in the code, and what-if predictions.
//
//   Result<std::unique_ptr<ExplainedLaunch>> e = explain_launch(request, progress);
//   (*e)->explanation
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "analyze/explain.h"
#include "base/result.h"
#include "jobs/input/launch_on_machine.h"
#include "jobs/input/predict_request.h"
#include "jobs/input/progress.h"

namespace burin::jobs {

struct ExplainRequest {
  PredictRequest predict{};
  std::string step{};  // percent; "": 20
  std::vector<std::string> regions{};
  std::vector<std::string> what_ifs{};
  std::uint32_t seed = 0;
  bool no_regions = false;
  bool ladder = false;
};

struct ExplainedLaunch {
  analyze::ExplainOptions options;
  LaunchOnMachine on;
  analyze::Explanation explanation;
};

Result<std::unique_ptr<ExplainedLaunch>> explain_launch(const ExplainRequest& request,
                                                        const Progress& progress);

}  // namespace burin::jobs
