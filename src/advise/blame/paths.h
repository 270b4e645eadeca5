// Distances between two instructions: the number of instructions on the longest path, and the
// minimum number of cycles on the shortest path.
//
//   BlamePaths paths(kernel);
//   paths.towards(waits);                       // once for all causes of `waits`
//   paths.from(cause).longest                   // 6
//
// A path goes around a loop only if there is no other path, and then only once, around the
// innermost loop that contains both instructions. Paths do not enter called functions.
#pragma once

#include <cstdint>
#include <vector>

#include "read/program/kernel.h"

namespace burin::advise {

struct PathLength {
  bool known = false;         // false: no path found, and the other fields are guesses
  std::uint32_t longest = 1;  // instructions; 1: adjacent
  double average = 1;         // instructions, with every successor block equally likely
  double least_cycles = 0;    // sum of the stall counts on the shortest path
};

class BlamePaths {
 public:
  explicit BlamePaths(const read::Kernel& kernel);

  void towards(std::uint32_t waits);
  PathLength from(std::uint32_t cause);

 private:
  // Distance from the start of a block to the waiting instruction.
  struct Reach {
    std::uint32_t longest = 0;
    double average = 0;
    double least_cycles = 0;
    bool valid = false;
  };
  Reach from_end(std::uint32_t block, bool around) const;    // from the block's end
  Reach from_start(std::uint32_t block, bool around) const;  // from the block's start
  void walk(std::uint32_t lowest);
  void walk_around(std::uint32_t loop);
  std::uint32_t common_loop(std::uint32_t first, std::uint32_t second) const;  // of two blocks
  double cycles(std::uint32_t first, std::uint32_t end) const;  // of instructions [first, end)

  const read::Kernel& kernel_;
  std::vector<double> cycles_before_;  // per instruction: sum over all earlier instructions
  std::vector<std::uint32_t> order_;   // blocks in topological order, ignoring back edges
  std::vector<std::uint32_t> place_;   // per block: its position in order_; kNoIndex: unreachable
  std::uint32_t waits_ = 0;
  std::uint32_t walked_ = 0;                      // ahead_ is valid from this position on
  std::uint32_t walked_around_ = read::kNoIndex;  // around_ is valid in this loop
  std::vector<Reach> ahead_;                      // by position in order_, without back edges
  struct Extent {
    std::uint32_t lowest, highest;
  };
  std::vector<Extent> extents_;  // per loop: the range of positions that contains it
  std::vector<Reach> around_;    // by position in order_, with one back edge
};

}  // namespace burin::advise
