// How much of a wait the surrounding code could fill: used by rules that move code.
//
//   const Slack slack(c);
//   slack.wait(stall)                 420: cycles per execution of the waiting instruction
//   slack.filler(stall)               37: cycles of code that does not need the awaited value
//   slack.recurrent(load, loop)       the load's address comes from the previous load: a list
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "advise/case/case.h"

namespace burin::advise {

// Realistic fraction of the emulated gain from hoisting loads: the compiler does not move
// everything that could move, and early results occupy registers.
inline constexpr double kHoistedGain = 0.9;
// Fraction of a result's latency that newly adjacent code hides: the caller's code around an
// inlined call, or other copies of an iteration with no branch between them.
inline constexpr double kFilledLatency = 0.5;

class Slack {
 public:
  explicit Slack(const Case& c);  // must outlive this object

  // Returns the unfilled cycles of the stall, per issue of the waiting instruction.
  double wait(const BlamedStall& stall) const;

  // Returns the cycles of independent code nearby: code before the cause that the cause does not
  // need, and code after the waiting instruction that does not need the cause. Memory and barrier
  // waits in that code count half, since of two overlapping waits one is saved. A load from memory
  // that the kernel only reads may move up over branches, barriers and loops, but not over what
  // decides whether it is executed; all other code stays within its basic block and between its
  // barriers. For a load in a loop with little such code, the rest of the iteration counts, since
  // the next iteration's load may be issued before it; code already between the load and its use
  // does not count.
  double filler(const BlamedStall& stall) const;
  // Returns the cycles of one iteration of the loop, without the waits for `causes`.
  double iteration_without(std::uint32_t loop, const read::InstructionSet& causes) const;

  // Returns whether `instruction` needs its own result from the previous iteration.
  bool recurrent(std::uint32_t instruction, std::uint32_t loop) const;
  // Returns whether the instruction's result decides when the loop ends.
  bool ends(std::uint32_t instruction, std::uint32_t loop) const;
  // entries(): how often the loop is entered, in the unit of the profile's `issued`. trips():
  // iterations per entry; 1000 if there are too many for the profile to tell.
  double entries(std::uint32_t loop) const;
  double trips(std::uint32_t loop) const;
  // Returns how many copies of the instruction the loop already contains: instructions of the same
  // kind on the same source line.
  unsigned copies(std::uint32_t instruction, std::uint32_t loop) const;
  // Returns whether stores of the loop keep a load from being hoisted, because the compiler cannot
  // rule out that they alias it.
  bool blocked_by_stores(std::uint32_t load, std::uint32_t loop) const;
  // Returns the mean issue count of the block's instructions.
  double issued(std::uint32_t block) const { return issued_[block]; }
  bool has_barrier(std::uint32_t loop) const { return loops_[loop].barrier; }
  // has_block_barrier(): whether the warps of a block synchronise in the loop. has_barrier():
  // those, or the lanes of a warp.
  bool has_block_barrier(std::uint32_t loop) const { return loops_[loop].block_barrier; }
  bool innermost(std::uint32_t loop) const;

 private:
  bool moves_freely(std::uint32_t cause) const;
  double body_cycles(const BlamedStall& stall, std::uint32_t loop) const;
  double cycles_between(const BlamedStall& stall) const;
  double cycles_before(std::uint32_t cause) const;
  double cycles_after(std::uint32_t waits, std::uint32_t cause) const;
  double cycles_of(std::uint32_t instruction) const;
  std::optional<double> cycles_of_loop(std::uint32_t loop, double times,
                                       const std::set<std::uint32_t>& needed) const;
  bool feeds(std::uint32_t instruction, const std::set<std::uint32_t>& needed) const;

  struct LoopFacts {
    double spent = 0;  // see spent_
    bool barrier = false;
    bool block_barrier = false;
    bool stores = false;  // to global memory
  };
  LoopFacts facts_of(const read::Loop& loop) const;
  struct Copies {
    unsigned count = 0;
    double awaited = 0;  // for all copies together, see awaited_
  };
  Copies copies_of(std::uint32_t instruction, std::uint32_t loop) const;
  void limit_copies();

  const Case& c_;
  std::vector<std::vector<std::uint32_t>> consumers_;  // through registers
  std::vector<double> issued_;                         // per block
  std::vector<LoopFacts> loops_;
  std::vector<double> spent_;    // at each instruction, in the unit of the profile, see filler()
  std::vector<double> awaited_;  // waits for each instruction, in the unit of the profile
  std::vector<std::uint32_t> kinds_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Copies> copies_;  // by kind and loop
};

}  // namespace burin::advise
