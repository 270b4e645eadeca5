// When the last block of a grid ends, where blocks do unequal work.
//
//   GridEnd grid = makespan(works, {.sms = 132, .resident = 8, .rate = 2.1, .pace = 9});
//   grid.end, grid.first_idle
//
// The first blocks are dealt out to the SMs in turn, an even share to each before any gets more; a
// few SMs stand apart and have their turn oftener. Then a block goes to the first SM that has room:
// blocks that end are taken note of one by one, and the next begin somewhat later. The warps of a
// block go to the schedulers in turn, and wait for room there. A warp goes on at its pace, or
// slower where those of its scheduler ask for more than one instruction a cycle, the oldest blocks
// first, or all of the SM for more than that can do.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "timing/trace/block_work.h"

namespace burin::timing {

struct SmPace {
  std::uint64_t sms = 1;
  std::uint64_t resident = 1;    // blocks on an SM at a time
  std::uint64_t schedulers = 4;  // of an SM
  std::uint64_t slots = 16;      // warps that a scheduler has room for
  double rate = 1;               // instructions that an SM full of blocks does in a cycle
  double pace = 1;               // cycles from one instruction of a warp to its next, if unhindered
  double spread = 0;             // … by which warps differ in it, as a share
  std::uint64_t chance = 0;      // … another number, another warp is slow
  double start = 0;              // cycles that a block takes besides
  double gap = 0;                // cycles between two blocks that are taken note of at their end
  double sm_gap = 0;             // … between two of one SM that begin, or that it tells of
  double latency = 0;            // cycles from then until another takes the place
  std::uint64_t apart = 0;       // of the SMs, those that have their turn oftener:
  std::uint64_t turn = 0;        // … after so many blocks to the others
};

struct GridEnd {
  double end = 0;         // cycles, when the last block ends
  double first_idle = 0;  // … when the first SM has none left
  double mean_end = 0;    // … when blocks end, on average
};

// The SM of each of the first blocks, up to those that find no room at once. Those apart come
// first.
std::vector<std::size_t> deal(std::size_t blocks, const SmPace& share);

GridEnd makespan(std::span<const BlockWork* const> works, const SmPace& share);

}  // namespace burin::timing
