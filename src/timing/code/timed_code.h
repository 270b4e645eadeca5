// A kernel's instructions as the timing model sees them: units, cycles and control codes, computed
// once per machine.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "machine/machine.h"
#include "read/program/kernel.h"
#include "timing/code/machine_of.h"

namespace burin::timing {

// The unit that an instruction is issued to. Each scheduler has its own arithmetic units.
enum class Unit : std::uint8_t {
  kNone,      // takes only its issue slot
  kFma,       // either FP32 unit
  kFmaBoth,   // all FP32 units at once
  kFmaHeavy,  // the FP32 unit that also multiplies integers
  kAlu,
  kFp64,
  kXu,
  kTensor,
  kUniform,
  kLsu,   // through the scheduler's queue to the memory stages of the SM
  kBulk,  // the SM's copy engine
};
inline constexpr std::size_t kUnits = static_cast<std::size_t>(Unit::kBulk) + 1;

struct TimedOp {
  enum class Kind : std::uint8_t {
    kPlain,
    kMemory,  // cost depends on its request
    kShuffle,
    kMatrixLoad,
    kBranch,
    kExit,
    kBarrier,      // BAR, SYNCS: its request has the details
    kDepbar,       // waits for the count of a scoreboard
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
  double slots = 1;  // issue slots of its scheduler that it takes; no other warp issues in them
  double share = 1;  // share of its executions that are replayed; the others take no time
  std::uint8_t write_barrier = 7;
  std::uint8_t read_barrier = 7;
  std::uint8_t wait_mask = 0;
  bool yield = false;
  bool long_scoreboard = false;  // waiting for its result counts as a long_scoreboard stall
  bool queue_global = false;     // takes an entry in the queue for global memory
  bool block_barrier = false;    // BAR and similar, not an mbarrier
  bool cluster_barrier = false;  // UCGABAR
  bool strong = false;           // a load that must see other threads' writes
  bool ends_products = false;    // wgmma: the last instruction of its group
  bool hidden = false;           // see OpEdit
  bool fetched = false;          // see OpEdit
  bool unguarded = false;        // see OpEdit
  bool call = false;             // a call or a return
  bool indirect = false;         // a call whose target is in a register
  bool joins = false;            // divergent lanes reconverge here
  bool any_barrier = false;      // BAR whose barrier number is in a register
  bool reads_barrier = false;    // reads the result of a barrier reduction
  bool fence = false;            // a fence with a scope wider than the block
  bool empties_l1 = false;       // CCTL.IVALL
  std::uint8_t scoreboard = 0;   // kDepbar: scoreboard number
  std::uint8_t left = 0;         // kDepbar: maximum count left; kProductWait: maximum groups left
  // Registers read from each bank, and how many of those reads can reuse an operand of the warp's
  // previous instruction.
  std::array<std::uint8_t, machine::kMaxRegisterBanks> bank_reads{};
  std::array<std::uint8_t, machine::kMaxRegisterBanks> reused{};
  std::uint32_t constant = 0xffffffff;  // constant cache line that it reads
  // ULDC with an index: the bank that it reads, at the address of its request.
  std::optional<std::uint8_t> indexed_bank{};
  std::uint32_t fetch_line = 0;
};

// Returns whether the instruction is an atomic that adds nothing, and so acts as a load.
bool only_reads(const read::Instruction& instruction);

// Returns the columns of a warpgroup's product: 128 for 64x128x16.
unsigned product_columns(const read::Instruction& instruction);

// Returns whether the code has matrix products for the tensor cores, other than FP64 products.
bool uses_tensor_cores(std::span<const TimedOp> code);

// Sets the unit, gap and latency of `op` to those of a class on the machine.
void set_class(TimedOp& op, machine::TimingClass timing_class, const machine::Machine& machine);

std::vector<TimedOp> timed_code(const read::Kernel& kernel, const MachineOf& machines);

}  // namespace burin::timing
