// Who is to blame for a stall: for every wait of an instruction, the instructions that it waited
// for.
//
//   BlamedProfile blamed = blame(kernel, profile, machine);     // of samples: the causes are found
//   BlamedProfile blamed = blame(kernel, prediction);           // of the emulator: it knew them
//   for (const BlamedStall& stall : blamed.stalls)              // the largest first
//     kernel.instructions[stall.cause] … name(stall.dependency), stall.cycles.sum()
//
//   0x0130  LDG R4, [R2]        cause   ← global_memory, 412 of 500 samples, 6 instructions before
//   0x0190  FADD R5, R4, R5     waits   long_scoreboard
//
// Of samples (section 4 of the paper that docs/advise.md names): the sources of a waiting
// instruction are those that it depends on at once; edges that cannot have made it wait are pruned
// (blame_sources.h); what is left shares the stalls by equation 1, in proportion to how often each
// source issued and against how long its path to the waiting instruction is. Nothing is lost: where
// no source is found the stall is its own instruction's, and called unknown.
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

// What kind of work the waiting instruction needed the result of.
enum class Dependency : std::uint8_t {
  kGlobalMemory,
  kLocalMemory,
  kConstantMemory,
  kSharedMemory,
  kArithmetic,      // and what else stays in the SM: shuffles, conversions, special registers
  kWriteAfterRead,  // a register had to be read before it could be written
  kSynchronization,
  kControl,  // the target of a branch
  kOwn,      // nobody else's doing: throttles, fetching, not selected …
  kUnknown,  // no cause was found
};
inline constexpr std::size_t kDependencies = static_cast<std::size_t>(Dependency::kUnknown) + 1;
std::string_view name(Dependency dependency);  // "global_memory"

struct BlamedStall {
  std::uint32_t cause = 0;  // instruction; that which waits where it is its own or unknown
  std::uint32_t waits = 0;  // instruction
  launch::Stall stall = launch::Stall::kMisc;
  Dependency dependency = Dependency::kUnknown;
  launch::StallCycles cycles{};  // in the unit of the profile
  std::uint32_t distance =
      0;  // instructions from the cause to that which waits, on the longest path

  // Whether another instruction's doing was looked for, and found.
  bool has_cause() const {
    return dependency != Dependency::kOwn && dependency != Dependency::kUnknown;
  }
};

struct BlamedProfile {
  enum class Source : std::uint8_t { kSamples, kEmulated };
  Source source = Source::kSamples;
  double total = 0;                   // all samples or warp-cycles: the paper's T
  double active = 0;                  // … in which the scheduler issued, from whichever warp: A
  std::vector<double> issued{};       // per instruction of the kernel
  std::vector<BlamedStall> stalls{};  // the largest first
  double unattributed = 0;            // total is this, issued and stalls
  // The share of the instructions that have at most one source for each of their stalls, before
  // and after pruning. 1 where the emulator tells.
  double coverage_before = 0;
  double coverage_after = 0;
  std::vector<double> totals{};  // total_of each instruction, where settle() has summed them up

  // What stands at one instruction: issued, and all stalls that wait there.
  double total_of(std::uint32_t instruction) const;
  // What one instruction makes others wait, itself included.
  double blamed_on(std::uint32_t instruction) const;
};

// Sorts the stalls and sums them up with `issued` and `unattributed`: for whoever makes a profile.
void settle(BlamedProfile& profile);

struct BlameOptions {
  bool average_path = false;  // in equation 1, in place of the longest
  // Prune by order too (blame_sources.h), which the paper does not.
  bool prune_by_order = true;
};

// `kernel` has dependences. Rows of the profile that lie outside of the kernel's code are
// unattributed.
BlamedProfile blame(const read::Kernel& kernel, const launch::StallProfile& profile,
                    const machine::Machine& machine, const BlameOptions& options = {});

// The emulator's own causes, classed alike. `kernel` is the one that was predicted, with
// dependences.
BlamedProfile blame(const read::Kernel& kernel, const timing::Prediction& prediction);

// How much two profiles of one kernel blame alike: for each instruction and reason, the part of the
// weight that has the same causes in both. Only stalls count whose cause is looked for elsewhere:
// those that are their own agree by definition. Waits for barriers are compared over the kernel,
// for samples stand where the warp has come to behind one.
struct BlameAgreement {
  double same = 0;      // of the weight compared, that has the same cause
  double compared = 0;  // share of the first's weight that waits, for the same reason, in both
};
BlameAgreement compare(const BlamedProfile& first, const BlamedProfile& second);
inline double agreement(const BlamedProfile& first, const BlamedProfile& second) {
  return compare(first, second).same;
}

}  // namespace burin::advise
