// Searches of the ensemble in a recorded space, with and without the points that a guided search
// found:
//
//   const std::vector<Replayed> searches = replay(measured, first, 30, 0);
//   reached(searches, 0.95)      "{"trials": [1, 3.2, 9], "seconds": [0.3, 1.1, 2.8]}"
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tune/formats/recorded_space.h"

namespace burin::guided_bench {

// One search, trial by trial.
struct Replayed {
  std::vector<double> share;    // the optimum ÷ the best measured time so far
  std::vector<double> seconds;  // that all trials so far took
};

// Each search ends at 99 % of the optimum, but not before this many trials.
std::vector<Replayed> replay(const tune::RecordedSpace& measured,
                             const std::vector<tune::Point>& first, std::uint64_t seeds,
                             std::size_t least_trials);

// {"trials": [least, mean, most], "seconds": [least, mean, most]} until a share of at most 0.99 is
// reached.
std::string reached(const std::vector<Replayed>& searches, double share);

// {"trials": [[least, mean, most], …], "seconds": […]}: the share after each of `trials` trials,
// and the mean of the seconds they took.
std::string trajectory(const std::vector<Replayed>& searches, std::size_t trials);

}  // namespace burin::guided_bench
