// Products of rows and columns, one result per thread: half of the loads depend on the result's row
// alone, the other half on its column alone.
//
//   if (const std::optional<RegisterTile> tile = register_tile(c)) …
//     tile->across, tile->down       4, 4: results per thread
//     tile->after.time_us            208: of a tiled kernel
#pragma once

#include <optional>

#include "advise/case/case.h"
#include "advise/case/rework.h"

namespace burin::advise {

struct RegisterTile {
  std::uint32_t load = read::kNoIndex;  // of the rows, the most frequent one
  std::uint32_t loop = read::kNoIndex;
  unsigned across = 1;  // results per thread along x
  unsigned down = 1;    // results per thread along y
  bool staged = false;  // the loads are from shared memory already
  double blocks = 0;    // of 16 × 16 threads
  Reworked after{};
};
// Needs a study. Returns the tile with the shortest time, for row and column tiles in shared
// memory, wide loads from there, and the remaining blocks spread over the SMs.
std::optional<RegisterTile> register_tile(const Case& c);

}  // namespace burin::advise
