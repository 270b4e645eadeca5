// Loops whose steps depend on the launch: by the grid, or by the block. Rules that add blocks or
// threads need to know which loop they would shorten, and how its parts are combined.
//
//   const std::optional<BlockLoops> loops = block_loops(c);   // for (i = threadIdx.x; …; i +=
//   blockDim.x) if (loops && !loops->reduces) …                           // can be split over more
//   blocks
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "advise/case/case.h"

namespace burin::advise {

// Returns the axis along which a loop steps by gridDim, or by gridDim * blockDim. kNoIndex: no loop
// does, so that gridDim decides results in another way.
std::uint32_t grid_stride_axis(const Case& c);

// Loops that start at threadIdx.x and step by the block, by blockDim or by a number: outermost
// ones, those with other source lines listed separately.
struct BlockLoops {
  std::vector<std::uint32_t> loops{};
  std::uint32_t hottest = read::kNoIndex;
  std::string names{};      // "loop at a.cu:4", "loops at a.cu:4 and a.cu:9"
  double share = 0;         // of the launch's warp time
  bool reduces = false;     // the parts of a loop have to be combined
  bool continues = false;   // code after that needs the combined result
  bool by_number = false;   // a loop steps by a number, which lets the compiler unroll it
  bool by_atomics = false;  // the code already combines them by atomics in global memory
};
std::optional<BlockLoops> block_loops(const Case& c);  // empty: none, or they cannot be split

// Returns the outermost loop in which threads step by blockDim, so that each block executes all
// iterations: `for (i = threadIdx.x; i < n; i += blockDim.x)`. kNoIndex: there is none.
std::uint32_t block_stride_loop(const Case& c);
// The same among the loops around an instruction.
std::uint32_t block_stride_loop_around(const Case& c, std::uint32_t instruction);
// Returns the share of the launch's warp time in loops in which threads step by blockDim.
double block_stride_share(const Case& c);
// Returns the iterations of a loop per entry; 0: unknown.
double rounds_of(const Case& c, const read::Loop& loop);
// Returns a store of a sum over iterations whose number depends on the number of threads: more
// threads store more and different values. kNoIndex: there is none.
std::uint32_t stored_partial_result(const Case& c);

}  // namespace burin::advise
