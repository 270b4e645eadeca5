// A LaunchShape as three words, for the history.
#pragma once

#include <cstdint>

#include "runtime/launch_shape.h"

namespace burin::runtime {

inline void pack(const LaunchShape& shape, std::uint64_t& grid, std::uint64_t& block,
                 std::uint64_t& shared_bytes) {
  grid = shape.grid[0] | std::uint64_t{shape.grid[1]} << 32 | std::uint64_t{shape.grid[2]} << 48;
  block =
      shape.block[0] | std::uint64_t{shape.block[1]} << 32 | std::uint64_t{shape.block[2]} << 48;
  shared_bytes = shape.shared_bytes;
}

inline LaunchShape unpack(std::uint64_t grid, std::uint64_t block, std::uint64_t shared_bytes) {
  const auto extent = [](std::uint64_t word) {
    return Extent{static_cast<std::uint32_t>(word), static_cast<std::uint32_t>(word >> 32 & 0xffff),
                  static_cast<std::uint32_t>(word >> 48)};
  };
  return {extent(grid), extent(block), shared_bytes};
}

// False for a shape that does not fit: no GPU has such a launch.
inline bool pack_own(const LaunchShape& shape, std::uint64_t& grid, std::uint64_t& block,
                     std::uint64_t& shared_bytes) {
  constexpr std::uint32_t kMax = 0xffff;
  if (shape.grid[1] > kMax || shape.grid[2] > kMax || shape.block[1] > kMax ||
      shape.block[2] > kMax) {
    return false;
  }
  pack(shape, grid, block, shared_bytes);
  return true;
}

}  // namespace burin::runtime
