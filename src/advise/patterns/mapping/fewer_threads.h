// The time of a launch with fewer threads, each of which does the work of several.
//
// Loads, stores and index computation become fewer, but the arithmetic of each element does not:
// fewer warps on fewer SMs share it. It is timed in a launch of that many blocks.
//
//   FewerThreads change{.grid = {1024}, .block = c.block, .together = 4, .once = …};
//   match.least_us = time_with_fewer_threads(c, change, match.edits);
#pragma once

#include <span>

#include "advise/case/case.h"
#include "analyze/study/edit.h"

namespace burin::advise {

struct FewerThreads {
  launch::Dims grid{};
  launch::Dims block{};
  unsigned together = 1;        // elements per thread
  read::InstructionSet once{};  // executed once for these elements
};
// `edits`: what becomes of the launch otherwise. Needs a study. Returns 0 if the smaller launch
// cannot be emulated.
double time_with_fewer_threads(const Case& c, const FewerThreads& change,
                               std::span<const analyze::Edit> edits);

// The time of the same code in a part of the blocks along x: at least what a launch takes whose
// threads, that many times fewer, each do what one does now. Needs a study; 0: unknown.
double time_of_part(const Case& c, double share);

}  // namespace burin::advise
