// The observed address differences of one instruction between two blocks, and the strides that
// explain them.
//
//   Seen seen;                                    // of one instruction
//   seen.moves.push_back({block, {.x = 1}, 512}); // the next block in x: 512 bytes further
//   explain(seen).strides.x                       // 512
#pragma once

#include <cstdint>
#include <vector>

#include "timing/trace/strides.h"

namespace burin::timing {

// The reference block compared with one other block, at one instruction.
struct Observation {
  std::uint64_t block = 0;  // number of the other block
  BlockStep step;
  std::int64_t shift = 0;
  std::uint32_t count = 1;  // number of occurrences
};

// The shifts of one instruction between the reference and the other blocks. A block has several
// entries if not all addresses of the instruction shift by the same amount.
struct Seen {
  std::vector<Observation> moves;
  bool irregular = false;  // the lanes' address patterns differ between the two blocks
};

// Strides that explain the moves, or kIrregular. A few exceptions are allowed, for blocks that
// continue in another row of tiles.
struct Explained {
  Strides strides;
  double exceptions = 0;
};
Explained explain(const Seen& seen);

}  // namespace burin::timing
