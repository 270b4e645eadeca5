// A Gaussian process over the points of a space: what to expect at a point, and how certain that
// is, given the values at other points.
//
//   GaussianProcess process(space);
//   process.fit(samples);                    // chooses the kernel that makes them most likely
//   Predictions pool = process.predict(candidates);
//   process.add(sample, pool);               // one more, with the same kernel: cheap
//
// The kernel compares two points parameter by parameter (encoding.h), with a length for each
// parameter: one that hardly matters has a long one. It is a weighted sum of the product over the
// parameters, which can follow any interaction, and of their mean, which learns from few samples
// what each parameter does by itself.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "tune/search/encoding.h"
#include "tune/space/space.h"

namespace burin::tune {

// What was learned at a point. Values should have a mean near 0 and a deviation near 1. The cost
// follows the kernel of the value.
struct Sample {
  Point point;
  double value = 0;
  double cost = 0;
};

struct Predictions {
  std::vector<Point> points;
  std::vector<float> mean, variance, cost;  // of each point

  // For add(): the levels of the points by scale, and what each sample says about each point.
  std::vector<std::vector<std::uint16_t>> levels;
  std::vector<std::vector<float>> rows;
};

class GaussianProcess {
 public:
  explicit GaussianProcess(const Space& space);

  // Forgets everything else. The kernel is chosen by the first kMaxFitted samples.
  void fit(std::span<const Sample> samples);
  static constexpr std::size_t kMaxFitted = 64;

  Predictions predict(std::vector<Point> points) const;
  void add(const Sample& sample, Predictions& pool);
  // As if the predicted value had been found at the point: the mean stays, the variance shrinks.
  void believe(const Point& point, Predictions& pool);

 private:
  using Levels = std::vector<std::uint16_t>;  // of a point, by scale

  struct Kernel {                     // numbers in tables of lengths and weights
    std::vector<std::size_t> length;  // by scale
    std::size_t roundness = 1, additive = 1, noise = 1;
  };

  Levels levels_of(const Point& point) const;
  void build_table(std::size_t scale);
  void build_tables();
  double covariance(const Levels& a, const Levels& b) const;
  std::vector<float> covariances(const Levels& point, const Predictions& pool) const;

  double fitness(std::span<const Sample> samples);
  bool improve(std::size_t& setting, std::size_t count, std::span<const Sample> samples,
               double& best);
  void condition(std::span<const Sample> samples);
  void append(const Point& point);
  double innovation(double value, const std::vector<double>& scaled) const;
  void extend(Predictions& pool) const;

  std::vector<ParameterScale> scales_;
  Kernel kernel_;
  std::vector<std::vector<double>> tables_;  // by scale: level × level
  std::vector<Levels> points_;
  std::vector<double> factor_;  // of the covariance matrix: Cholesky, row by row
  std::vector<double> scaled_values_, scaled_costs_;  // factor⁻¹ times the values and the costs
};

}  // namespace burin::tune
