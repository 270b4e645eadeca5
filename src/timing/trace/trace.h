// The trace of a block: everything that affects its timing. It has the instructions that each warp
// executed, and the request of each instruction that accesses memory or a barrier. A trace holds no
// values; the timing model can replay it any number of times, with other machines or other blocks
// on the neighbouring SMs.
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
  std::uint32_t unknown : 1;       // its execution or its cost follows from the policy for Unknown
                                   // values
  std::uint32_t request;           // index in BlockTrace::requests, or kNoRequest
};
static_assert(sizeof(TraceStep) == 8);

// Number of passes of the atomics on a sector of global memory. Each pass handles one lane per
// address.
struct AtomicPasses {
  std::uint8_t alone = 0;  // passes with one lane
  std::uint8_t full = 0;   // passes that cover all bytes of the sector
  std::uint8_t other = 0;
  // The operation at each address.
  enum class Operation : std::uint8_t { kInteger, kF32, kF64, kSwap };
  Operation operation = Operation::kInteger;  // kInteger: bitwise operations too; kF32: FP16 and
                                              // BF16 too
};

struct Request {
  enum class Kind : std::uint8_t {
    kGlobal,  // per-lane access; kLocal likewise, with lines numbered from 0 in the warp's own
              // space
    kLocal,
    kShared,
    kConstant,  // LDC: `wavefronts` counts the different addresses
    kCopy,      // LDGSTS: from global to shared memory
    kBulk,      // TMA and similar
    kBarrier,   // BAR or mbarrier
    kMatch,     // MATCH: `wavefronts` counts the different values
    kFence,     // MEMBAR, or CCTL of a whole cache, whose guard predicate is true
    kSleep,     // waits for `sleep_cycles` or `sleep_ns`
  };
  Kind kind = Kind::kGlobal;
  bool load = false;
  bool store = false;
  bool atomic = false;
  bool returns = false;         // atomics: the result is used
  bool strong = false;          // loads: must see other threads' writes, so it cannot hit in L1
  bool partial = false;         // stores: does not write all bytes of its sectors
  std::uint8_t lanes = 0;       // participating lanes
  std::uint8_t bytes = 0;       // bytes per lane
  std::uint8_t wavefronts = 0;  // passes over the 32 banks needed by the lanes' words
  // kShared: those passes if the array left one word free after every 128 bytes.
  std::uint8_t padded_wavefronts = 0;
  // Atomics: maximum number of lanes at one address.
  std::uint8_t collisions = 0;
  AtomicPasses passes{};    // atomics in global memory
  std::uint8_t remote = 0;  // sectors of another block's shared memory
  float sleep_cycles = 0;   // of a loop that reads the SM's clock
  float sleep_ns = 0;       // of NANOSLEEP, and of a loop that reads %globaltimer
  std::uint32_t first_line = 0;
  std::uint32_t lines = 0;  // count, in BlockTrace::lines
  std::uint32_t first_phase = 0;
  std::uint32_t phases = 0;         // count, in BlockTrace::phases
  std::uint64_t first_address = 0;  // address of the lowest lane; shows how blocks differ
  std::uint64_t shape = 0;          // hash of the lanes' addresses relative to first_address
};

// An arrival at a barrier, or a wait for one. Barriers are numbered in the order of their first
// use. A phase ends when all its arrivals in the trace have occurred.
struct PhaseUse {
  std::uint32_t barrier = 0;
  std::uint32_t phase = 0;
  bool arrives = false;
  bool waits = false;
  bool remote = false;  // arrives at another block's barrier; represents an arrival of another
                        // block at this block's
};

// Lane counts of one instruction, over all its executions.
struct LaneUse {
  std::uint64_t executions = 0;  // executions by a warp or a part of one
  std::uint64_t active = 0;      // active lanes
  std::uint64_t guarded = 0;     // active lanes whose guard predicate was true
};

struct BlockTrace {
  launch::Dims index{};
  std::uint64_t linear = 0;
  std::vector<std::vector<TraceStep>> warps;
  std::vector<Request> requests;
  std::vector<LineUse> lines;
  std::vector<PhaseUse> phases;
  std::vector<std::vector<std::uint32_t>> arrivals;  // number of arrivals, [barrier][phase]
  std::vector<LaneUse> lanes;                        // one per instruction of the kernel
  std::uint64_t shared_bytes = 0;  // used bytes of the block's shared-memory window, counted from
                                   // its start
  std::uint64_t steps = 0;
  std::uint64_t path =
      0;  // hash of the instructions of all warps; equal for blocks that executed the same

  std::span<const LineUse> lines_of(const Request& r) const {
    return {lines.data() + r.first_line, r.lines};
  }
  std::span<const PhaseUse> phases_of(const Request& r) const {
    return {phases.data() + r.first_phase, r.phases};
  }
};

}  // namespace burin::timing
