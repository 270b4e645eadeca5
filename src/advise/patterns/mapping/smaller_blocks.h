// Launches that do the same work in smaller blocks, and so in more of them, for a grid that leaves
// SMs idle. Each function proposes one in a match, with its hint, and returns false if there is
// none.
//
//   const LaunchShape shape(c);
//   launch_smaller(c, shape, match)   "Launch blocks of 64 threads instead of 256: 132 blocks."
//   edit_smaller(c, shape, match)     after an edit: "Use blockDim.x in place of 256. Then …"
//   try_smaller(c, shape, match)      the code may assume its block size: emulated, and to be
//   checked
#pragma once

#include "advise/case/rule.h"
#include "advise/patterns/mapping/launch_shape.h"

namespace burin::advise {

// Smaller blocks that are proved to give the same results.
bool launch_smaller(const Case& c, const LaunchShape& shape, Match& match);
// Smaller blocks after an edit that is proved to keep the results.
bool edit_smaller(const Case& c, const LaunchShape& shape, Match& match);
// Smaller blocks for code whose threads cooperate and which reads blockDim, as tiles of the block
// size do. They are emulated, and rejected if they repeat work.
bool try_smaller(const Case& c, const LaunchShape& shape, Match& match);

// Takes this launch for the match if it is clearly faster than the match's own. Needs a study.
void take_faster(const Case& c, const launch::Launch& launch, Match& match);

}  // namespace burin::advise
