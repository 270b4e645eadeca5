// Sums that a loop keeps in global memory: each iteration loads from and stores to an address that
// the loop does not change. A register could hold the sum.
//
//   const MemoryAccumulators sums(c);
//   sums.accesses[i]         instruction i loads or stores such a sum
#pragma once

#include "advise/case/case.h"

namespace burin::advise {

struct MemoryAccumulators {
  explicit MemoryAccumulators(const Case& c);

  read::InstructionSet accesses;
  // Other global loads in these loops that could be issued back to back without the stores to the
  // sum.
  read::InstructionSet held;
};

}  // namespace burin::advise
