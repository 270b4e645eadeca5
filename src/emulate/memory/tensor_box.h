// The box of a tensor that one TMA copy moves, row by row: the row's address in global memory, the
// part inside of the tensor, and its offset in shared memory.
//
//   for_each_row(map, {64, -1}, [&](const BoxRow& row) { … });
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "launch/tensor_map.h"

namespace burin::emulate {

using BoxCorner =
    std::array<std::int32_t, launch::kMaxTensorDimensions>;  // in elements, innermost first

struct BoxRow {
  std::uint32_t offset = 0;   // offset of the row in the box in shared memory, before swizzling
  std::uint64_t address = 0;  // address of the row's first byte inside of the tensor
  std::uint32_t before = 0;   // bytes of the row before `address`, outside of the tensor
  std::uint32_t inside = 0;   // bytes inside of the tensor; 0: the whole row is outside
};

// Returns the number of elements of the box in dimension k: one in every `step`, but always all of
// dimension 0.
inline std::uint32_t box_count(const launch::TensorMap& map, unsigned k) {
  return k == 0 ? map.box[0] : (map.box[k] + map.step[k] - 1) / map.step[k];
}

inline std::uint32_t row_bytes(const launch::TensorMap& map) {
  return map.box[0] * launch::element_bytes(map.type);
}

// Returns the distance between rows in shared memory. Rows narrower than their swizzle are spaced
// by its width: a swizzle permutes within lines of that width.
inline std::uint32_t row_pitch(const launch::TensorMap& map) {
  if (map.swizzle == launch::TensorSwizzle::kNone) return row_bytes(map);
  return std::max(row_bytes(map), 16u << static_cast<unsigned>(map.swizzle));
}

inline std::uint32_t box_bytes(const launch::TensorMap& map) {
  std::uint32_t bytes = row_bytes(map);
  if (map.pixels) return bytes * map.pixels->pixels;
  for (unsigned k = 1; k < map.rank; ++k) bytes *= box_count(map, k);
  return bytes;
}

// Returns the swizzled address of 16 bytes in shared memory: 16-byte units are permuted within 8
// lines of 128 bytes, so that a column of the box does not fall on one bank.
inline std::uint32_t swizzled(launch::TensorSwizzle swizzle, std::uint32_t address) {
  const std::uint32_t mask = (1u << static_cast<unsigned>(swizzle)) - 1;  // in 16-byte units
  return address ^ ((address >> 7 & mask) << 4);
}

template <typename Visit>
void for_each_row(const launch::TensorMap& map, const BoxCorner& corner, Visit visit) {
  const std::int64_t element = launch::element_bytes(map.type);
  const auto size = static_cast<std::int64_t>(map.size[0]);
  const std::int64_t first = std::clamp<std::int64_t>(corner[0], 0, size);
  const std::int64_t last = std::clamp<std::int64_t>(std::int64_t{corner[0]} + map.box[0], 0, size);
  std::array<std::uint32_t, launch::kMaxTensorDimensions> at{};
  for (BoxRow row;; row.offset += row_pitch(map)) {
    row.address = map.address + static_cast<std::uint64_t>(first * element);
    row.before = static_cast<std::uint32_t>((first - corner[0]) * element);
    row.inside = last > first ? static_cast<std::uint32_t>((last - first) * element) : 0;
    for (unsigned k = 1; k < map.rank; ++k) {
      const std::int64_t x = std::int64_t{corner[k]} + std::int64_t{at[k]} * map.step[k];
      if (x < 0 || x >= static_cast<std::int64_t>(map.size[k])) row.inside = 0;
      row.address += static_cast<std::uint64_t>(x) * map.stride[k];
    }
    visit(static_cast<const BoxRow&>(row));
    unsigned k = 1;
    while (k < map.rank && ++at[k] == box_count(map, k)) at[k++] = 0;
    if (k >= map.rank) return;
  }
}

// The same for a copy of pixels (im2col), a row for each: from `corner` on through the map's range,
// innermost dimension first, then the next image. `shift` is added to the position of each, by
// dimension from 1 on: the filter's weight that the copy is for.
template <typename Visit>
void for_each_pixel(const launch::TensorMap& map, const BoxCorner& corner,
                    const std::array<std::int32_t, 3>& shift, Visit visit) {
  const launch::PixelRange& range = *map.pixels;
  launch::TensorMap pixel = map;  // a box of one pixel
  pixel.pixels.reset();
  BoxCorner position = corner;
  for (std::uint32_t p = 0; p < range.pixels; ++p) {
    BoxCorner shifted = position;
    for (unsigned k = 0; k < shift.size(); ++k) shifted[k + 1] += shift[k];
    for_each_row(pixel, shifted, [&](BoxRow row) {
      row.offset = p * row_pitch(map);
      visit(static_cast<const BoxRow&>(row));
    });
    unsigned k = 0;
    for (; k < shift.size(); ++k) {
      position[k + 1] += static_cast<std::int32_t>(map.step[k + 1]);
      const auto last = static_cast<std::int64_t>(map.size[k + 1]) - 1 + range.upper[k];
      if (position[k + 1] <= last) break;
      position[k + 1] = range.lower[k];
    }
    if (k == shift.size()) ++position[k + 1];
  }
}

}  // namespace burin::emulate
