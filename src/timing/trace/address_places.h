// Where in global memory an instruction's addresses can lie: in which allocations, by the pointers
// among the launch's constants that the address is computed from.
//
//   AddressPlaces places(kernel, constants, memory);     // the kernel with dependences
//   places.of(ldg).any                                   // its pointer came from memory: anywhere
//   places.of(stg).meets(places.of(ldg))                 // they may touch the same bytes
//
// A program stays inside of the allocation that it was given a pointer into. A 32-bit word that was
// loaded is an index; a wider one, or one that comes back from shared or local memory, may be (half
// of) a pointer.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "emulate/memory/memory.h"
#include "emulate/state/lower.h"
#include "read/program/kernel.h"

namespace burin::timing {

struct AllocationSet {
  bool any = false;
  std::vector<std::uint32_t> allocations;  // numbers, ascending

  bool meets(const AllocationSet& other) const;
  void add(const AllocationSet& other);
  bool empty() const { return !any && allocations.empty(); }
};

class AddressPlaces {
 public:
  AddressPlaces(const read::Kernel& kernel, const emulate::ConstantMemory& constants,
                const emulate::GlobalMemory& memory);

  // Of all addresses that the instruction is given.
  AllocationSet of(std::uint32_t instruction);

 private:
  void follow(std::uint32_t instruction, AllocationSet& to);
  void add_constants(const read::Instruction& instruction, AllocationSet& to) const;

  const read::Kernel& kernel_;
  const emulate::ConstantMemory& constants_;
  std::vector<emulate::GlobalMemory::Extent> extents_;
  std::vector<std::uint32_t> seen_;  // per instruction: by the search of this number
  std::uint32_t search_ = 0;
  std::uint64_t steps_ = 0;
  std::vector<std::uint32_t> open_;
};

}  // namespace burin::timing
