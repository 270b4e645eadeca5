#include "timing/result/certainty.h"

#include <algorithm>
#include <cmath>

#include "base/format.h"

namespace burin::timing {

namespace {

constexpr double kNearPeak = 0.6;      // minimum ratio of a unit's bound to the time
constexpr double kSomeUnknown = 0.05;  // share of warp-cycles
constexpr double kMuchUnknown = 0.5;   // share of warp-cycles from which a measurement is needed
constexpr double kUnknownWait = 0.01;  // the same, for launches whose blocks wait for each other
constexpr double kShortUs = 10;
constexpr double kClearlyRaised = 1.1;  // ratio by which a bound raised the time
constexpr std::string_view kMeasuredOn = "h200";

// Measured over predicted time: percentiles that bench/intervals.py prints for the tuning half of
// bench/suite (H200, 515 kernels, 18 November 2026). They are wide enough to hold for held-out
// programs. Launches close to a unit's bound are predicted well, so some kinds have several rows,
// by the ratio of the largest bound to the time. `l2`, `shared` and `waits` had 3, 3 and 1 kernels.
struct Row {
  std::string_view kind;
  double bound_share;  // at least
  double low, high;
};
constexpr Row kRows[] = {
    // clang-format off
    {"unknown",    0,     0.54, 1.15},
    {"short",      0.5,   0.92, 1.32},
    {"short",      0,     0.69, 1.31},
    {"waits",      0,     0.88, 2.84},
    {"tensor",     0,     0.89, 1.16},
    {"dram",       0,     0.94, 1.33},
    {"l2",         0,     0.85, 1.23},
    {"shared",     0,     0.83, 1.63},
    {"arithmetic", 0,     0.89, 1.15},
    {"latency",    0.5,   0.78, 1.25},
    {"latency",    0.25,  0.79, 1.30},
    {"latency",    0,     0.47, 1.08},
    // clang-format on
};

std::string_view kind_of_unit(std::string_view unit) {
  for (const std::string_view memory : {"tensor", "dram", "l2", "shared"}) {
    if (unit == memory) return memory;
  }
  if (unit == "l1" || unit == "lsu") return "shared";
  if (unit == "tma") return "l2";
  return "arithmetic";
}

}  // namespace

std::string_view kind_of_launch(const Prediction& p, bool waits) {
  if (p.unknown_share >= kSomeUnknown) return "unknown";
  if (p.time_us < kShortUs) return "short";
  if (waits) return "waits";
  if (p.bound.time_us >= kNearPeak * p.time_us) return kind_of_unit(p.bound.unit);
  return "latency";
}

Certainty certainty_of(const Prediction& p, const machine::Machine& machine, bool waits) {
  Certainty certainty;
  certainty.kind = kind_of_launch(p, waits);
  const auto* row = std::ranges::find_if(kRows, [&](const Row& r) {
    return r.kind == certainty.kind && p.bound.time_us >= r.bound_share * p.time_us;
  });
  const double wider = machine.name == kMeasuredOn ? 1 : kOtherMachineWidening;
  certainty.low_us = p.time_us * std::pow(row->low, wider);
  certainty.high_us = p.time_us * std::pow(row->high, wider);
  double approximated = 0;
  for (const InstructionCost& cost : p.costs) {
    double cycles = cost.issued;
    for (const launch::StallCycles& stall : cost.stalls) cycles += stall.sum();
    if (cycles > 0) approximated += cost.issued * std::min(1.0, cost.unknown / cycles);
  }
  if (p.issued > 0) certainty.approximated_share = approximated / p.issued;
  if (p.unknown_share >= kMuchUnknown) {
    certainty.reason =
        fmt::format("{:.0f} % of the warp-cycles depend on Unknown values", 100 * p.unknown_share);
  } else if (waits && p.unknown_share > kUnknownWait) {
    certainty.reason = "blocks wait for each other, and for what depends on Unknown values";
  } else if (p.bound.raised_from_us > 0 && p.time_us > kClearlyRaised * p.bound.raised_from_us) {
    certainty.reason = fmt::format("the replay took less time than {} needs", p.bound.unit);
  }
  certainty.defer = !certainty.reason.empty();
  if (const auto told = machine.sources.find("validation"); told != machine.sources.end()) {
    certainty.validation = told->second;
  }
  return certainty;
}

}  // namespace burin::timing
