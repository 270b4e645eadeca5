// The clocks that a kernel's warps wrote, as cycles a pass. Clocks are 32 bits and wrap; a warp
// that wrote none (both words 0) is not counted. The first pass, which is for the caches, is left
// out.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace burin::gpu {

// `words`: for each of kPasses passes, for each warp, its start and its end.
//
//   span_of_passes: warps of one SM, from the first start to the last end
//   mean_of_passes: the mean of what each took
std::vector<double> span_of_passes(std::span<const std::uint32_t> words);
std::vector<double> mean_of_passes(std::span<const std::uint32_t> words);

}  // namespace burin::gpu
