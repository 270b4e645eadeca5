// When the last block of a grid ends, where blocks do unequal work.
//
//   GridEnd grid = makespan(works, {.sms = 132, .resident = 8, .rate = 2.1, .pace = 9});
//   grid.end, grid.first_idle
//
// Blocks go to the SMs in their order, each to the first that has room. What is on an SM shares it:
// a block goes on at the pace of its longest warp, or slower where all of them together would ask
// for more than the SM can issue.
#pragma once

#include <cstdint>
#include <span>

namespace burin {

struct BlockWork {
  double steps = 0;    // instructions of all its warps
  double longest = 0;  // … of the warp that has most
};

struct SmPace {
  std::uint64_t sms = 1;
  std::uint64_t resident = 1;  // blocks on an SM at a time
  double rate = 1;             // instructions that an SM full of blocks does in a cycle
  double pace = 1;             // cycles from one instruction of a warp to its next, if unhindered
  double spread = 0;           // by which equal blocks differ in it, as a share
};

struct GridEnd {
  double end = 0;         // cycles, when the last block ends
  double first_idle = 0;  // … when the first SM has none left
};

GridEnd makespan(std::span<const BlockWork> works, const SmPace& share);

}  // namespace burin
