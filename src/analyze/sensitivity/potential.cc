#include "analyze/sensitivity/potential.h"

#include <algorithm>
#include <cmath>

namespace burin::analyze {

namespace {

constexpr double kLatencyPart = 0.5;  // of the waits for memory, for each of its latencies

}  // namespace

Potential::Potential(const Study& study)
    : base_(study.base()), code_(timing::timed_code(study.kernel(), study.machine())) {
  for (const timing::Blame& blame : base_.blames) {
    if (blame.cause >= code_.size()) continue;
    const machine::Resource cause = code_[blame.cause].resource;
    waited_[static_cast<std::size_t>(cause)] += blame.cycles.sum();
  }
  const timing::TracedLaunch& traced = study.traced();
  const double rounds =
      std::ceil(static_cast<double>(traced.share.count) / static_cast<double>(traced.resident));
  const auto& dispatch = study.machine().dispatch;
  dispatch_ = (dispatch.launch + rounds * dispatch.latency) / base_.cycles;
  const machine::Machine& machine = study.machine();
  const double sms = std::min(machine.sm.count, static_cast<double>(study.launch().grid.total()));
  if (machine.bulk.tma_bandwidth > 0) {
    bulk_copies_ = base_.bulk_bytes / machine.bulk.tma_bandwidth / sms / base_.cycles;
  }
}

double Potential::of(machine::Resource resource, Mode mode) const {
  const bool latency = mode == Mode::kLatency;
  switch (resource) {
    case machine::Resource::kIssue:
      return latency ? stalled(launch::Stall::kBranchResolving) : 1;
    case machine::Resource::kFetch:
      return stalled(launch::Stall::kNoInstruction);
    case machine::Resource::kConstant:
      return std::max(stalled(launch::Stall::kImcMiss),
                      latency ? waited(resource) : busy(resource));
    case machine::Resource::kBarrier:
      return latency ? stalled(launch::Stall::kBarrier) : busy(resource);
    case machine::Resource::kDispatch:
      return latency ? dispatch_ : busy(resource);
    case machine::Resource::kL1:
      if (!latency) return std::max(busy(resource), bulk_copies_);
      [[fallthrough]];
    case machine::Resource::kL2:
    case machine::Resource::kDram:
    case machine::Resource::kShared:
    case machine::Resource::kLsu:
      // Such a wait has no recorded unit, and includes queueing.
      return latency && busy(resource) > 0 ? kLatencyPart * std::min(1.0, waited_for_memory())
                                           : busy(resource);
    default:
      return latency ? waited(resource) : busy(resource);
  }
}

bool Potential::is_used(machine::Resource resource) const {
  return busy(resource) > 0 || of(resource, Mode::kLatency) > 0 ||
         of(resource, Mode::kThroughput) > 0;
}

double Potential::waited_for_memory() const {
  return waited(machine::Resource::kLsu) + waited(machine::Resource::kShared) +
         stalled(launch::Stall::kBarrier) + stalled(launch::Stall::kDrain) +
         stalled(launch::Stall::kLgThrottle) + stalled(launch::Stall::kMioThrottle);
}

double Potential::of_warp_cycles(double cycles) const {
  return base_.warp_cycles > 0 ? cycles / base_.warp_cycles : 0;
}

double Potential::stalled(launch::Stall stall) const {
  return of_warp_cycles(base_.stalls[static_cast<std::size_t>(stall)].sum());
}

}  // namespace burin::analyze
