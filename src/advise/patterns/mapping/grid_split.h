// A loop whose iterations could be split over the grid, in a launch that leaves most of the GPU
// idle: one thread sums a matrix column, or computes all pairs of few bodies.
//
//   if (const std::optional<GridSplit> split = grid_split(c)) …
//     split->loop          the loop
//     split->parts         128: blocks that should share the iterations of one block
//     split->reduces       the parts' results must be added
//     split->chooses       the best result must be found, with its index
#pragma once

#include <cstdint>
#include <optional>

#include "advise/case/case.h"

namespace burin::advise {

struct GridSplit {
  std::uint32_t loop = read::kNoIndex;
  unsigned parts = 1;  // a power of two
  bool reduces = false;
  bool chooses = false;
  double warps_per_sm = 0;  // of the launch as it is, mean over all SMs
};
std::optional<GridSplit> grid_split(const Case& c);  // empty: none, or the GPU is full

// The outermost loop with most of the work, if its iterations may be done in any order and nothing
// in it synchronises; parts stays 1. Empty: there is none.
std::optional<GridSplit> independent_loop(const Case& c);

}  // namespace burin::advise
