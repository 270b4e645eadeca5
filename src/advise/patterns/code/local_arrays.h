// Arrays in local memory whose index is not known at compile time: what it takes to keep them in
// registers, which cannot be indexed.
//
//   const LocalArrays arrays(c, slack, accesses);
//   arrays.length          16: elements of each
//   arrays.loops           loops whose counters are the index: all of them must be unrolled
//   arrays.open            those of them whose trip count is not a constant
//   arrays.chosen          accesses at other run-time indices: a chain of selects over the elements
#pragma once

#include "advise/case/case.h"
#include "advise/patterns/code/slack.h"

namespace burin::advise {

struct LocalArrays {
  // `accesses` are the loads and stores of arrays, without those of spilled registers.
  LocalArrays(const Case& c, const Slack& slack, const read::InstructionSet& accesses);

  bool any_open() const;
  // How many times as often an instruction of the unrolled loop is executed: for all elements
  // instead of for as many as the loop has iterations now. 1 for other loops.
  double more_often(std::uint32_t loop) const { return more_often_[loop]; }

  unsigned length = 0;
  read::InstructionSet loops{};   // by loop
  read::InstructionSet open{};    // by loop
  read::InstructionSet chosen{};  // by instruction

 private:
  std::vector<double> more_often_{};
};

}  // namespace burin::advise
