// Which values in a loop are known as soon as the loop is entered: made by arithmetic of its
// counters and of what was there before it. A compiler that unrolls the loop to the last iteration
// computes them itself; one that counts them adds a number to each.
//
//   const LoopValues values(c, loop);
//   values.foreseen(i)        known for each iteration
//   values.counts(i)          … and another one in each
#pragma once

#include <cstdint>
#include <vector>

#include "advise/case/case.h"

namespace burin::advise {

// By lanes, with no memory: on the FP32, integer or special function units.
bool is_arithmetic(const read::Instruction& instruction);
bool is_integer(const read::Instruction& instruction);  // arithmetic that makes no float

// Who needs what each instruction makes, through registers.
std::vector<std::vector<std::uint32_t>> consumers_of(const read::Kernel& kernel);

class LoopValues {
 public:
  LoopValues(const Case& c, std::uint32_t loop);

  bool foreseen(std::uint32_t instruction) const { return foreseen_[instruction] != 0; }
  bool counts(std::uint32_t instruction) const { return counts_[instruction] != 0; }
  bool is_counter(std::uint32_t instruction) const;  // adds a number to itself

 private:
  void look(std::uint32_t instruction, bool& changed);

  const Case& c_;
  read::InstructionSet inside_;
  read::InstructionSet foreseen_;  // and all outside
  read::InstructionSet counts_;
};

}  // namespace burin::advise
