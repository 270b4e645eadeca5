// What a block did, as far as time is concerned: for each warp the instructions it executed, and
// for each of those that touch memory or a barrier, what it asked of them. A trace holds no values;
// the timing model replays it as often as it likes, with other machines or other neighbours.
//
//   for (const TraceStep& step : trace.warps[0]) …
//   if (step.request != kNoRequest) trace.requests[step.request] …
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "launch/launch.h"
#include "timing/trace/lines.h"

namespace burin::timing {

inline constexpr std::uint32_t kNoRequest = 0xffffffff;

struct TraceStep {
  std::uint32_t instruction : 31;  // index in Kernel::instructions
  std::uint32_t unknown : 1;       // it is there, or costs what it does, by the policy for Unknown
  std::uint32_t request;           // kNoRequest: none
};
static_assert(sizeof(TraceStep) == 8);

// Atomics on a sector of global memory are done in passes: each takes one lane of every address.
struct AtomicPasses {
  std::uint8_t alone = 0;  // with one lane
  std::uint8_t full = 0;   // with all bytes of the sector
  std::uint8_t other = 0;
  // What is done at each address.
  enum class Operation : std::uint8_t { kInteger, kF32, kF64, kSwap };
  Operation operation = Operation::kInteger;  // bits too; kF32: FP16 and BF16 as well
};

struct Request {
  enum class Kind : std::uint8_t {
    kGlobal,  // of lanes; local memory too, whose lines count from 0 in the warp's own space
    kLocal,
    kShared,
    kConstant,  // LDC: `wavefronts` counts the different places
    kCopy,      // LDGSTS: from global to shared memory
    kBulk,      // TMA and its like
    kBarrier,   // BAR, an mbarrier
    kMatch,     // MATCH: `wavefronts` counts the different values
    kFence,     // MEMBAR, or CCTL of a whole cache, whose guard holds
  };
  Kind kind = Kind::kGlobal;
  bool load = false;
  bool store = false;
  bool atomic = false;
  bool returns = false;         // of an atomic: its result is used
  bool strong = false;          // of a load: it sees what others have written, so L1 is no help
  bool partial = false;         // of a store: it leaves bytes of its sectors alone
  std::uint8_t lanes = 0;       // that take part
  std::uint8_t bytes = 0;       // per lane
  std::uint8_t wavefronts = 0;  // passes over the 32 banks that the lanes' words need
  // Of an atomic: the most lanes at one address.
  std::uint8_t collisions = 0;
  AtomicPasses passes{};    // … in global memory
  std::uint8_t remote = 0;  // sectors of another block's shared memory
  std::uint32_t first_line = 0;
  std::uint32_t lines = 0;  // in BlockTrace::lines
  std::uint32_t first_phase = 0;
  std::uint32_t phases = 0;         // in BlockTrace::phases
  std::uint64_t first_address = 0;  // of the lowest lane: tells how blocks differ
  std::uint64_t shape = 0;          // a hash of the lanes' addresses relative to it
};

// An arrival at a barrier, or a wait for one. Barriers are numbered in the order of their first
// use; a phase ends when all that arrive at it in the trace have arrived.
struct PhaseUse {
  std::uint32_t barrier = 0;
  std::uint32_t phase = 0;
  bool arrives = false;
  bool waits = false;
  bool remote = false;  // it arrives at another block's, which stands for one of another's at ours
};

// Lanes at one instruction, over all its executions.
struct LaneUse {
  std::uint64_t executions = 0;  // by a warp, or a part of one
  std::uint64_t active = 0;      // lanes that were there
  std::uint64_t guarded = 0;     // … and whose guard held
};

struct BlockTrace {
  launch::Dims index{};
  std::uint64_t linear = 0;
  std::vector<std::vector<TraceStep>> warps;
  std::vector<Request> requests;
  std::vector<LineUse> lines;
  std::vector<PhaseUse> phases;
  std::vector<std::vector<std::uint32_t>> arrivals;  // [barrier][phase]: how many
  std::vector<LaneUse> lanes;                        // of each instruction of the kernel
  std::uint64_t shared_bytes = 0;  // of the block's window that are touched, from its begin on
  std::uint64_t steps = 0;
  std::uint64_t path =
      0;  // a hash of the instructions of all warps: equal where blocks did the same

  std::span<const LineUse> lines_of(const Request& r) const {
    return {lines.data() + r.first_line, r.lines};
  }
  std::span<const PhaseUse> phases_of(const Request& r) const {
    return {phases.data() + r.first_phase, r.phases};
  }
};

}  // namespace burin::timing
