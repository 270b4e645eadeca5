// Which problem sizes to measure: from small to large by a factor, and near each of them one that
// fills whole waves of blocks.
//
//   geometric_sizes(1024, 10000, 2)      {1024, 2048, 4096, 8192, 10000}
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace burin::model {

// `from`, then each `step` times the one before, and `to` as the last. `step` is above 1.
std::vector<std::int64_t> geometric_sizes(std::int64_t from, std::int64_t to, double step);

// The blocks of the launch at a size; none if the configuration is not valid there.
using BlocksOf = std::function<std::optional<std::uint64_t>(std::int64_t size)>;

// The size from `size` up to half as large again whose last wave is fullest, in steps of a 64th of
// `size` (so that a multiple of 64 stays a multiple); `size` itself if none is better by 2 % of the
// waves. `wave` is the number of blocks that the GPU holds at a time.
std::int64_t whole_wave_size(std::int64_t size, std::uint64_t wave, const BlocksOf& blocks_of);

// The share of the SMs' block slots that a grid keeps busy: blocks ÷ (whole waves × wave).
double wave_efficiency(std::uint64_t blocks, std::uint64_t wave);

// "n=1024:65536" or "n=1024:65536:4".
struct SizeRange {
  std::string name{};
  std::int64_t from = 0;
  std::int64_t to = 0;
  double step = 2;
};
Result<SizeRange> parse_size_range(const std::string& text);

}  // namespace burin::model
