// How much of a wait the code around it could fill: what rules that move code ask.
//
//   const Slack slack(c);
//   slack.wait(stall)                 420: cycles, each time the instruction is reached
//   slack.filler(stall)               37: cycles of code that needs not the awaited value
//   slack.recurrent(load, loop)       the load's address comes from the load before: a list
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "advise/case/case.h"

namespace burin::advise {

// Of what moving loads up gains by emulation: not all that could move does, and registers that hold
// what comes sooner are not free.
inline constexpr double kMoved = 0.9;
// Of a result's latency, that code fills which comes to stand around it: the caller's around a
// call, other copies of an iteration where no branch parts them.
inline constexpr double kFilled = 0.5;

class Slack {
 public:
  explicit Slack(const Case& c);  // which must outlive it

  // Cycles of the stall that nothing filled, for each time that the waiting instruction is issued.
  double wait(const BlamedStall& stall) const;

  // Cycles that independent code around takes: what stands before the cause and is not needed by
  // it, and what follows the waiting instruction and does not need the cause. Of its own waits
  // those for memory and at barriers count half, for of two waits that overlap one is saved. A load
  // of what the kernel only reads may move up over branches, barriers and loops; all else stays
  // within its block and its barriers. For a load, in a loop where that is little, the rest of an
  // iteration counts, for the next one's load may stand in front of it; but not what stands between
  // the load and its use already.
  double filler(const BlamedStall& stall) const;
  // Cycles of an iteration of the loop, without the waits for these instructions.
  double iteration_without(std::uint32_t loop, const read::InstructionSet& causes) const;

  // Whether an iteration's `instruction` needs the one before's result.
  bool recurrent(std::uint32_t instruction, std::uint32_t loop) const;
  // How often the loop is entered, in the unit of the profile's issued, and iterations each time;
  // 1000 where there are so many, or more, that the profile does not tell.
  double entries(std::uint32_t loop) const;
  double trips(std::uint32_t loop) const;
  // How often the loop holds a copy of the instruction already: as many of its kind stand in its
  // line.
  unsigned copies(std::uint32_t instruction, std::uint32_t loop) const;
  // A mean of its instructions.
  double issued(std::uint32_t block) const { return issued_[block]; }
  bool has_barrier(std::uint32_t loop) const { return loops_[loop].barrier; }
  bool innermost(std::uint32_t loop) const;

 private:
  bool moves_freely(std::uint32_t cause) const;
  double body_cycles(const BlamedStall& stall, std::uint32_t loop) const;
  double apart(const BlamedStall& stall) const;
  double cycles_before(std::uint32_t cause) const;
  double cycles_after(std::uint32_t waits, std::uint32_t cause) const;
  double cycles_of(std::uint32_t instruction) const;
  std::optional<double> cycles_of_loop(std::uint32_t loop, double times,
                                       const std::set<std::uint32_t>& needed) const;
  bool feeds(std::uint32_t instruction, const std::set<std::uint32_t>& needed) const;

  struct LoopFacts {
    double spent = 0;  // see spent_
    bool barrier = false;
  };
  LoopFacts facts_of(const read::Loop& loop) const;
  struct Copies {
    unsigned count = 0;
    double awaited = 0;  // … for all of them, see awaited_
  };
  Copies copies_of(std::uint32_t instruction, std::uint32_t loop) const;

  const Case& c_;
  std::vector<std::vector<std::uint32_t>> consumers_;  // through registers
  std::vector<double> issued_;                         // of each block
  std::vector<LoopFacts> loops_;
  std::vector<double> spent_;    // at each instruction, in the unit of the profile, see filler()
  std::vector<double> awaited_;  // … waiting for each instruction
  std::vector<std::uint32_t> kinds_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Copies> copies_;  // by kind and loop
};

}  // namespace burin::advise
