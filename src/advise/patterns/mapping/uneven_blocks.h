// Why blocks have unequal work: many return at once, or a loop runs more iterations in some blocks
// than in others.
//
//   const UnevenBlocks uneven = uneven_blocks(c);
//     uneven.idle       276: blocks that return at once, at uneven.exit
//     uneven.triangle   true: those with blockIdx.y < blockIdx.x
//     uneven.loop       the outermost loop whose trip count differs, if blocks do not return at
//     once
#pragma once

#include <cstdint>
#include <string>

#include "advise/case/case.h"

namespace burin::advise {

struct UnevenBlocks {
  std::uint64_t idle = 0;
  double idle_steps = 0;  // warp instructions; a block with fewer returns at once
  std::uint32_t exit = read::kNoIndex;
  // The grid is square, and the blocks on one side of its diagonal are idle.
  bool triangle = false;
  bool below = false;     // of the others, blockIdx.y is the larger index
  bool diagonal = false;  // blocks of the diagonal have work
  std::uint32_t loop = read::kNoIndex;
  // Iterations of a warp, in the traced blocks; both 0 if these are too few to tell.
  double fewest = 0;
  double most = 0;
  // The loop around it, whose iterations are items of unequal work; kNoIndex: a block has one item.
  std::uint32_t items = read::kNoIndex;

  bool is_idle(double steps) const { return steps < idle_steps; }
};
// Needs a study with unequal blocks.
UnevenBlocks uneven_blocks(const Case& c);

}  // namespace burin::advise
