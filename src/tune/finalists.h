// The choice among configurations whose times are too close to call: they are measured again, in
// turn, so that whatever disturbs the device disturbs all of them.
//
//   Result<Final> final = hold_final(lab, {best, second, third}, {.rounds = 9});
//   final->winner       1: the second of them
//   final->confidence   0.93: the probability that it is within 1 % of the best finalist
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "base/result.h"
#include "tune/lab.h"

namespace burin::tune {

struct Finalist {
  Point point;
  std::vector<double> times_us{};  // of all rounds
  double median_us = 0;
};

struct Final {
  std::vector<Finalist> finalists{};  // in the order given
  std::size_t winner = 0;
  // The probability that the winner's time is at most 1 % above that of the best finalist, by
  // resampling the measured times (bootstrap).
  double confidence = 1;
};

struct FinalOptions {
  std::size_t rounds = 9;
  std::function<bool()> interrupted{};  // asked between measurements; then the rounds end
};

// `points` are in order of their first measurement, best first. A finalist that fails when it is
// measured again is out; if all fail, the first one wins with confidence 0.
Result<Final> hold_final(Lab& lab, std::span<const Point> points, const FinalOptions& options);

// The confidence alone: `times` of each finalist, and which one won.
double winner_confidence(std::span<const Finalist> finalists, std::size_t winner);

}  // namespace burin::tune
