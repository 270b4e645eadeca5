// A block for an SM to run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "timing/trace/sections.h"
#include "timing/trace/strides.h"
#include "timing/trace/trace.h"

namespace burin::timing {

// A block for the SM: whose trace it replays, and where it and its neighbours are.
struct BlockJob {
  const BlockTrace* trace = nullptr;
  const Sections* sections = nullptr;
  BlockStep own{};                     // seen from the trace's block
  std::vector<BlockStep> others;       // the blocks on the other SMs meanwhile, likewise
  std::uint64_t others_id = 0;         // of this block and those; never given twice
  std::size_t pair = ~std::size_t{0};  // among them, the one on the SM beside ours
};

}  // namespace burin::timing
