// What the guided search knows of one configuration: what it would cost on the machine, and why.
//
//   Examined e = …;                      // predicted 335 µs, DRAM 290 µs, chain 410 µs, 32 warps
//   e.bottleneck().resource              kDram
//   e.bottleneck().latency               true: DRAM is busy for 87 % of the time only
//   e.utilization(Resource::kDram)       0.87
//
// The search sees configurations through an Examiner alone, so that it runs on compiled code
// (examine.h), on recorded examinations (bench/guided.py), and in tests on made-up ones.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "machine/timing_class.h"
#include "measure/device.h"
#include "tune/space/space.h"

namespace burin::model {

struct Bottleneck {
  machine::Resource resource = machine::Resource::kIssue;
  // The resource is not busy all the time: warps wait for its results, and more of them, or more
  // independent work in each, would use it better. Else it is busy nearly all the time, and only
  // less work for it can help.
  bool latency = false;

  bool operator==(const Bottleneck&) const = default;
};

struct Examined {
  std::string failure{};  // why it does not compile or run; "" if it does
  double time_us = std::numeric_limits<double>::infinity();  // predicted, for all launches
  measure::PredictedInterval interval{};                     // of time_us
  // The closed-form estimate of carving (model/carve/metrics.h), for all launches; 0: unknown.
  double estimate_us = 0;

  // The time for which each resource is busy at its full rate: instructions times gap, passes,
  // bytes over bandwidth. It is the configuration's traffic to that resource, in time.
  std::array<double, machine::kResources> demand_us{};
  // The lower bound that dependences set: the longest warp of each block, alone on the GPU, for the
  // blocks that follow one another on an SM.
  double chain_us = 0;
  machine::Resource waits_for = machine::Resource::kIssue;  // whose results warps wait for most

  std::uint32_t warps = 0;      // resident on an SM, at the occupancy that the code allows
  std::uint32_t threads = 0;    // per block
  std::uint32_t registers = 0;  // per thread

  bool works() const { return failure.empty(); }
  // What configurations are compared by: the geometric mean of prediction and estimate. Emulation
  // and closed form err in different ways, and one that looks good to both seldom disappoints.
  double expected_us() const {
    return estimate_us > 0 ? std::sqrt(time_us * estimate_us) : time_us;
  }
  double demand(machine::Resource resource) const {
    return demand_us[static_cast<std::size_t>(resource)];
  }
  // The share of the time in which the resource is busy.
  double utilization(machine::Resource resource) const { return demand(resource) / time_us; }
  // The resource that is busy for the largest share.
  machine::Resource busiest() const;
  Bottleneck bottleneck() const;

  // The bottleneck's warps: with fewer resident ones than this, its latency shows. While the warps
  // of an SM take turns, a resource with demand D per round is always busy if D exceeds the time of
  // one warp alone; both are proportional to what they are over the whole launch.
  double warps_needed() const;
};

// A share of the time from which on a resource counts as busy all the time, as in
// analyze/limiter.h.
inline constexpr double kBusy = 0.9;

class Examiner {
 public:
  virtual ~Examiner() = default;

  // Examines points that do not depend on each other's answers, in any order and several at once;
  // answers in the order of the points. A configuration that does not work is an answer too. An
  // Error means that nothing can be examined: there is no compiler, or no source.
  virtual Result<std::vector<Examined>> examine(std::span<const tune::Point> points) = 0;
};

}  // namespace burin::model
