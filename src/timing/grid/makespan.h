// Computes when the last block of a grid ends if blocks do unequal work.
//
//   GridEnd grid = makespan(works, {.sms = 132, .resident = 8, .rate = 2.1, .pace = 9});
//   grid.end, grid.first_idle
//
// The first blocks are dealt out to the SMs in turn, and each SM gets an equal share before any
// gets more; a few SMs form a separate group that gets its turn more often. After that, a block
// goes to the first SM with room: block completions are registered one at a time, and the next
// block begins some cycles later. The warps of a block go to the schedulers in turn, and wait there
// for a free slot. A warp runs at its own pace, or slower if the warps of its scheduler demand more
// than one instruction per cycle (the oldest blocks are served first), or if all warps of the SM
// demand more than the SM's throughput. A block with BlockWork::cycles takes them in any case.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "timing/trace/block_work.h"

namespace burin::timing {

struct SmPace {
  std::uint64_t sms = 1;
  std::uint64_t resident = 1;    // resident blocks per SM
  std::uint64_t schedulers = 4;  // schedulers per SM
  std::uint64_t slots = 16;      // warp slots per scheduler
  double rate = 1;               // instructions per cycle of a fully occupied SM
  double pace = 1;               // cycles between two instructions of an unobstructed warp
  double spread = 0;             // variation of `pace` between warps, as a share of it
  std::uint64_t chance = 0;      // random seed that selects which warps are slow
  double start = 0;              // additional cycles per block
  double gap = 0;                // cycles between two block completions registered by the GPU
  double sm_gap = 0;             // cycles between two blocks started, or two completions reported,
                                 // by one SM
  double latency = 0;            // cycles from a registered completion until the next block takes
                                 // its place
  std::uint64_t apart = 0;       // SMs in the group that gets its turn more often
  std::uint64_t turn = 0;        // blocks dealt to the other SMs between two turns of that group
};

struct GridEnd {
  double end = 0;         // cycle at which the last block ends
  double first_idle = 0;  // cycle at which the first SM has no blocks left
  double mean_end = 0;    // mean cycle at which blocks end
};

// Returns the SM of each of the first blocks, until no SM has room for another. The SMs of the
// separate group (`apart`) have the lowest numbers.
std::vector<std::size_t> deal(std::size_t blocks, const SmPace& share);

GridEnd makespan(std::span<const BlockWork* const> works, const SmPace& share);

}  // namespace burin::timing
