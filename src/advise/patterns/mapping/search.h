// Loads whose address depends on the value that the same load returned in the previous iteration: a
// binary search, a linked list, a tree walk. Adjacent lanes cannot be made to load adjacent
// elements.
//
//   const Searches searches(c);
//   searches.loads[i]              instruction i is such a load
//   searches.halving()             one that chooses its next address by a comparison, or kNoIndex
//   sectors_of_levels(c, load, 12) 0.47: share of its sectors in the first 12 steps
#pragma once

#include <cstdint>

#include "advise/case/case.h"

namespace burin::advise {

class Searches {
 public:
  explicit Searches(const Case& c);

  read::InstructionSet loads;
  // The halving load with the most sectors.
  std::uint32_t halving() const { return halving_; }

 private:
  std::uint32_t halving_ = read::kNoIndex;
};

// Number of steps of a binary search whose elements fit into this many bytes.
unsigned levels_in(unsigned element_bytes, double bytes);
// The share of the load's sectors in its first `levels` steps. Needs a study.
double sectors_of_levels(const Case& c, std::uint32_t load, unsigned levels);

}  // namespace burin::advise
