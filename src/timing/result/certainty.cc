#include "timing/result/certainty.h"

#include <algorithm>
#include <cmath>

#include "base/format.h"

namespace burin::timing {

namespace {

constexpr double kNearPeak = 0.6;      // share of the time that a unit's bound takes, at least
constexpr double kSomeUnknown = 0.05;  // share of warp-cycles
constexpr double kMuchUnknown = 0.5;   // … and then a measurement is needed
constexpr double kUnknownWait = 0.01;  // … of launches whose blocks wait for each other
constexpr double kShortUs = 10;
constexpr double kMuchRaised = 1.1;  // by a bound
// Machines other than the one that the table was measured on: by which the interval's logarithm
// grows.
constexpr double kOtherMachine = 1.5;
constexpr std::string_view kMeasuredOn = "h200";

// Measured over predicted time: the 10th and the 90th percentile, as bench/intervals.py prints them
// for the tuning halves of bench/suite and of bench/accuracy (H200). Cold: 470 kernels, 17 November
// 2026; `unknown` and `waits` had 13 and 6 of them and are wider than that, by hand. Data in L2
// from earlier launches: 431 kernels of bench/suite, 18 November 2026; `l2` had too few, and is
// between its cold row and `dram`.
struct Range {
  double low, high;
};
struct Row {
  std::string_view kind;
  Range cold, warm;
};
constexpr Row kRows[] = {
    {"unknown", {0.70, 1.40}, {0.57, 1.40}}, {"short", {0.93, 1.41}, {0.89, 1.48}},
    {"waits", {0.90, 2.00}, {0.90, 2.94}},   {"tensor", {0.89, 1.26}, {0.93, 1.15}},
    {"dram", {0.97, 1.26}, {0.98, 1.42}},    {"l2", {0.97, 1.21}, {0.97, 1.28}},
    {"shared", {0.97, 1.26}, {0.86, 1.70}},  {"arithmetic", {0.96, 1.16}, {0.96, 1.16}},
    {"latency", {0.88, 1.28}, {0.69, 1.48}},
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

Certainty certainty_of(const Prediction& p, const machine::Machine& machine, bool waits,
                       bool warm) {
  Certainty certainty;
  certainty.kind = kind_of_launch(p, waits);
  const auto* row = std::ranges::find(kRows, certainty.kind, &Row::kind);
  const double wider = machine.name == kMeasuredOn ? 1 : kOtherMachine;
  const Range& range = warm ? row->warm : row->cold;
  certainty.low_us = p.time_us * std::pow(range.low, wider);
  certainty.high_us = p.time_us * std::pow(range.high, wider);
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
  } else if (p.bound.raised_from_us > 0 && p.time_us > kMuchRaised * p.bound.raised_from_us) {
    certainty.reason = fmt::format("the replay took less time than {} needs", p.bound.unit);
  }
  certainty.defer = !certainty.reason.empty();
  return certainty;
}

}  // namespace burin::timing
