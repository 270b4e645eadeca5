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
#include "model/fit/size_losses.h"

namespace burin::model {

struct ShapeFitOptions {
  std::vector<std::string> grid{};  // x, y and z over sizes and bx, by, bz; empty: not known
  std::vector<std::string> constraints{};
  double better = 1.01;  // how much better on left-out sizes a rank model has to be
  LossOptions losses{};
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
