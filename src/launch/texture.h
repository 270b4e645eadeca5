// A texture object of a launch: what a kernel reads through it, and where that lies in memory.
//
//   Texture points{.handle = 1, .address = 0x7f0000000000, .texel_bytes = 4, .width = 1 << 20};
//   offset_of(points, 17, 0)              // 68
#pragma once

#include <algorithm>
#include <cstdint>

namespace burin::launch {

struct Texture {
  std::uint64_t handle = 0;   // what the program passes to the kernel
  std::uint64_t address = 0;  // of the first texel; for an array: a range that no buffer has
  std::uint32_t texel_bytes = 4;
  std::uint32_t channels = 1;  // numbers in a texel; of 4 bytes each, they are read as they are
  std::uint64_t width = 0;     // in texels
  std::uint64_t height = 0;    // in texels; 0: one dimension
  std::uint64_t pitch = 0;     // bytes from row to row
  bool is_array = false;       // in the GPU's own layout, whose contents are not known
  bool is_normalized = false;  // coordinates count from 0 to 1
};

// Rows of an array lie in tiles of so many bytes and rows.
inline constexpr std::uint64_t kArrayTileBytes = 64, kArrayTileRows = 8;

// The range that a texture covers, in bytes.
inline std::uint64_t size_of(const Texture& texture) {
  if (texture.height == 0) return texture.width * texture.texel_bytes;
  if (!texture.is_array) return texture.height * texture.pitch;
  const auto tiles = [](std::uint64_t size, std::uint64_t tile) {
    return size / tile + (size % tile != 0 ? 1 : 0);
  };
  return tiles(texture.pitch, kArrayTileBytes) * tiles(texture.height, kArrayTileRows) *
         kArrayTileBytes * kArrayTileRows;
}

// Bytes from the texture's address to a texel; coordinates outside are clamped.
inline std::uint64_t offset_of(const Texture& texture, std::int64_t x, std::int64_t y) {
  const auto clamped = [](std::int64_t at, std::uint64_t size) {
    return static_cast<std::uint64_t>(std::clamp<std::int64_t>(
        at, 0, std::max<std::int64_t>(1, static_cast<std::int64_t>(size)) - 1));
  };
  const std::uint64_t column = clamped(x, texture.width) * texture.texel_bytes;
  const std::uint64_t row = clamped(y, texture.height);
  if (!texture.is_array || texture.height == 0) return row * texture.pitch + column;
  const std::uint64_t tiles = (texture.pitch + kArrayTileBytes - 1) / kArrayTileBytes;
  const std::uint64_t tile = row / kArrayTileRows * tiles + column / kArrayTileBytes;
  return (tile * kArrayTileRows + row % kArrayTileRows) * kArrayTileBytes +
         column % kArrayTileBytes;
}

}  // namespace burin::launch
