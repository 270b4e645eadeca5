// What happens where the program's way depends on a value that is Unknown.
//
//   if, switch   both sides run, one after the other, with the registers of the branch; what either
//                wrote is Unknown behind the place where they meet, and what they store is Unknown
//   a loop       one pass, or as many as --trip says; what the loop writes is Unknown behind it
//   EXIT         the lane goes on
//
// Lanes that know their way take it; only those that do not are treated so.
#pragma once

#include <cstdint>

#include "emulate/state/warp.h"

namespace burin::emulate {

// At a branch to `target`: `taken` lanes know that they take it, `unknown` ones do not know, the
// others of Warp::active know that they do not.
void branch_on_unknown(Warp& warp, Mask taken, Mask unknown, std::uint32_t target);

// The current split has come to where the sides of its innermost fork meet (its pc is there): the
// second side starts, or the fork is over.
void join_side(Warp& warp);

// `lanes` of the current split, which is on one side of a fork, end: so does the side for them.
void end_side(Warp& warp, Mask lanes);

}  // namespace burin::emulate
