// The beginning of every microbenchmark's source, and the words its launches are written with.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpu/micro/micro.h"

namespace burin::gpu {

// Types, REPEAT macros, clock reads, the pass loop:
//
//   R64(x)                  x, 64 times, as straight-line code
//   TIMED(out, body)        kPasses passes over body, each between two clock reads, behind a block
//                           barrier; lane 0 of each warp stores both
//   KEEP(out, value)        uses a value, so that the compiler cannot drop what made it
extern const std::string kPrelude;

// What a loop is made of, beside its body: mnemonics that may stand among the timed ones.
extern const std::vector<std::string> kLoopCode;

// A launch whose buffer 0 takes the clocks of all its warps.
MicroLaunch clocked(std::string label, std::string kernel, std::uint32_t blocks,
                    std::uint32_t threads, std::vector<std::string> arguments = {});

// A launch that is timed from outside.
MicroLaunch timed(std::string label, std::string kernel, std::uint32_t blocks,
                  std::uint32_t threads, std::vector<std::string> arguments = {});

// "u32:7", "u64:7".
std::string u32(std::uint64_t value);
std::string u64(std::uint64_t value);

// What one more of `units` costs, where `more` did so many more of them than `less`: the constant
// costs of both cancel out.
struct Slope {
  double value = 0;
  double spread = 0;
};
Slope slope(const Reading& less, const Reading& more, double units);
Slope slope_in_cycles(const Reading& less, const Reading& more, double units);  // timed ones

}  // namespace burin::gpu
