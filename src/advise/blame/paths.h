// How far apart two instructions are: the instructions on the longest path from one to the other,
// and the cycles that the shortest takes at least.
//
//   BlamePaths paths(kernel);
//   paths.towards(waits);                       // once for all of its causes
//   paths.from(cause).longest                   // 6
//
// Paths go round a loop only where there is no other way, and then once, round the innermost that
// holds both; they do not enter called functions.
#pragma once

#include <cstdint>
#include <vector>

#include "read/program/kernel.h"

namespace burin::advise {

struct PathLength {
  bool known = false;         // false: no path was found, and the rest is a guess
  std::uint32_t longest = 1;  // instructions; 1: the next
  double average = 1;         // where each way on is as likely
  double least_cycles = 0;    // that the stall counts on the shortest path ask for
};

class BlamePaths {
 public:
  explicit BlamePaths(const read::Kernel& kernel);

  void towards(std::uint32_t waits);
  PathLength from(std::uint32_t cause);

 private:
  // From the start of a block to the instruction that waits.
  struct Reach {
    std::uint32_t longest = 0;
    double average = 0;
    double least_cycles = 0;
    bool valid = false;
  };
  Reach behind(std::uint32_t block, bool around) const;   // from its end
  Reach through(std::uint32_t block, bool around) const;  // from its start
  void walk(std::uint32_t lowest);
  void walk_around(std::uint32_t loop);
  std::uint32_t common_loop(std::uint32_t first, std::uint32_t second) const;  // of two blocks
  double cycles(std::uint32_t first, std::uint32_t end) const;  // of instructions [first, end)

  const read::Kernel& kernel_;
  std::vector<double> cycles_before_;  // per instruction: the sum over all before it
  std::vector<std::uint32_t> order_;   // blocks, each before those it leads to unless it goes back
  std::vector<std::uint32_t> place_;   // per block: its position in order_; kNoIndex: unreachable
  std::uint32_t waits_ = 0;
  std::uint32_t walked_ = 0;                      // ahead_ is known from this place on
  std::uint32_t walked_around_ = read::kNoIndex;  // around_ is known in this loop
  std::vector<Reach> ahead_;                      // by place: without going back
  struct Extent {
    std::uint32_t lowest, highest;
  };
  std::vector<Extent> extents_;  // per loop: the places that it lies between
  std::vector<Reach> around_;    // by place: going back once
};

}  // namespace burin::advise
