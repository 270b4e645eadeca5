// The common start of all microbenchmark sources, and functions to describe their launches.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpu/micro/micro.h"

namespace burin::gpu {

// Source text with types, REPEAT macros, clock reads and the pass loop:
//
//   R64(x)                  x repeated 64 times as straight-line code
//   TIMED(out, body)        kPasses passes over body, each after a block barrier and between two
//                           clock reads; lane 0 of each warp stores both clocks
//   KEEP(out, value)        uses a value, so that the compiler cannot remove its computation
extern const std::string kPrelude;

// Mnemonics of loop overhead, which are allowed among the timed instructions.
extern const std::vector<std::string> kLoopCode;

// A launch whose buffer 0 receives the clocks of all its warps.
MicroLaunch clocked(std::string label, std::string kernel, std::uint32_t blocks,
                    std::uint32_t threads, std::vector<std::string> arguments = {});

// A launch that is timed as a whole, without clock reads in the kernel.
MicroLaunch timed(std::string label, std::string kernel, std::uint32_t blocks,
                  std::uint32_t threads, std::vector<std::string> arguments = {});

// Launch arguments: "u32:7", "u64:7".
std::string u32(std::uint64_t value);
std::string u64(std::uint64_t value);

// The cost per unit of work, where `more` did `units` more units than `less`. Constant overheads of
// both cancel out. `spread` is a fraction of the value.
struct Slope {
  double value = 0;
  double spread = 0;
};
Slope slope(const Reading& less, const Reading& more, double units);
Slope slope_in_cycles(const Reading& less, const Reading& more,
                      double units);  // for timed launches

}  // namespace burin::gpu
