// An estimate of each resource's influence on a launch's time, from counts of the unchanged launch.
// No replay is needed. The estimate decides which resources are examined first, not which are
// skipped: queueing in the memory system is not counted as busy time, and a wait can have several
// causes.
//
//   const Potential potential(study);
//   potential.of(machine::Resource::kDram, Mode::kThroughput)   // 0.93: busy 93 % of the time
#pragma once

#include <array>
#include <vector>

#include "analyze/study/change.h"
#include "analyze/study/study.h"
#include "timing/code/timed_code.h"

namespace burin::analyze {

class Potential {
 public:
  explicit Potential(const Study& study);  // `study` must outlive this object

  // The share of the time in which a resource is busy (throughput), or of the warp-cycles that are
  // spent waiting for it (latency).
  double of(machine::Resource resource, Mode mode) const;
  // False if the launch never uses the resource: no change of it can matter.
  bool is_used(machine::Resource resource) const;

 private:
  double waited_for_memory() const;
  double busy(machine::Resource r) const { return base_.busy[static_cast<std::size_t>(r)]; }
  double of_warp_cycles(double cycles) const;
  double stalled(launch::Stall stall) const;
  double waited(machine::Resource r) const {
    return of_warp_cycles(waited_[static_cast<std::size_t>(r)]);
  }

  const timing::Prediction& base_;
  std::vector<timing::TimedOp> code_;
  std::array<double, machine::kResources> waited_{};
  double dispatch_ = 0;
  double bulk_copies_ = 0;  // share of the time in which the SMs' copy engines are busy
};

}  // namespace burin::analyze
