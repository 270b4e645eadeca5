// Which parts of a long trace are replayed. A loop that goes round many times is replayed for its
// first and last passes; the steady ones among the first stand for those left out, by their weight.
#pragma once

#include <cstdint>
#include <vector>

#include "read/program/kernel.h"
#include "timing/trace/trace.h"

namespace burin::timing {

struct Section {
  std::uint32_t begin = 0;  // steps of the warp
  std::uint32_t end = 0;
  double weight = 1;  // steps that each stands for, itself included
};

// Per warp, in order; together with what lies between them they cover the warp's steps.
using Sections = std::vector<std::vector<Section>>;

// Sections of the block such that about `target` steps of all its warps are replayed; all of them
// where there are no more, or no loop can be shortened.
Sections choose_sections(const read::Kernel& kernel, const BlockTrace& trace, std::uint64_t target);

}  // namespace burin::timing
