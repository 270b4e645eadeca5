// `burin advise`: what to change in a kernel, on which line, and the expected gain; for one launch,
// or for the hottest kernels of a capture.
//
//   Result<std::unique_ptr<PreparedAdvice>> prepared = prepare_advice(request);
//   Result<AdvisedLaunches> advised = advise_launches(request, **prepared, progress);
//   crossings(**prepared, *advised)
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "advise/compare/advice_record.h"
#include "advise/compare/gate.h"
#include "base/result.h"
#include "jobs/advise_launch.h"
#include "jobs/input/predict_request.h"
#include "jobs/input/progress.h"

namespace burin::jobs {

struct AdviseRequest {
  PredictRequest predict{};
  std::string cubin{};
  std::optional<std::size_t> top{};
  std::size_t kernels = 5;
  std::vector<std::string> only{};
  std::vector<std::string> without{};
  std::vector<std::string> libraries{};
  bool average_path = false;
  bool samples_only = false;
  bool causes = false;  // the causes of the stalls, before and after pruning, instead of advice
  std::optional<double> budget{};
  std::vector<std::string> gates{};
  std::string baseline{};
  bool try_changes = false;  // compile and predict changes; the input is CUDA source
  double try_seconds = 30;   // time for that
  std::string fix{};         // path of a patch with the changes that gain; "-": standard output
  bool plan = false;         // the findings one after the other, and how far that gets
};

// The built-in rules, the user's rules and the thresholds: everything that can be rejected before
// any work starts.
struct PreparedAdvice {
  LaunchAdviceOptions request;
  std::vector<const advise::Rule*> rules;
  std::vector<advise::Gate> gates;
  std::optional<std::vector<advise::AdviceRecord>> baseline;
};
Result<std::unique_ptr<PreparedAdvice>> prepare_advice(const AdviseRequest& request);

struct AdvisedLaunches {
  std::vector<std::unique_ptr<AdvisedLaunch>> launches;  // at least one
  std::vector<std::string> problems;  // why other kernels of the capture have no advice
};
// Advises on the requested launches. `prepared` must outlive the result.
Result<AdvisedLaunches> advise_launches(const AdviseRequest& request,
                                        const PreparedAdvice& prepared, const Progress& progress);

// Returns the thresholds that the advice crosses.
std::vector<advise::Crossing> crossings(const PreparedAdvice& prepared,
                                        const AdvisedLaunches& advised);

}  // namespace burin::jobs
