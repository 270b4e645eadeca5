// Launches of a capture that are the same but for when they ran and where their buffers lay: one
// prediction stands for all of them.
//
//   for (const LaunchGroup& group : *group_launches(capture))
//     group.launches.size(), group.median_us …
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "capture/capture.h"

namespace burin::capture {

struct LaunchGroup {
  std::vector<const CapturedLaunch*> launches;  // in the capture's order
  const CapturedLaunch* example = nullptr;      // one with contents of memory, where one has them
  std::uint64_t total_ns = 0;                   // of those with a time
  double median_us = 0;                         // 0: none has a time
  std::size_t reusing = 0;                      // launches that find their buffers in the cache

  bool is_warm() const { return 2 * reusing > launches.size(); }  // most of them do
};

// The longest total first. Of pointers only the alignment tells launches apart.
Result<std::vector<LaunchGroup>> group_launches(const Capture& capture);

// The median of the durations, in µs; 0 where no launch has one.
double median_us(const std::vector<const CapturedLaunch*>& launches);

}  // namespace burin::capture
