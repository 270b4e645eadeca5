#include <algorithm>

#include "analyze/code/code_place.h"
#include "api/burin.h"
#include "jobs/advise.h"
#include "jobs/predict_launch.h"
#include "machine/timing_class.h"

namespace burin::api {
namespace {

jobs::PredictRequest request_of(const Launch& launch) {
  jobs::PredictRequest request;
  request.launch.source.file = launch.file;
  if (!launch.kernel.empty()) request.launch.source.kernel = launch.kernel;
  request.launch.source.flags = launch.nvcc_flags;
  request.launch.grid = launch.grid;
  request.launch.block = launch.block;
  request.launch.shared_bytes = launch.shared_bytes;
  request.launch.arguments = launch.arguments;
  request.machine = launch.machine;
  request.warm = launch.warm;
  return request;
}

void keep_largest_first(std::vector<Share>& shares) {
  std::erase_if(shares, [](const Share& each) { return each.share <= 0; });
  std::ranges::stable_sort(shares, std::greater<>(), &Share::share);
}

Prediction prediction_of(const timing::Prediction& p, const machine::Machine& machine) {
  Prediction made{.machine = machine.name,
                  .time_us = p.time_us,
                  .low_us = p.certainty.low_us,
                  .high_us = p.certainty.high_us,
                  .defer = p.certainty.reason,
                  .occupancy = static_cast<double>(p.occupancy.warps) / machine.limit.warps};
  for (std::size_t k = 0; k < machine::kResources; ++k) {
    made.busy.push_back({std::string(machine::name(static_cast<machine::Resource>(k))), p.busy[k]});
  }
  for (std::size_t k = 0; k < launch::kStalls && p.warp_cycles > 0; ++k) {
    made.stalls.push_back({std::string(launch::name(static_cast<launch::Stall>(k))),
                           p.stalls[k].sum() / p.warp_cycles});
  }
  keep_largest_first(made.busy);
  keep_largest_first(made.stalls);
  return made;
}

Finding finding_of(const advise::Finding& finding, const read::Kernel& kernel) {
  Finding made{.rule = finding.rule, .speedup = finding.speedup};
  if (finding.where != read::kNoIndex) {
    const analyze::CodePlace place = analyze::code_place(kernel, finding.where);
    made.file = place.file;
    made.line = place.line;
  }
  made.text = finding.text;
  made.hint = finding.hint;
  return made;
}

}  // namespace

Result<Prediction> predict(const Launch& launch) {
  const Result<std::unique_ptr<jobs::PredictedLaunch>> predicted =
      jobs::predict_launch(request_of(launch), {});
  if (!predicted) return predicted.error();
  return prediction_of((*predicted)->prediction, (*predicted)->on.machine);
}

Result<Advice> advise(const Launch& launch) {
  const jobs::AdviseRequest request{.predict = request_of(launch)};
  const Result<std::unique_ptr<jobs::PreparedAdvice>> prepared = jobs::prepare_advice(request);
  if (!prepared) return prepared.error();
  const Result<jobs::AdvisedLaunches> advised = jobs::advise_launches(request, **prepared, {});
  if (!advised) return advised.error();
  const jobs::AdvisedLaunch& first = *advised->launches.front();
  Advice advice;
  if (first.study != nullptr) {
    advice.prediction = prediction_of(first.study->base(), first.input.machine);
  }
  for (const advise::Finding& finding : first.advice.findings) {
    advice.findings.push_back(finding_of(finding, first.given->kernel));
  }
  return advice;
}

}  // namespace burin::api
