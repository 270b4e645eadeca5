// Groups the launches of a capture that differ only in their time and in the addresses of their
// buffers, so that one prediction covers the whole group.
//
//   for (const LaunchGroup& group : *group_launches(capture))
//     group.launches.size(), group.median_us …
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "capture/capture.h"
#include "launch/recent_use.h"

namespace burin::capture {

struct LaunchGroup {
  std::vector<const CapturedLaunch*> launches;  // in the order of the capture
  // A launch with memory contents, if there is one; else one that finds as much of its buffers in
  // the L2 cache as most do.
  const CapturedLaunch* example = nullptr;
  std::uint64_t total_ns = 0;             // sum over launches with a known time
  double median_us = 0;                   // 0: no launch has a time
  bool is_warm = false;                   // the example finds most of its buffers in L2
  std::vector<launch::RecentUse> recent;  // what earlier launches used, oldest first

  std::size_t repeated = 0;  // launches of a kernel that was launched before
  bool is_repeated() const { return 2 * repeated > launches.size(); }  // most launches are
};

// Returns the groups, longest total time first. Pointer arguments distinguish launches only by
// their alignment.
Result<std::vector<LaunchGroup>> group_launches(const Capture& capture);

// Returns the median duration in µs; 0 if no launch has a duration.
double median_us(const std::vector<const CapturedLaunch*>& launches);

}  // namespace burin::capture
