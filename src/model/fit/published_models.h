// Published models of a launch's time, as definitions of a rational program: what remains of them
// is which shape they rank first.
//
//   mwp_cwp_definitions()    Hong & Kim, ISCA 2009: memory and computation warp parallelism
//   sim_definitions()        Sim et al., PPoPP 2012: its successor, with instruction-level
//   parallelism
//
// Both read the metrics of a launch (below), occupancy (formula/rational/occupancy.h), the number
// of blocks `blocks`, and hardware values; the times are in µs. As KLARAPTOR's thesis intends them:
// its implementation takes counts per warp where the formulas mean per instruction, rounds the grid
// down, and has one bandwidth. Corrected for today: an SM issues one instruction per scheduler and
// cycle, a departure delay is what the DRAM bandwidth allows an SM per sector, and the last wave of
// blocks counts whole.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formula/rational/rational_program.h"
#include "machine/machine.h"
#include "model/carve/launch_counts.h"
#include "model/fit/rational_fit.h"
#include "model/fit/shape_times.h"

namespace burin::model {

// What the models know of a kernel at a size and shape, each a function of both.
struct PublishedMetric {
  std::string_view name;  // in expressions
  double (*of)(const LaunchCounts&);
};
std::span<const PublishedMetric> published_metrics();

// Hardware values besides those of occupancy: sm_count clock_mhz dram_latency l2_latency
// dram_bytes_per_cycle.
std::vector<std::string> published_inputs();

// The last definition is `mwp_cwp_us`.
std::vector<formula::NamedExpression> mwp_cwp_definitions();
// The last definition is `sim_us`.
std::vector<formula::NamedExpression> sim_definitions();

// The time of one launch by one of them. NaN where the launch does not fit the GPU.
double published_time_us(const std::vector<formula::NamedExpression>& definitions,
                         const LaunchCounts& counts, const machine::Machine& machine);

// A launch that was counted and timed.
struct CountedTime {
  Sizes sizes;
  formula::Shape shape{};
  LaunchCounts counts{};
  double time_us = 0;  // NaN: not timed
};

// How good the shapes are that a published model ranks first, among those counted at a size. The
// models see no times, so every size is one that they have not seen.
struct PublishedQuality {
  std::string_view name;  // "mwp-cwp", "sim 2012"
  double mean = 0;        // geometric mean of (fastest time ÷ time of the shape ranked first)
  double worst = 0;
  std::size_t cases = 0;
};
std::vector<PublishedQuality> judge_published(std::span<const CountedTime> launches,
                                              const machine::Machine& machine);

// Each metric as a rational function of the sizes and the block's sides; those that are the same
// everywhere are left out.
struct MetricFit {
  std::string_view name;
  RationalFit fit{};
};
std::vector<MetricFit> fit_metrics(const std::vector<std::string>& names,
                                   std::span<const CountedTime> launches);

}  // namespace burin::model
