// A copy that goes alone from the middle of a loop finishes the current iteration in code of its
// own and enters the loop at its header then. Entered in the middle, nested loops become one, whose
// counters ptxas (seen in 13.0) keeps in uniform registers although lanes count differently.
//
//   outer: …                      parted at `inner`      the copy's code
//   inner: …; @%p bra out;        (both unfinished)      inner's rest; inner again: {inner, outer}
//     @%q bra inner;                                     outer's rest: {rest, outer}
//   rest: …; @%r bra outer;                              then {outer, none}, {inner, none}, {rest,
//   none}
//
// Internal to coarsen/.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "read/ptx/flow.h"

namespace burin::coarsen {

// A block, and the innermost loop around it whose iteration was under way when the copies parted;
// kNoIndex: none. A block has code for each place.
struct Place {
  std::uint32_t block = 0;
  std::uint32_t unfinished = read::kNoIndex;

  auto operator<=>(const Place&) const = default;
};

class UnfinishedLoops {
 public:
  explicit UnfinishedLoops(const read::ptx::Flow& flow);

  Place parted_at(std::uint32_t block) const { return {block, innermost_[block]}; }
  Place follow(Place from, std::uint32_t to) const;

 private:
  struct Loop {
    std::uint32_t header = 0;
    std::uint32_t parent = read::kNoIndex;
    std::vector<std::uint32_t> blocks;  // sorted
  };

  std::vector<Loop> loops_;               // larger ones first
  std::vector<std::uint32_t> innermost_;  // of each block; kNoIndex: in no loop
};

}  // namespace burin::coarsen
