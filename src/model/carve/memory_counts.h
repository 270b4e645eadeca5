// What a traced block does to the levels of memory: passes of the SM's memory pipe, misses of its
// share of L1, and the buffers that it touches.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "machine/machine.h"
#include "machine/occupancy.h"
#include "model/carve/launch_counts.h"
#include "timing/trace/trace.h"

namespace burin::model {

// The part of a buffer that one block touches, bytes in whole sectors.
struct BufferUse {
  std::uint64_t size = 0;  // of the buffer
  double read_bytes = 0;
  double written_bytes = 0;
};

struct BlockMemory {
  std::vector<char> l1_hit;  // per request: a load all of whose sectors were in L1
  std::map<std::uint64_t, BufferUse> buffers;  // by address
};

// Buffers of the launch, by address.
using BufferSizes = std::map<std::uint64_t, std::uint64_t>;

// Adds what the block does to `counts`. Its L1 cache is that of the SM divided by the resident
// blocks; warps take turns, one instruction each.
BlockMemory count_memory(const timing::BlockTrace& trace, const machine::Machine& machine,
                         const machine::Occupancy& occupancy, const BufferSizes& sizes,
                         LaunchCounts& counts);

}  // namespace burin::model
