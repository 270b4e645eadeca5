// `burin diff`: the differences between two binaries, two builds of one launch, or two captures.
//
//   Result<std::unique_ptr<DiffResult>> result = compare_builds(request, progress);
//   (*result)->diff->kernels, (*result)->crossed
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "advise/compare/diff.h"
#include "base/result.h"
#include "jobs/advise_launch.h"
#include "jobs/input/predict_request.h"
#include "jobs/input/progress.h"

namespace burin::jobs {

struct DiffRequest {
  std::string before, after;
  PredictRequest command{};    // without FILE; describes a launch if --grid is given
  std::string after_kernel{};  // the kernel's name in `after`, if different
  // Launches of kernels of both builds, each with its own --kernel: these are predicted, and all
  // other kernels are compared as they are.
  std::vector<PredictRequest> launches{};
  bool predict = false;  // also predict captured launches
  bool average_path = false;
  std::vector<std::string> gates{};  // thresholds in the syntax of --fail-on
};

using DiffSides = std::pair<advise::DiffSide, advise::DiffSide>;

struct DiffResult {
  DiffResult(DiffSides sides_, const DiffRequest& request);
  DiffResult(const DiffResult&) = delete;  // its members point to each other
  DiffResult& operator=(const DiffResult&) = delete;

  DiffSides sides;
  read::SourceText before_source, after_source;
  std::optional<advise::Diff> diff;
  std::vector<advise::Crossing> crossed;  // crossed gates
};

// `burin diff A B`: compares two binaries, one launch with the code of each, or two captures.
Result<std::unique_ptr<DiffResult>> compare_builds(const DiffRequest& request,
                                                   const Progress& progress);

}  // namespace burin::jobs
