// Loops that one thread of a block runs while the others wait: `if (threadIdx.x == 0) for (…) …`.
//
//   const OneThreadLoops alone = one_thread_loops(c, lanes);
//     alone.names         {"loop at a.cu:14-15", "loop at a.cu:18-19"}
//     alone.combining_us  what combining the threads' partial results adds to the launch
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "advise/case/case.h"
#include "advise/patterns/code/lanes.h"
#include "advise/patterns/code/slack.h"

namespace burin::advise {

inline constexpr double kOneLane = 1.5;  // active lanes: one lane does all of the work

struct OneThreadLoops {
  read::InstructionSet instructions{};  // of these loops
  std::vector<std::string> names{};     // in the order of the code
  double combining_us = 0;
  bool scans = false;  // one of them stores a running result in each iteration
};
// Loops in which one lane of one warp is active, and which are long enough to be shared by the
// threads of the block. Recurrences are not included: each iteration needs the one before. Needs a
// study.
OneThreadLoops one_thread_loops(const Case& c, const std::vector<LaneMean>& lanes);

// Iterations per entry of the loop in the source. An iteration of an unrolled loop counts once for
// each copy of its memory accesses.
double source_iterations(const Case& c, const Slack& slack, std::uint32_t loop);

// For each instruction, the maximum number of warps of a traced block that execute it.
std::vector<double> warps_at(const Case& c);

}  // namespace burin::advise
