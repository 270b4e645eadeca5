// Execution of control flow that depends on an Unknown value.
//
//   if, switch   both sides run, one after the other, each from the registers at the branch; what
//                either side wrote is Unknown after the join, and what they store is Unknown
//   loop         one iteration, or as many as --trip says; what the loop writes is Unknown after it
//   EXIT         the lane continues
//   unlikely     a side that ends in a trap or a failed assertion, or is the slow path of a
//                division, is not taken (unlikely.h)
//
// This applies only to lanes whose condition is Unknown. Lanes with a known condition branch
// normally.
#pragma once

#include <cstdint>

#include "emulate/state/warp.h"

namespace burin::emulate {

// Executes a branch to `target`. Lanes in `taken` take it, lanes in `unknown` have an Unknown
// condition, and all other lanes of Warp::active fall through.
void branch_on_unknown(Warp& warp, Mask taken, Mask unknown, std::uint32_t target);

// Call when the current split reaches the join of its innermost fork (its pc is there): starts the
// second side, or finishes the fork.
void join_side(Warp& warp);

// `lanes` leave loops at this branch and go on at `to`: what the loops write is Unknown in them.
void forget_left_loops(Warp& warp, Mask lanes, std::uint32_t to);

// Exits `lanes` of the current split, which is on one side of a fork; that side ends for them.
void end_side(Warp& warp, Mask lanes);

}  // namespace burin::emulate
