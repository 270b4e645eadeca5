// Finds the values in a loop that are known on entry to the loop: computed from its counters and
// from values defined before the loop. A compiler that unrolls the loop completely computes these
// values itself; strength reduction turns each into one addition.
//
//   const LoopValues values(c, loop);
//   values.foreseen(i)        known for each iteration on entry to the loop
//   values.counts(i)          foreseen, and different in each iteration
#pragma once

#include <cstdint>
#include <vector>

#include "advise/case/case.h"

namespace burin::advise {

// Returns true for per-lane arithmetic without memory access, on the FP32, integer or special
// function units.
bool is_arithmetic(const read::Instruction& instruction);
// Arithmetic without a floating-point result.
bool is_integer(const read::Instruction& instruction);

// Returns, for each instruction, the instructions that read its result from registers.
std::vector<std::vector<std::uint32_t>> consumers_of(const read::Kernel& kernel);

class LoopValues {
 public:
  LoopValues(const Case& c, std::uint32_t loop);

  bool known_on_entry(std::uint32_t instruction) const { return known_on_entry_[instruction] != 0; }
  bool counts(std::uint32_t instruction) const { return counts_[instruction] != 0; }
  bool is_counter(std::uint32_t instruction) const;  // adds a number to its own previous value

 private:
  bool is_upper_half(std::uint32_t instruction) const;
  void look(std::uint32_t instruction, bool& changed);

  const Case& c_;
  read::InstructionSet inside_;
  read::InstructionSet known_on_entry_;  // also set for everything outside the loop
  read::InstructionSet counts_;
};

}  // namespace burin::advise
