#include "gpu/micro/clocks.h"

#include <algorithm>

#include "gpu/micro/micro.h"

namespace burin::gpu {
namespace {

// Calls `reduce(pairs)` for each counted pass; a pair is a start and an end.
template <typename Reduce>
std::vector<double> each_pass(std::span<const std::uint32_t> words, Reduce reduce) {
  std::vector<double> passes;
  const std::size_t size = words.size() / kPasses;
  for (std::size_t pass = 1; pass < kPasses; ++pass) {
    passes.push_back(reduce(words.subspan(pass * size, size)));
  }
  return passes;
}

}  // namespace

std::vector<double> span_of_passes(std::span<const std::uint32_t> words) {
  return each_pass(words, [](std::span<const std::uint32_t> pairs) {
    // Against one warp's start, so that a wrap in between does no harm.
    std::int32_t first = 0, last = 0;
    std::uint32_t origin = 0;
    bool any = false;
    for (std::size_t i = 0; i + 1 < pairs.size(); i += 2) {
      if (pairs[i] == 0 && pairs[i + 1] == 0) continue;
      if (!any) origin = pairs[i];
      any = true;
      first = std::min(first, static_cast<std::int32_t>(pairs[i] - origin));
      last = std::max(last, static_cast<std::int32_t>(pairs[i + 1] - origin));
    }
    return static_cast<double>(last) - first;
  });
}

std::vector<double> mean_of_passes(std::span<const std::uint32_t> words) {
  return each_pass(words, [](std::span<const std::uint32_t> pairs) {
    double sum = 0;
    std::size_t warps = 0;
    for (std::size_t i = 0; i + 1 < pairs.size(); i += 2) {
      if (pairs[i] == 0 && pairs[i + 1] == 0) continue;
      sum += pairs[i + 1] - pairs[i];
      ++warps;
    }
    return warps == 0 ? 0 : sum / static_cast<double>(warps);
  });
}

}  // namespace burin::gpu
