// Which changes of a launch's shape are allowed, for rules that propose another shape.
//
//   const LaunchShape shape(c);
//   if (std::optional<launch::Launch> smaller = shape.with_block({128})) …   // same results
//   else shape.why_fixed()       "blockIdx.x * 32 at k.cu:12 fixes blocks of 32 threads in x"
#pragma once

#include <cstdint>
#include <optional>
#include <string>

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
  // A sentence: what fixes the block shape, and what to do about it.
  std::string what_must_change() const;
  // Whether threads of a block cooperate through shared memory, barriers or warp operations.
  bool cooperates() const;

 private:
  const Case& c_;
  launch::Launch launch_;
  analyze::Reshape reshape_;
  unsigned longest_ = 0;
};

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
