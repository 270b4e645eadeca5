// The paper's sensitivity analysis on its own model: `burin explain --model saake`.
#include <algorithm>

#include "analyze/explain.h"
#include "base/format.h"
#include "timing/saake/saake.h"

namespace burin::analyze {

namespace {

constexpr double kMinSaakeShare = 0.05;  // rows with a smaller share are not split over regions

// Whether the model has the resource. It issues one instruction per scheduler and cycle, and has
// neither instruction fetch nor block dispatch.
bool in_model(const timing::SaakeLaunch& launch, machine::Resource resource) {
  return resource != machine::Resource::kIssue &&
         launch.base().busy[static_cast<std::size_t>(resource)] > 0;
}

Sensitivity row_of(const timing::SaakeLaunch& launch, const machine::Machine& machine,
                   machine::Resource resource, Mode mode, double step) {
  Sensitivity row{.resource = resource, .mode = mode};
  if (!in_model(launch, resource)) return row;
  row.measured = (launch.slowdown(changed(machine, {resource, mode, 1 + step})) - 1) / step;
  row.share = std::clamp(row.measured, 0.0, 1.0);
  row.samples = {row.measured};
  row.replayed = true;
  return row;
}

void split_by_region(const timing::SaakeLaunch& launch, const machine::Machine& machine,
                     double step, const Regions& regions, Sensitivity& row) {
  const machine::Machine slower = changed(machine, {row.resource, row.mode, 1 + step});
  row.interaction = row.share;
  for (const std::size_t region : regions.top) {
    const double share = (launch.slowdown(slower, &regions.list[region].instructions) - 1) / step;
    row.regions.push_back({.region = region, .share = share});
    row.interaction -= share;
  }
}

}  // namespace

Result<Explanation> explain_saake(const read::Kernel& kernel, const launch::Launch& launch,
                                  const machine::Machine& machine, const ExplainOptions& options,
                                  const std::vector<WhatIf>& what_ifs) {
  if (options.ladder) {
    return Error{"--ladder needs burin's own model; leave --model out", Exit::kUsage};
  }
  for (const WhatIf& what_if : what_ifs) {
    if (!what_if.retrace && what_if.issue_slots == 1) continue;
    return Error{fmt::format("--what-if {}: the SAAKE model takes latencies and throughputs of "
                             "units only; leave --model out",
                             what_if.text),
                 Exit::kUsage};
  }
  const Result<std::unique_ptr<timing::SaakeLaunch>> opened =
      timing::SaakeLaunch::open(kernel, launch, machine, options.predict);
  if (!opened) return opened.error();
  const timing::SaakeLaunch& model = **opened;
  Explanation why;
  why.prediction = model.base();
  Result<Regions> regions = regions_of(model.kernel(), why.prediction, options.regions);
  if (!regions) return regions.error();
  why.regions = std::move(*regions);
  for (std::size_t r = 0; r < machine::kResources; ++r) {
    for (const Mode mode : kModes) {
      why.limits.rows.push_back(
          row_of(model, machine, static_cast<machine::Resource>(r), mode, options.step));
    }
  }
  std::ranges::stable_sort(why.limits.rows, std::ranges::greater(), &Sensitivity::share);
  choose_limiters(why.prediction.time_us, why.limits);
  for (Sensitivity& row : why.limits.rows) {
    if (options.split && row.share >= kMinSaakeShare) {
      split_by_region(model, machine, options.step, why.regions, row);
    }
  }
  for (const WhatIf& what_if : what_ifs) {
    WhatIfTime& time = why.what_ifs.emplace_back(what_if.text, why.prediction);
    time.prediction.time_us *= model.slowdown(what_if.machine);
  }
  return why;
}

}  // namespace burin::analyze
