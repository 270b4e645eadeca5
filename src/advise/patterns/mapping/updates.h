// The atomics of a kernel on global memory: how many words they update, and how many threads update
// the same word.
//
//   if (const std::optional<Updates> updates = updates_of(c, Origins(c.kernel), false)) …
//     updates->words      256: words that they update
//     updates->together   8: lanes of a warp at one address
#pragma once

#include <cstdint>
#include <optional>

#include "advise/case/case.h"
#include "advise/case/origin.h"

namespace burin::advise {

// All atomics whose result is used, or all whose result is not used, without those whose updates
// cannot be merged.
struct Updates {
  read::InstructionSet set;
  std::uint32_t hottest = read::kNoIndex;
  double requests = 0;  // warp instructions of the traced block; 0: unknown
  double passes = 0;    // passes of the L2 slices for these requests
  double words = 0;     // number of updated words; 0: unknown
  double bytes = 0;     // of all these words
  // Whether these are all words of their buffers. Otherwise up to a sector's words too many.
  bool whole_buffers = false;
  double together = 0;  // lanes at one address, mean over requests; 0: unknown
};

// The atomics with or without a used result; none if there are none.
std::optional<Updates> updates_of(const Case& c, const Origins& origins, bool returning);

}  // namespace burin::advise
