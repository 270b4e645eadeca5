// Which changes of a launch's shape are allowed, for rules that propose another shape.
//
//   const LaunchShape shape(c);
//   if (std::optional<launch::Launch> smaller = shape.with_block({128})) …   // same results
//   else if (const auto edited = shape.after_edit({128})) …            // same, after a small edit
//   else if (const auto stacked = shape.stacked(4)) …                  // four blocks in one
//   else shape.why_fixed()       "the threads of a block synchronise at k.cu:12"
//
// A hint may ask for another launch or index only on the strength of one of these, or of a loop in
// strided_loops.h; otherwise it names what stands in the way.
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

// The launch of a case; without a study its arguments are missing.
launch::Launch launch_of(const Case& c);
// Whether launch shapes are analysed for the kernel's architecture: sm_70 to sm_90, see
// launch_size.h.
bool is_shape_analysed(const Case& c);
// Whether launch_size.h recognises reads of the block and grid size: on machines of sm_80 to sm_90.
bool knows_sizes(const Case& c);
// Whether lanes of a warp exchange values, or their number is used.
bool lanes_cooperate(const read::Kernel& kernel);

}  // namespace burin::advise
