// Sums that a loop keeps in global memory: each iteration loads from a place, and stores to it,
// that the loop does not change. A register would do.
//
//   const MemoryAccumulators sums(c);
//   sums.accesses[i]         a load or store of such a sum
#pragma once

#include "advise/case/case.h"

namespace burin::advise {

struct MemoryAccumulators {
  explicit MemoryAccumulators(const Case& c);

  read::InstructionSet accesses;
  // Other loads from global memory in those loops, that only the stores keep from following one
  // another at once.
  read::InstructionSet held;
};

}  // namespace burin::advise
