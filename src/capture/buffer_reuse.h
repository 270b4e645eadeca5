// Estimates whether a captured launch finds its data in the L2 cache: it does if an earlier launch
// on the same GPU was given the same allocation. A capture does not record how much data was moved
// in between, so buffers count as cached as far as they fit into L2.
//
//   BufferReuse reuse;
//   for (const CapturedLaunch& launch : capture.launches())
//     if (reuse.meets(launch, *capture.arguments(launch.id))) …
#pragma once

#include <cstdint>
#include <set>
#include <utility>

#include "capture/capture.h"

namespace burin::capture {

class BufferReuse {
 public:
  // Returns whether the launch reuses an allocation of an earlier launch. Call it once per launch,
  // in the order of the capture.
  bool meets(const CapturedLaunch& launch, const CapturedArguments& arguments);

 private:
  std::set<std::pair<std::uint64_t, std::uint64_t>> met_;  // GPU and start of the allocation
};

// Returns whether a single launch reuses an allocation of an earlier launch of the capture.
Result<bool> reuses_buffers(const Capture& capture, const CapturedLaunch& launch);

}  // namespace burin::capture
