// When the last block of a grid ends, where blocks do unequal work.
//
//   GridEnd grid = makespan(works, {.sms = 132, .resident = 8, .rate = 2.1, .pace = 9});
//   grid.end, grid.first_idle
//
// The first blocks are dealt out to the SMs in turn, an even share to each before any gets more; a
// few SMs stand apart and have their turn oftener. Then a block goes to the first SM that has room.
// What is on an SM shares it: a block goes on at the pace of its longest warp, or slower where all
// of them together would ask for more than the SM can issue.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

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
  std::uint64_t apart = 0;     // of the SMs, those that have their turn oftener:
  std::uint64_t turn = 0;      // … after so many blocks to the others
};

struct GridEnd {
  double end = 0;         // cycles, when the last block ends
  double first_idle = 0;  // … when the first SM has none left
};

// The SM of each of the first blocks, up to those that find no room at once. Those apart come
// first.
std::vector<std::size_t> deal(std::size_t blocks, const SmPace& share);

GridEnd makespan(std::span<const BlockWork> works, const SmPace& share);

}  // namespace burin
