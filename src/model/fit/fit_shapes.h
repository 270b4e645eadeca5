// A rational program from the times of a kernel over sizes and shapes.
//
//   Result<ShapeFit> fit = fit_shapes(times, nullptr, {.grid = {"ceildiv(n, bx)", "1", "1"}});
//   fit->program      sizes, shapes, reference, time_us; without a device of its own yet
//   fit->table        regions of the sizes, each with its shapes: for a device of the program
//   fit->chosen       RankKind::kLine: how the shapes are ranked beyond the sampled sizes
//
// The decision table is built from points of the space of sizes. At the sampled sizes the samples
// decide. Beyond them there are two ways. From the samples alone, a rank model (rank_models.h) says
// how the shapes compare; which one is decided by sizes that are left out. With predictions of the
// emulator at larger sizes and other proportions (explore.h), the samples' ranking is corrected
// where the emulator sees a change that is larger than its own errors: as when blocks become too
// small to fill an SM, or data no longer fits the L2 cache.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "formula/rational/rational_program.h"
#include "model/fit/decision_table.h"
#include "model/fit/rank_models.h"
#include "model/fit/rational_fit.h"
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

struct ShapeFitOptions {
  std::vector<std::string> grid{};  // x, y and z over sizes and bx, by, bz; empty: not known
  std::vector<std::string> constraints{};
  // How far the emulator is believed about changes between sizes: none below `ignored` (log of the
  // ratio), and of what lies above this share.
  double ignored = 0.05;
  double believed = 0.75;
  double direct = 0.2;  // weight of the predicted ratio itself
  // How far a sampled or predicted size speaks for others: by e-folds of the sizes, all together.
  double spread = 1.2;
  // The emulator is believed half as much where its errors at measured sizes are this large.
  double doubted = 0.2;
  double better = 1.01;  // how much better on left-out sizes a rank model has to be
  ShapePrior prior{};
};

struct ShapeFit {
  formula::RationalProgram program{};
  formula::DeviceTable table{};  // without name and hardware values
  RationalFit reference{};       // time of the fastest shape, in µs
  std::vector<RankQuality> models{};
  RankKind chosen = RankKind::kLargest;
  RankModel ranks{};
  double emulator_error = 0;  // median |log ratio| off at measured sizes; 0: not asked
  std::vector<std::string> notes{};
};

// `predicted` may be null. It has times of some shapes at some of the sizes of `times` and at
// others. An Error where a grid or constraint cannot be read.
Result<ShapeFit> fit_shapes(const ShapeTimes& times, const ShapeTimes* predicted,
                            const ShapeFitOptions& options);

}  // namespace burin::model
