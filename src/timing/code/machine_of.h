// Which machine times which instruction: one for all, or another for those of a region of the
// kernel, so that a change can be confined to it.
//
//   MachineOf all(machine);
//   MachineOf some(machine, faster, region);      // region[i] != 0: instruction i is in it
//   some.of(i).dram.latency
#pragma once

#include <cstdint>

#include "machine/machine.h"
#include "read/program/instruction_set.h"

namespace burin::timing {

class MachineOf {
 public:
  // What is given must outlive it.
  MachineOf(const machine::Machine& all)
      : whole_(&all), inside_(&all) {}  // NOLINT: a machine is one
  MachineOf(const machine::Machine& outside, const machine::Machine& inside,
            const read::InstructionSet& region)
      : whole_(&outside), inside_(&inside), region_(&region) {}

  const machine::Machine& of(std::uint32_t instruction) const {
    return region_ != nullptr && (*region_)[instruction] != 0 ? *inside_ : *whole_;
  }
  // What belongs to no instruction: sizes, the start of blocks.
  const machine::Machine& whole() const { return *whole_; }

 private:
  const machine::Machine* whole_;
  const machine::Machine* inside_;
  const read::InstructionSet* region_ = nullptr;
};

}  // namespace burin::timing
