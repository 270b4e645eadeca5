// Maps each instruction to the machine that times it: one machine for all, or a different one for a
// region of the kernel, so that a change can be confined to the region.
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
  // The arguments must outlive this object.
  MachineOf(const machine::Machine& all)
      : whole_(&all), inside_(&all) {}  // NOLINT: a machine is one
  MachineOf(const machine::Machine& outside, const machine::Machine& inside,
            const read::InstructionSet& region)
      : whole_(&outside), inside_(&inside), region_(&region) {}

  const machine::Machine& of(std::uint32_t instruction) const {
    return region_ != nullptr && (*region_)[instruction] != 0 ? *inside_ : *whole_;
  }
  // The machine for everything that belongs to no instruction, such as sizes and the start of
  // blocks.
  const machine::Machine& whole() const { return *whole_; }

 private:
  const machine::Machine* whole_;
  const machine::Machine* inside_;
  const read::InstructionSet* region_ = nullptr;
};

}  // namespace burin::timing
