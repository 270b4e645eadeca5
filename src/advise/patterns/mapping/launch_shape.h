// Which changes of a launch's shape are allowed, for rules that propose another shape.
//
//   const LaunchShape shape(c);
//   if (std::optional<launch::Launch> smaller = shape.with_block({128})) …   // same results
//   else if (const auto edited = shape.after_edit({128})) …            // same, after a small edit
//   else if (const auto stacked = shape.stacked(4)) …                  // four blocks in one
//   else shape.why_fixed()       "the threads of a block synchronise at k.cu:12"
//
// A hint may ask for another launch or index only on the strength of one of these, or of a loop
// below; otherwise it names what stands in the way.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "advise/case/case.h"
#include "analyze/reshape/reshape.h"

namespace burin::advise {

class LaunchShape {
 public:
  explicit LaunchShape(const Case& c);  // must outlive this object

  // Returns the launch with blocks of this shape, if that provably gives the same results and the
  // machine can hold such a block. Without a study its arguments are missing.
  std::optional<launch::Launch> with_block(launch::Dims block) const;

  // For the axis with the most threads:
  const analyze::AxisFreedom& longest() const { return reshape_.axes[longest_]; }
  // Why other block sizes are not proved, as a clause; "": they are proved.
  const std::string& why_fixed() const { return longest().text; }
  // The same as a sentence after a lead-in: "Smaller blocks need other code: … ."
  std::string obstacle(std::string_view blocks) const;
  // Whether threads of a block cooperate through shared memory, barriers or warp operations.
  bool cooperates() const;

  // The launch with blocks of this shape, if it provably gives the same results once the code uses
  // blockDim in place of a number, or has a bounds check.
  struct Edited {
    launch::Launch launch{};
    std::string edit{};  // "Use blockIdx.x * blockDim.x + threadIdx.x in place of …", no full stop
  };
  std::optional<Edited> after_edit(launch::Dims block) const;

  // Blocks put into one as a further dimension, whose threads know their old block by it. What the
  // code does with threadIdx and blockDim stays the same, and so do the results.
  struct Stacked {
    launch::Dims grid{};
    launch::Dims block{};
    std::string steps{};  // sentences
  };
  std::optional<Stacked> stacked(std::uint32_t blocks) const;

 private:
  const analyze::Reshape& edited() const;

  const Case& c_;
  launch::Launch launch_;
  analyze::Reshape reshape_;
  mutable std::optional<analyze::Reshape> edited_{};
  unsigned longest_ = 0;
};

// Which coordinates of the block the code reads: blockIdx.x, .y, .z.
std::array<bool, analyze::kAxes> block_indices_read(const read::Kernel& kernel);
// Whether lanes of a warp exchange values, or their number is used.
bool lanes_cooperate(const read::Kernel& kernel);

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
// Returns the iterations of a loop per entry; 0: unknown.
double rounds_of(const Case& c, const read::Loop& loop);
// Returns a store of a sum over iterations whose number depends on the number of threads: more
// threads store more and different values. kNoIndex: there is none.
std::uint32_t stored_partial_result(const Case& c);

}  // namespace burin::advise
