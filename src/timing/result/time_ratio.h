// Which of two launches is faster, as far as two predictions can tell.
//
//   TimeRatio r = time_ratio({620, "dram"}, {1000, "dram"});   // {0.62, 0.53, 0.72}: a / b
//   verdict_of(r, false)   // Verdict::kFaster
//
// The errors of two predictions of similar kernels are alike and partly cancel in the ratio of the
// times, so its interval is narrower than those of the two times suggest. Its width comes from
// pairs of kernels that were measured on an H200 (bench/compare.py fit): the error of log(a / b)
// grows with the ratio itself, and is larger if different units limit the two.
#pragma once

#include <cstdint>
#include <string_view>

namespace burin::timing {

// The properties of a prediction that the ratio depends on.
struct PredictedTime {
  double time_us = 0;
  std::string_view kind{};  // Certainty::kind
  bool defer = false;       // Certainty::defer
  bool on_h200 = true;      // the machine that intervals were measured on
};

struct TimeRatio {
  double ratio = 1;          // predicted
  double low = 1, high = 1;  // 80 % of such pairs lie between them when measured
};

TimeRatio time_ratio(const PredictedTime& numerator, const PredictedTime& denominator);

enum class Verdict : std::uint8_t { kFaster, kSlower, kSame, kUnclear };
std::string_view name(Verdict verdict);  // "faster", "slower", "same", "unclear"

// `identical`: both are the same code, launched in the same way. kUnclear: the difference is not
// significant.
Verdict verdict_of(const TimeRatio& ratio, bool identical);

}  // namespace burin::timing
