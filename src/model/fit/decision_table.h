// Regions of the problem sizes, each with its best shapes: the decision table of a rational
// program.
//
//   points: n = 1K, 4K, 16K, … with the loss of every shape there (log of its time over the best)
//   build_table(points, {})
//     if n <= 65536
//       use 3 5 1        the shapes with the smallest mean loss in the region, best first
//     else
//       use 0 2
//
// A region is split where that lowers the loss of its best shape most, at the middle (in log space)
// between two neighbouring points of an axis, until no split gains anything that matters.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "formula/rational/rational_program.h"

namespace burin::model {

struct TablePoint {
  std::vector<double> axes;  // positive
  std::vector<double> loss;  // per shape; infinite: not allowed there
  double weight = 1;
};

struct TableOptions {
  double least_gain = 0.003;  // mean loss over all points that a split must save
  std::size_t max_leaves = 24;
  std::size_t ranked = formula::kMaxRanked;
};

std::vector<formula::TableNode> build_table(std::span<const TablePoint> points,
                                            const TableOptions& options);

// The weighted mean loss of the first shape of each region.
double table_loss(std::span<const formula::TableNode> table, std::span<const TablePoint> points);

}  // namespace burin::model
