// The metrics by which configurations are compared, from what was counted of them: as Ryoo et al.
// published them ("Program optimization carving for GPU computing", 2008), or adapted to GPUs of
// today. Higher is better for every axis.
//
//   efficiency(15150, 1 << 24)        3.93e-12    the worked example of section 4.2
//   utilization(15150, 769, 8, 2)     227
//   Metrics m = metrics_of(counted.launches, machine, kModernMetrics);
//   m.axes[0], m.axes[1], m.axes[2]   efficiency, utilization, bytes
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "machine/machine.h"
#include "model/carve/launch_counts.h"

namespace burin::model {

// Equation 1. `threads` is the number of threads of the whole grid.
double efficiency(double instructions, double threads);

// Equation 2: instructions between two blocking ones, times the other warps that can run meanwhile.
double utilization(double instructions, double regions, double warps_per_block,
                   double resident_blocks);

struct MetricChoice {
  // Efficiency: cycles of the busiest pipe of the busiest SM, instead of instructions.
  bool weighted = true;
  // Utilization: the share of time in which that pipe works if nothing but latency is in the way; 1
  // where the resident warps hide all of it. Otherwise equation 2, which has no limit.
  bool capped = true;
  // With `capped`: independent instructions of a warp overlap, as its control codes say. Otherwise
  // a warp waits for memory at the end of each region, and for nothing else.
  bool ilp = true;
  // A third axis: time at the bandwidth of the slowest memory level.
  bool bytes = true;

  std::size_t dimensions() const { return bytes ? 3 : 2; }
  bool operator==(const MetricChoice&) const = default;
};
inline constexpr MetricChoice kPublishedMetrics{
    .weighted = false, .capped = false, .ilp = false, .bytes = false};
inline constexpr MetricChoice kModernMetrics{};

inline constexpr std::array<std::string_view, 3> kAxisNames = {"efficiency", "utilization",
                                                               "bytes"};

// Cycles of a launch's busiest SM, or of the memory behind all SMs, at each level.
struct LevelCycles {
  double pipe = 0;    // the busiest arithmetic pipe, or issue
  double shared = 0;  // the SM's memory pipe: shared memory and L1
  double fill = 0;    // between the SM and L2
  double l2 = 0;
  double dram = 0;
  double busy = 0;     // the busiest level of the SM
  double exposed = 0;  // … with latencies that the resident warps do not hide
  double total = 0;    // estimate of the launch: levels and latencies get in each other's way

  double memory() const;  // the slowest memory level
};
LevelCycles level_cycles(const LaunchCounts& counts, const machine::Machine& machine,
                         const MetricChoice& choice);

struct Metrics {
  std::array<double, 3> axes{};  // efficiency, utilization, bytes; those that the choice has
  double cycles = 0;             // closed-form estimate of all launches together

  // For thresholds, and for people.
  double instructions = 0;  // per thread, of the launch that executes the most
  double regions = 0;
  double warps = 0;
  double resident_blocks = 0;
  double registers = 0;
  double coalescing = 1;   // ideal sectors as a share of those accessed: 1 is coalesced
  double demand = 0;       // DRAM bytes per cycle without stalls, as a share of the bandwidth
  double spill_bytes = 0;  // per thread
  double occupancy = 0;    // resident warps as a share of the SM's maximum
};

Metrics metrics_of(std::span<const LaunchCounts> launches, const machine::Machine& machine,
                   const MetricChoice& choice);

}  // namespace burin::model
