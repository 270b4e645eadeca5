// Finds the instructions that can have caused a stall.
//
//   BlameSources sources(kernel, machine, by_order);
//   for (const BlameSource& source : sources.of(waits, Stall::kLongScoreboard)) source.cause …
//
// Where samples are taken, as observed on an H200:
// - A warp waiting for a scoreboard is sampled at the instruction whose wait mask names it. A warp
//   waiting in a DEPBAR is sampled at the next instruction, which may wait for nothing itself
//   (`waiting()` then returns the DEPBAR).
// - The cycles of an instruction's stall count are sampled at the next instruction (blame/awaited.h
//   finds whose result they are for), and so are the cycles until a branch target is known.
// - BAR.SYNC.DEFER_BLOCKING lets a warp run on to its next memory access or branch, and the warp is
//   sampled there: the barrier may be dozens of instructions earlier.
// - Waits for MEMBAR are sampled right after it; waits for a constant, at the instruction that
//   reads the constant. Waits until all stores have left the SM (drain), at the EXIT.
//
// The sources of a scoreboard stall are the instructions that set the scoreboard; nothing else can
// hold it. Edges that did not cause the stall are then pruned, but never the last remaining edge:
// - by opcode: only memory causes long_scoreboard, only other units cause short_scoreboard;
// - by dominance: an instruction in between that waited for the same scoreboard has already waited
//   for the source. Kernel::dependences ends its search there;
// - by latency: the source had finished if even the shortest path to the waiting instruction takes
//   more cycles than the source's maximum latency (latency_bound);
// - by order: results of one unit arrive in instruction order, so among several results waited for
//   together only the last one counts. The paper does not do this (docs/blame.md gives the gain).
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
  bool after_read = false;  // the waiting instruction only needs it to have read its operands
  double weight = 1;        // weight per issue: 1, or for a stall count the cycles beyond the first
  PathLength path{};
};

// Returns the maximum latency of a result, in cycles, whatever else the machine is doing.
double latency_bound(const read::Instruction& instruction, const machine::Machine& machine);

class BlameSources {
 public:
  BlameSources(const read::Kernel& kernel, const machine::Machine& machine, bool by_order);

  // Returns the instruction that waits when a sample is taken at `sampled`: nearly always `sampled`
  // itself.
  std::uint32_t waiting(std::uint32_t sampled, launch::Stall stall) const;

  // Returns the sources left after pruning; empty if the instruction causes the stall itself or no
  // source was found.
  std::vector<BlameSource> of(std::uint32_t waits, launch::Stall stall);

  // Returns the number of sources before pruning.
  std::size_t unpruned(std::uint32_t waits, launch::Stall stall) const;
  // Returns the sources before pruning, given those that are left after it.
  std::vector<BlameSource> before_pruning(std::uint32_t waits, launch::Stall stall,
                                          const std::vector<BlameSource>& left);

 private:
  std::vector<BlameSource> producers(std::uint32_t waits, bool with_registers) const;
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
  std::vector<std::uint32_t> barriers_, fences_, products_, stores_;  // instructions, ascending
  std::vector<std::uint32_t> seen_;  // per block, used by nearest_before
  std::uint32_t seen_now_ = 0;
  // Per block: instructions that can issue just before it.
  std::vector<std::vector<std::uint32_t>> before_block_;
};

}  // namespace burin::advise
