// How much slower than the fastest each shape is, at any size: from the samples, from how they go
// on beyond the largest, and from what the emulator says there.
//
//   SizeLosses losses(times, ranks, options);
//   losses.add_samples();
//   losses.add_extrapolated();                   or add_predicted(predicted)
//   losses.at({40000, 200})                      {0, 0.02, 0.31, inf, …}: log of the ratios
//
// Sizes of the usual proportions go on as the rank model says. What was sampled at another
// proportion speaks for larger sizes of about that proportion.
#pragma once

#include <cstddef>
#include <vector>

#include "model/fit/rank_models.h"
#include "model/fit/shape_times.h"

namespace burin::model {

// What is known of launch shapes before any sample: losses (log of the ratio) that are added, so
// that of shapes about as fast as one another the one is taken that seldom fails elsewhere. Blocks
// of one or two warps may not fill an SM, large ones leave a tail, narrow ones read parts of lines.
struct ShapePrior {
  double warps_1 = 0.02;
  double warps_2 = 0.015;
  double warps_16 = 0.02;
  double warps_32 = 0.03;
  double narrow = 0.001;  // for each halving of the width below 32, where blocks have two sides
};

struct LossOptions {
  // How far the emulator is believed about changes between sizes: none below `ignored` (log of the
  // ratio), and of what lies above this share.
  double ignored = 0.05;
  double believed = 0.75;
  double direct = 0.2;  // weight of the predicted ratio itself
  // How far a sampled or predicted size speaks for others: by e-folds of the sizes, all together.
  double spread = 1.2;
  // The emulator is believed half as much where its errors at measured sizes are this large.
  double doubted = 0.2;
  ShapePrior prior{};
};

class SizeLosses {
 public:
  // `ranks` is a model of the usual sizes (size_distance.h). All must outlive it.
  SizeLosses(const ShapeTimes& times, const RankModel& ranks, const LossOptions& options);

  void add_samples();
  void add_extrapolated(double reach);
  // `predicted` has times of some shapes at some of the sampled sizes and at others.
  void add_predicted(const ShapeTimes& predicted);

  // Infinite for a shape of which nothing is known near the size.
  std::vector<double> at(const Sizes& sizes) const;

  struct SizePoint {
    Sizes sizes;
    std::vector<double> loss;
  };
  const std::vector<SizePoint>& points() const { return points_; }  // the samples first

  // Median |log ratio| that predictions were off at sampled sizes; 0: not known.
  double emulator_error() const { return emulator_error_; }

 private:
  std::vector<double> sampled_losses(const Sizes& sizes) const;

  const ShapeTimes& times_;
  const RankModel& ranks_;
  const LossOptions& options_;
  RankModel overall_;               // mean ratios at the usual sizes
  std::vector<std::size_t> usual_;  // of times_.sizes
  std::vector<SizePoint> points_;
  double emulator_error_ = 0;
};

}  // namespace burin::model
