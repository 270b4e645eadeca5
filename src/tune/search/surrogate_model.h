// A model of the answers so far, and which new points it finds promising: those with the largest
// expected improvement of the best answer for what they are expected to cost.
//
//   SurrogateModel model(history, seed);
//   model.propose()                       // the most promising of many new points
//   model.best_of(neighbours)             // the best of some
//
// The model is a Gaussian process over the logarithm of the answers; a failure counts as the worst
// of them. Before it has seen a few answers, points are chosen whose numbers are powers of two and
// near the middle of their scales, which are seldom bad, and that are apart from each other.
#pragma once

#include <optional>
#include <vector>

#include "tune/search/encoding.h"
#include "tune/search/gaussian_process.h"
#include "tune/search/history.h"
#include "tune/search/random.h"

namespace burin::tune {

class SurrogateModel {
 public:
  // The history must outlive the model.
  SurrogateModel(History& history, std::uint64_t seed);

  // A new point; empty if there is none.
  std::optional<Point> propose();

  // True if there are enough answers for a model.
  bool ready() const;

  // The new one of these points that is expected to have the best answer; empty if none is new. The
  // model must be ready.
  std::optional<Point> best_of(std::vector<Point> points);

 private:
  // How answers become numbers that a model can learn: the logarithm, where all have one sign.
  enum class Transform : std::uint8_t { kLogarithm, kNegativeLogarithm, kLinear };

  void update();
  void fit();
  void choose_transform();
  bool transforms(double value) const;
  double transformed(double value) const;
  Sample sample_of(const Answer& answer) const;
  std::vector<Answer> training_set();
  std::vector<Point> candidates();
  std::optional<Point> most_promising(const Predictions& pool) const;

  History& history_;
  Random random_;
  std::vector<ParameterScale> scales_;
  GaussianProcess process_;
  Predictions pool_;
  std::size_t used_ = 0;    // answers that the process knows
  std::size_t fitted_ = 0;  // answers when the kernel was chosen

  Transform transform_ = Transform::kLogarithm;
  double mean_ = 0, deviation_ = 1;  // of the transformed answers
  double worst_ = 0;                 // of the samples
  double cost_mean_ = 0;             // of the logarithm of the seconds
};

}  // namespace burin::tune
