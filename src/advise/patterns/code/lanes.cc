#include "advise/patterns/code/lanes.h"

namespace burin::advise {

namespace {

void add(const timing::BlockTrace& trace, std::vector<LaneMean>& sums) {
  for (std::size_t i = 0; i < trace.lanes.size() && i < sums.size(); ++i) {
    sums[i].executions += static_cast<double>(trace.lanes[i].executions);
    sums[i].active += static_cast<double>(trace.lanes[i].active);
    sums[i].guarded += static_cast<double>(trace.lanes[i].guarded);
  }
}

}  // namespace

std::vector<LaneMean> lanes_of(const analyze::Study& study) {
  const timing::TracedLaunch& traced = study.traced();
  std::vector<LaneMean> means(study.kernel().instructions.size());
  add(traced.reference, means);
  for (const timing::TracedWindow& window : traced.windows) {
    for (const timing::BlockTrace& trace : window.traces) add(trace, means);
  }
  for (LaneMean& mean : means) {
    if (mean.executions <= 0) continue;
    mean.active /= mean.executions;
    mean.guarded /= mean.executions;
  }
  return means;
}

}  // namespace burin::advise
