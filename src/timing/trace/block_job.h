// A block for an SM to run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "timing/trace/sections.h"
#include "timing/trace/strides.h"
#include "timing/trace/trace.h"

namespace burin::timing {

// A block for the SM to run: the trace it replays, its position, and the blocks on the other SMs.
struct BlockJob {
  const BlockTrace* trace = nullptr;
  const Sections* sections = nullptr;
  BlockStep own{};                     // relative to the traced block
  std::vector<BlockStep> others;       // blocks on the other SMs at that time, relative to the
                                       // traced block
  std::uint64_t others_id = 0;         // unique identifier of this combination of `own` and
                                       // `others`
  std::size_t pair = ~std::size_t{0};  // index in `others` of the block on the neighbouring SM
};

}  // namespace burin::timing
