// What tuning at the saturation point saved, by formula 2 of Magni et al. (2014):
//
//   search speedup = time of tuning at the target ÷ (time at the MSP + time of the throughput
//   curve)
//
// Here the configurations that are verified at the target are added to the denominator. All times
// are kernel time: the launches that were timed, without compilation.
//
//   Savings{.target_us = 5e6, .tuning_us = 2e5, .curve_us = 1e5, .verification_us = 1e5}.speedup()
//   // 12.5; 16.7 by the paper's formula
#pragma once

#include <optional>
#include <span>

namespace burin::model {

struct Savings {
  double target_us = 0;        // all configurations at the target: measured or estimated
  double tuning_us = 0;        // all configurations at the MSP
  double curve_us = 0;         // the sizes of the throughput curve
  double verification_us = 0;  // finalists at the target

  double spent_us() const { return tuning_us + curve_us + verification_us; }
  double speedup() const { return spent_us() > 0 ? target_us / spent_us() : 1; }
  double paper_speedup() const {
    return tuning_us + curve_us > 0 ? target_us / (tuning_us + curve_us) : 1;
  }
};

// A configuration that was measured at both sizes.
struct TimedAtBoth {
  double msp_us = 0;
  double target_us = 0;
};

// How much longer a launch takes at the target: the median over the configurations. None if there
// is none.
std::optional<double> target_factor(std::span<const TimedAtBoth> timed);

}  // namespace burin::model
