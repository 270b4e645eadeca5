// Chooses which configurations to compile if not all are to be: first some from all over the space,
// then those whose estimated cycles, predicted from their compiled neighbours, are lowest.
//
//   Speculation speculation(space, 300, seed);
//   for (auto points = speculation.next(); !points.empty(); points = speculation.next()) {
//     … compile and count them …
//     speculation.learn(point, cycles);          // nullopt: it cannot run
//   }
//   speculation.estimate(point)                  // cycles of one that was not compiled
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "tune/space/space.h"

namespace burin::model {

class Speculation {
 public:
  // `space` must outlive it; at most `budget` configurations will be compiled.
  Speculation(const tune::Space& space, std::size_t budget, std::uint64_t seed);

  std::vector<tune::Point> next();
  void learn(const tune::Point& point, std::optional<double> cycles);

  // The mean effect of each parameter's value, corrected by what nearby configurations deviate from
  // it. Valid after next().
  double estimate(const tune::Point& point) const;

 private:
  struct Known {
    tune::Point point;
    double log_cycles = 0;
    double residual = 0;
  };

  void fit();
  double additive(const tune::Point& point) const;
  double distance(const tune::Point& a, const tune::Point& b) const;

  const tune::Space& space_;
  std::size_t budget_;
  std::uint64_t seed_;
  std::size_t asked_ = 0;
  std::vector<std::uint64_t> order_;  // of all configurations: random
  std::map<tune::Point, std::optional<double>> learnt_;
  std::vector<Known> known_;
  double mean_ = 0;
  std::vector<std::vector<double>> effects_;  // parameter, value
  std::vector<double> spreads_;               // of a parameter's effects
};

}  // namespace burin::model
