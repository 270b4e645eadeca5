// The kernels of a capture to advise on, longest total time first. If asked for, a kernel that is
// launched from several places in the program is listed once for each place that takes at least a
// tenth of its time, provided they launch different work or the samples of each are known.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "capture/call_paths.h"
#include "capture/capture.h"

namespace burin::jobs {

struct HotKernel {
  const capture::CapturedKernel* kernel = nullptr;
  const capture::CapturedLaunch* example = nullptr;  // null: only samples tell of it
  std::vector<const capture::CapturedLaunch*> alike{};
  std::uint64_t total_ns = 0;
  std::uint64_t samples = 0;
  // The places that launch it; empty if there are no call stacks or only one place.
  std::vector<capture::CallPath> paths{};
  bool one_path = false;        // only the launches of paths.front(), not all of the kernel's
  bool shared_samples = false;  // one_path, but the samples are those of all paths
};

// Returns the `count` hottest kernels whose name contains `wanted`. `by_caller`: once for each
// place that launches it.
Result<std::vector<HotKernel>> hot_kernels(const capture::Capture& capture,
                                           const std::optional<std::string>& wanted,
                                           std::size_t count, bool by_caller);

// Returns the kernel of one launch, with the path that it was launched from.
Result<HotKernel> hot_kernel_of(const capture::Capture& capture,
                                const capture::CapturedLaunch& launch);

}  // namespace burin::jobs
