// How far apart two blocks' addresses of one instruction were seen to lie, and the strides that
// explain it.
//
//   Seen seen;                                    // of one instruction
//   seen.moves.push_back({block, {.x = 1}, 512}); // the next block in x: 512 bytes further
//   explain(seen).strides.x                       // 512
#pragma once

#include <cstdint>
#include <vector>

#include "timing/trace/strides.h"

namespace burin::timing {

// One pair of blocks seen at one instruction.
struct Observation {
  std::uint64_t block = 0;  // the other's number
  BlockStep step;
  std::int64_t shift = 0;
  std::uint32_t count = 1;  // how often
};

// Per instruction, the shifts between the reference and the other blocks; several of one block
// where the instruction's addresses do not all move alike.
struct Seen {
  std::vector<Observation> moves;
  bool irregular = false;  // the lanes' addresses do not lie alike in the two
};

// Strides that explain the moves, or kIrregular. A few exceptions are allowed: blocks that go on in
// another row of tiles.
struct Explained {
  Strides strides;
  double exceptions = 0;
};
Explained explain(const Seen& seen);

}  // namespace burin::timing
