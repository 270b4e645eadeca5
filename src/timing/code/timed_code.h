// A kernel's instructions as the timing model sees them: units, cycles and control codes, worked
// out once per machine.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "machine/machine.h"
#include "read/program/kernel.h"
#include "timing/code/machine_of.h"

namespace burin::timing {

// What an instruction is sent to when it issues. The arithmetic units are each scheduler's own.
enum class Unit : std::uint8_t {
  kNone,      // costs its issue slot only
  kFma,       // either of the FP32 units
  kFmaBoth,   // all of them at once
  kFmaHeavy,  // the one that multiplies integers too
  kAlu,
  kFp64,
  kXu,
  kTensor,
  kUniform,
  kLsu,   // by way of the scheduler's queue, to the memory stages of the SM
  kBulk,  // the SM's copy engine
};
inline constexpr std::size_t kUnits = static_cast<std::size_t>(Unit::kBulk) + 1;

struct TimedOp {
  enum class Kind : std::uint8_t {
    kPlain,
    kMemory,  // what it costs depends on its request
    kShuffle,
    kMatrixLoad,
    kBranch,
    kExit,
    kBarrier,      // BAR, SYNCS: its request says
    kDepbar,       // waits for a scoreboard's count
    kCopyCommit,   // LDGDEPBAR
    kProduct,      // wgmma
    kProductWait,  // WARPGROUP.DEPBAR
    kMembar,
    kBulk,
  };
  Kind kind = Kind::kPlain;
  Unit unit = Unit::kNone;
  machine::TimingClass timing_class = machine::TimingClass::kOther;
  machine::Resource resource = machine::Resource::kIssue;
  float earlier = 0;  // cycles; see OpEdit
  double gap = 0;
  double latency = 0;

  double stall = 1;  // cycles before the warp's next instruction
  double slots = 1;  // of its scheduler, that it takes to issue: nobody issues in the others
  double share = 1;  // of its executions that are replayed: what is left out takes no time
  std::uint8_t write_barrier = 7;
  std::uint8_t read_barrier = 7;
  std::uint8_t wait_mask = 0;
  bool yield = false;
  bool long_scoreboard = false;  // who waits for its result waits long_scoreboard
  bool queue_global = false;     // it takes a place in the queue for global memory
  bool block_barrier = false;    // BAR and its like, not an mbarrier
  bool cluster_barrier = false;  // UCGABAR
  bool strong = false;           // a load that sees what others have written
  bool ends_products = false;    // wgmma: the last of its group
  bool hidden = false;           // see OpEdit
  bool fetched = false;          // …
  bool unguarded = false;        // …
  bool call = false;             // a call or a return;
  bool indirect = false;         // … a call by a register
  bool joins = false;            // lanes wait here for others
  bool any_barrier = false;      // BAR whose number is in a register
  bool reads_barrier = false;    // the result of one that reduces
  bool fence = false;            // a fence for more than the block
  bool empties_l1 = false;       // CCTL.IVALL
  std::uint8_t scoreboard = 0;   // kDepbar: which, and how many may be left;
  std::uint8_t left = 0;         // kProductWait: how many groups
  // Registers read from each bank, and those of them that the warp's instruction before has left.
  std::array<std::uint8_t, machine::kMaxRegisterBanks> bank_reads{};
  std::array<std::uint8_t, machine::kMaxRegisterBanks> reused{};
  std::uint32_t constant = 0xffffffff;  // the line of the constant cache that it reads
  std::uint32_t fetch_line = 0;
};

// An atomic that adds nothing: a load by another name.
bool only_reads(const read::Instruction& instruction);

// The columns of a warpgroup's product: 128 of 64x128x16.
unsigned product_columns(const read::Instruction& instruction);

// Whether the code has matrix products for the tensor cores, other than of doubles.
bool uses_tensor_cores(std::span<const TimedOp> code);

// Gives it the unit, gap and latency of a class, as the machine has them.
void set_class(TimedOp& op, machine::TimingClass timing_class, const machine::Machine& machine);

std::vector<TimedOp> timed_code(const read::Kernel& kernel, const MachineOf& machines);

}  // namespace burin::timing
