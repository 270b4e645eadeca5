// Whether a captured launch finds what it works on in the L2 cache: it does where a launch before
// it, on the same GPU, was given the same allocation. A capture does not tell how much was moved in
// between, so buffers count as held as far as they fit.
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
  // To be asked for each launch, in the capture's order.
  bool meets(const CapturedLaunch& launch, const CapturedArguments& arguments);

 private:
  std::set<std::pair<std::uint64_t, std::uint64_t>> met_;  // GPU, and where the allocation begins
};

// The same for a single launch.
Result<bool> reuses_buffers(const Capture& capture, const CapturedLaunch& launch);

}  // namespace burin::capture
