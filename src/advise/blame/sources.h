// The instructions that a stall may be blamed on.
//
//   BlameSources sources(kernel, machine);
//   for (const BlameSource& source : sources.of(waits, Stall::kLongScoreboard)) source.cause …
//
// Where samples stand, as seen on an H200:
// - a warp that waits for a scoreboard is sampled at the instruction whose wait mask names it; one
//   that waits in a DEPBAR at the instruction behind, which may wait for nothing itself (there
//   `waiting()` names the DEPBAR);
// - the cycles that an instruction's stall count asks for are sampled at the next one (whose result
//   it is that they are for, blame_awaited.h says), and so are those until a branch's target is
//   known;
// - BAR.SYNC.DEFER_BLOCKING lets a warp go on to its next access of memory or branch, and it is
//   sampled there: the barrier may be dozens of instructions back;
// - MEMBAR is waited for right behind it; a constant at the instruction that reads it.
//
// The sources of a scoreboard are those that set it; nothing else can hold it. Then edges that did
// not make anybody wait are pruned, but never the last one:
// - by opcode: only memory is waited for as long_scoreboard, only the rest as short_scoreboard;
// - by dominance: whoever waited for the same scoreboard in between has waited for the source too.
//   Kernel::dependences ends its search there;
// - by latency: the source was done before, if even the shortest path to the waiting instruction
//   takes more cycles than it can (latency_bound);
// - by order: results of one unit come in the order of their instructions, so that of several whose
//   results are waited for together only the last one counts. The paper does not do this
//   (docs/blame.md has what it gains).
#pragma once

#include <cstdint>
#include <vector>

#include "advise/blame/paths.h"
#include "launch/stall.h"
#include "machine/machine.h"
#include "read/program/kernel.h"

namespace burin::advise {

struct BlameSource {
  std::uint32_t cause = 0;
  bool after_read = false;  // it had only to read its operands
  double asks = 1;          // how much of its issuing makes others wait: cycles of a stall count
  PathLength path{};
};

// The most cycles that a result may take, whatever else the machine is doing.
double latency_bound(const read::Instruction& instruction, const machine::Machine& machine);

class BlameSources {
 public:
  BlameSources(const read::Kernel& kernel, const machine::Machine& machine, bool by_order);

  // The instruction that waits where a sample stands at `sampled`: nearly always itself.
  std::uint32_t waiting(std::uint32_t sampled, launch::Stall stall) const;

  // Pruned; empty where the stall is its own, or none was found.
  std::vector<BlameSource> of(std::uint32_t waits, launch::Stall stall);

  // How many there were before.
  std::size_t unpruned(std::uint32_t waits, launch::Stall stall) const;

 private:
  std::vector<BlameSource> scoreboard_setters(std::uint32_t waits) const;
  std::vector<BlameSource> issued_before(std::uint32_t waits) const;
  std::vector<BlameSource> nearest_before(std::uint32_t waits,
                                          const std::vector<std::uint32_t>& wanted);
  void prune_by_latency(std::vector<BlameSource>& sources) const;
  void prune_by_order(std::vector<BlameSource>& sources, std::uint32_t waits) const;
  bool always_after(std::uint32_t earlier, std::uint32_t later, std::uint32_t waits) const;

  const read::Kernel& kernel_;
  const machine::Machine& machine_;
  const bool by_order_;
  BlamePaths paths_;
  std::vector<std::uint32_t> barriers_, fences_, products_;  // instructions, ascending
  std::vector<std::uint32_t> seen_;                          // per block, by nearest_before
  std::uint32_t seen_now_ = 0;
  std::vector<std::vector<std::uint32_t>> before_block_;  // per block: who may issue before it
};

}  // namespace burin::advise
