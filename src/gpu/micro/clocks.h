// Computes cycles per pass from the clock values that the warps of a kernel wrote. Clocks are 32
// bits and wrap around. A warp that wrote no clocks (both words 0) is not counted. The first pass,
// which warms the caches, is excluded.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace burin::gpu {

// `words` holds, for each of kPasses passes and for each warp, the start and the end clock.
//
//   span_of_passes: warps of one SM; cycles from the first start to the last end
//   mean_of_passes: mean cycles per warp
std::vector<double> span_of_passes(std::span<const std::uint32_t> words);
std::vector<double> mean_of_passes(std::span<const std::uint32_t> words);

}  // namespace burin::gpu
