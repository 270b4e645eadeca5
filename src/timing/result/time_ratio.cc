#include "timing/result/time_ratio.h"

#include <algorithm>
#include <cmath>

#include "timing/result/certainty.h"

namespace burin::timing {
namespace {

// Half-widths of the interval of log(a / b), from the tuning half of the measured pairs
// (bench/compare.py fit; H200, 17 November 2026).
constexpr double kSameKindWidth = 0.08;   // launches of the same kind
constexpr double kOtherKindWidth = 0.17;  // launches of different kinds
constexpr double kWidthPerLog = 0.12;     // added per unit of |log(a / b)|
// Factors for a launch under 10 µs, for one whose blocks wait for each other, and for one that
// depends on Unknown values: the same widening as for the intervals of their times.
constexpr double kUncertainKind = 2.0;
constexpr double kDeferred = 4.0;

bool is_uncertain(std::string_view kind) {
  return kind == "unknown" || kind == "waits" || kind == "short";
}

}  // namespace

TimeRatio time_ratio(const PredictedTime& numerator, const PredictedTime& denominator) {
  const double log_ratio = std::log(numerator.time_us / denominator.time_us);
  double half = (numerator.kind == denominator.kind ? kSameKindWidth : kOtherKindWidth) +
                kWidthPerLog * std::abs(log_ratio);
  if (is_uncertain(numerator.kind) || is_uncertain(denominator.kind)) half *= kUncertainKind;
  if (numerator.defer || denominator.defer) half *= kDeferred;
  if (!numerator.on_h200 || !denominator.on_h200) half *= kOtherMachineWidening;
  return {std::exp(log_ratio), std::exp(log_ratio - half), std::exp(log_ratio + half)};
}

std::string_view name(Verdict verdict) {
  static constexpr std::string_view kNames[] = {"faster", "slower", "same", "unclear"};
  return kNames[static_cast<std::size_t>(verdict)];
}

Verdict verdict_of(const TimeRatio& ratio, bool identical) {
  if (identical) return Verdict::kSame;
  if (ratio.high < 1) return Verdict::kFaster;
  return ratio.low > 1 ? Verdict::kSlower : Verdict::kUnclear;
}

}  // namespace burin::timing
