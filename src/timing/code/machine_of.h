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

namespace burin {

class MachineOf {
 public:
  // What is given must outlive it.
  MachineOf(const Machine& all) : whole_(&all), inside_(&all) {}  // NOLINT: a machine is one
  MachineOf(const Machine& outside, const Machine& inside, const InstructionSet& region)
      : whole_(&outside), inside_(&inside), region_(&region) {}

  const Machine& of(std::uint32_t instruction) const {
    return region_ != nullptr && (*region_)[instruction] != 0 ? *inside_ : *whole_;
  }
  // What belongs to no instruction: sizes, the start of blocks.
  const Machine& whole() const { return *whole_; }

 private:
  const Machine* whole_;
  const Machine* inside_;
  const InstructionSet* region_ = nullptr;
};

}  // namespace burin
