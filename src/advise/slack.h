// How much of a wait the code around it could fill: what rules that move code ask.
//
//   const Slack slack(c);
//   slack.wait(stall)                 420: cycles, each time the instruction is reached
//   slack.filler(stall)               37: cycles of code that needs not the awaited value
//   slack.recurrent(load, loop)       the load's address comes from the load before: a list
#pragma once

#include <cstdint>
#include <vector>

#include "advise/case.h"

namespace burin {

class Slack {
 public:
  explicit Slack(const Case& c);  // which must outlive it

  // Cycles of the stall that nothing filled, for each time that the waiting instruction is issued.
  double wait(const BlamedStall& stall) const;

  // Cycles that independent code around takes: what stands before the cause and is not needed by
  // it, and what follows the waiting instruction and does not need the cause. Its own waits count
  // half, for of two waits that overlap one is saved. A load of what the kernel only reads may move
  // up over branches and barriers; all else stays within its block and its barriers. In a loop the
  // rest of an iteration counts, for the next one's load may stand in front of it.
  double filler(const BlamedStall& stall) const;

  // Whether an iteration's `instruction` needs the one before's result.
  bool recurrent(std::uint32_t instruction, std::uint32_t loop) const;
  // How often the loop is entered, in the unit of the profile's issued, and iterations each time.
  double entries(std::uint32_t loop) const;
  double trips(std::uint32_t loop) const;
  // How often the loop holds a copy of the instruction already: as many of its kind stand in its
  // line.
  unsigned copies(std::uint32_t instruction, std::uint32_t loop) const;
  double issued(std::uint32_t block) const;  // a mean of its instructions
  bool has_barrier(std::uint32_t loop) const;
  bool innermost(std::uint32_t loop) const;

 private:
  bool moves_freely(std::uint32_t cause) const;
  double body_cycles(const BlamedStall& stall, std::uint32_t loop) const;
  double cycles_before(std::uint32_t cause) const;
  double cycles_after(std::uint32_t waits, std::uint32_t cause) const;
  double cycles_of(std::uint32_t instruction) const;

  const Case& c_;
  std::vector<std::vector<std::uint32_t>> consumers_;  // through registers
  // Of each instruction, in the unit of the profile: waits for memory, and for other results.
  std::vector<double> memory_waits_;
  std::vector<double> other_waits_;
};

}  // namespace burin
