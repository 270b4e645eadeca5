// Stall attribution: for every stall of an instruction, the instructions that it waited for.
//
//   BlamedProfile blamed = blame(kernel, profile, machine);   // from samples: causes are inferred
//   BlamedProfile blamed = blame(kernel, prediction);         // emulated: causes are known
//   for (const BlamedStall& stall : blamed.stalls)            // largest first
//     kernel.instructions[stall.cause] … name(stall.dependency), stall.cycles.sum()
//
//   0x0130  LDG R4, [R2]        cause   ← global_memory, 412 of 500 samples, 6 instructions before
//   0x0190  FADD R5, R4, R5     waits   long_scoreboard
//
// For samples (section 4 of the paper named in docs/advise.md): the candidate sources of a waiting
// instruction are its immediate dependences. Edges that cannot have caused the stall are pruned
// (blame/sources.h). The remaining sources share the stall by equation 1: in proportion to how
// often each source issued, and in inverse proportion to the length of its path to the waiting
// instruction. No stall is lost: without a source, the stall is attributed to its own instruction,
// with the dependency kUnknown.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "launch/stall.h"
#include "launch/stall_profile.h"
#include "machine/machine.h"
#include "read/program/kernel.h"
#include "timing/predict.h"

namespace burin::advise {

// The kind of work whose result the waiting instruction needed.
enum class Dependency : std::uint8_t {
  kGlobalMemory,
  kLocalMemory,
  kConstantMemory,
  kSharedMemory,
  kArithmetic,      // and other work inside the SM: shuffles, conversions, special registers
  kWriteAfterRead,  // a register had to be read before it could be overwritten
  kSynchronization,
  kControl,  // branch target
  kOwn,      // caused by no other instruction: throttles, fetching, not selected …
  kUnknown,  // no cause found
};
inline constexpr std::size_t kDependencies = static_cast<std::size_t>(Dependency::kUnknown) + 1;
std::string_view name(Dependency dependency);  // "global_memory"

struct BlamedStall {
  std::uint32_t cause = 0;  // instruction; equals `waits` for kOwn and kUnknown
  std::uint32_t waits = 0;  // instruction that waits
  launch::Stall stall = launch::Stall::kMisc;
  Dependency dependency = Dependency::kUnknown;
  launch::StallCycles cycles{};  // in the unit of the profile
  // Instructions from cause to waits, on the longest path.
  std::uint32_t distance = 0;

  // Returns whether the stall has a cause in another instruction: neither kOwn nor kUnknown.
  bool has_cause() const {
    return dependency != Dependency::kOwn && dependency != Dependency::kUnknown;
  }
};

struct BlamedProfile {
  enum class Source : std::uint8_t { kSamples, kEmulated };
  Source source = Source::kSamples;
  double total = 0;  // all samples or warp-cycles: T in the paper
  // Samples or warp-cycles in which the scheduler issued, from any warp: A in the paper.
  double active = 0;
  std::vector<double> issued{};       // for each instruction of the kernel
  std::vector<BlamedStall> stalls{};  // largest first
  // The same stalls shared among all their sources, before pruning: what equation 1 of the paper
  // gives without it. Empty unless BlameOptions::unpruned is set, and for an emulated profile.
  std::vector<BlamedStall> unpruned{};
  double unattributed = 0;  // total = unattributed + issued + stalls
  // Fraction of the instructions with at most one source for each of their stalls, before and after
  // pruning. 1 for an emulated profile.
  double coverage_before = 0;
  double coverage_after = 0;
  std::vector<double> totals{};  // total_of() each instruction, once settle() has computed them

  // Returns the samples or warp-cycles at one instruction: issued, and all stalls of that
  // instruction.
  double total_of(std::uint32_t instruction) const;
  // Returns the stalls that one instruction causes, in itself and in others.
  double blamed_on(std::uint32_t instruction) const;
};

// Sorts the stalls and computes the totals from stalls, `issued` and `unattributed`. To be called
// by code that builds a profile.
void settle(BlamedProfile& profile);

struct BlameOptions {
  bool average_path = false;  // use the average path length in equation 1, instead of the longest
  // Also prune by result order (blame/sources.h); the paper does not.
  bool prune_by_order = true;
  bool unpruned = false;  // also compute BlamedProfile::unpruned
};

// Attributes the stalls of a sampled profile. `kernel` must have dependences. Profile rows outside
// the kernel's code count as unattributed.
BlamedProfile blame(const read::Kernel& kernel, const launch::StallProfile& profile,
                    const machine::Machine& machine, const BlameOptions& options = {});

// Attributes the stalls of a prediction, with the causes recorded by the emulator and the same
// dependency kinds. `kernel` must be the predicted kernel, with dependences.
BlamedProfile blame(const read::Kernel& kernel, const timing::Prediction& prediction);

// Agreement between two blamed profiles of one kernel: for each instruction and stall reason, the
// part of the weight with the same causes in both. Only stalls with a cause in another instruction
// count, since stalls caused by the instruction itself agree by definition. Barrier stalls are
// compared over the whole kernel, because samples are taken at the instruction that the warp has
// reached after the barrier.
struct BlameAgreement {
  double same = 0;  // fraction of the compared weight with the same cause
  // Fraction of the first profile's weight that stalls for the same reason in both.
  double compared = 0;
};
BlameAgreement compare(const BlamedProfile& first, const BlamedProfile& second);
inline double agreement(const BlamedProfile& first, const BlamedProfile& second) {
  return compare(first, second).same;
}

}  // namespace burin::advise
