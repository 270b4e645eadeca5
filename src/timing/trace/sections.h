// Chooses which parts of a long trace are replayed. A loop with many iterations is replayed for its
// first and last iterations; the steady iterations among the first ones represent the omitted ones
// through their weight.
#pragma once

#include <cstdint>
#include <vector>

#include "read/program/kernel.h"
#include "timing/trace/trace.h"

namespace burin::timing {

struct Section {
  std::uint32_t begin = 0;  // positions in the warp's steps
  std::uint32_t end = 0;
  double weight = 1;  // number of steps that each step represents, including itself
  std::vector<std::uint32_t> arrivals{};  // omitted steps before `begin` that arrive at a barrier
};

// The sections of each warp, in order. The sections and the gaps between them cover the warp's
// steps.
using Sections = std::vector<std::vector<Section>>;

// Returns sections such that about `target` steps are replayed over all warps of the block; all
// steps if there are no more than that, or if no loop can be shortened.
Sections choose_sections(const read::Kernel& kernel, const BlockTrace& trace, std::uint64_t target);

}  // namespace burin::timing
