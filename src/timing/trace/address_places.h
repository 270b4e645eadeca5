// Determines which global-memory allocations an instruction can access, from the pointers among the
// launch's constants that its address is computed from.
//
//   AddressPlaces places(kernel, constants, memory);     // the kernel with dependences
//   places.of(ldg).any                                   // pointer loaded from memory: anywhere
//   places.of(stg).meets(places.of(ldg))                 // they may access the same bytes
//
// Assumes that a program stays within the allocation that a pointer refers to. A loaded 32-bit word
// is taken as an index; a wider word, or one read back from shared or local memory, may be (half
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
  std::vector<std::uint32_t> allocations;  // allocation numbers, ascending

  bool meets(const AllocationSet& other) const;
  void add(const AllocationSet& other);
  bool empty() const { return !any && allocations.empty(); }
};

class AddressPlaces {
 public:
  AddressPlaces(const read::Kernel& kernel, const emulate::ConstantMemory& constants,
                const emulate::GlobalMemory& memory);

  // Returns the allocations of all addresses that the instruction can use.
  AllocationSet of(std::uint32_t instruction);

 private:
  void follow(std::uint32_t instruction, AllocationSet& to);
  void add_constants(const read::Instruction& instruction, AllocationSet& to) const;

  const read::Kernel& kernel_;
  const emulate::ConstantMemory& constants_;
  std::vector<emulate::GlobalMemory::Extent> extents_;
  std::vector<std::uint32_t> seen_;  // per instruction: number of the search that visited it last
  std::uint32_t search_ = 0;
  std::uint64_t steps_ = 0;
  std::vector<std::uint32_t> open_;
};

}  // namespace burin::timing
