// What the warps of one SM do in a short window of cycles: every cycle of every warp, as an issue
// or as a stall with its reason and its cause.
//
//   for (const WarpInterval& i : prediction.timeline.intervals)
//     i.warp, i.scheduler, i.from, i.until, i.is_issue ? … : name(i.stall)
//
// The intervals of a warp follow one another without gaps, as in Account: the last cycle before the
// next interval of stalls is the issue of `instruction`.
#pragma once

#include <cstdint>
#include <vector>

#include "launch/stall.h"

namespace burin::timing {

struct WarpInterval {
  static constexpr std::uint32_t kNoCause = 0xffffffff;

  std::int64_t from = 0;  // cycles since the SM's first block began
  std::int64_t until = 0;
  std::uint32_t warp = 0;         // numbered by their start
  std::uint32_t instruction = 0;  // that the warp issues or waits to issue
  std::uint32_t cause = kNoCause;
  launch::Stall stall = launch::Stall::kMisc;
  std::uint8_t scheduler = 0;
  bool is_issue = false;
};

struct Timeline {
  std::int64_t from = 0;  // cycles
  std::int64_t until = 0;
  std::uint32_t warps_per_block = 0;
  std::vector<WarpInterval> intervals{};  // in the order of their issues
};

}  // namespace burin::timing
