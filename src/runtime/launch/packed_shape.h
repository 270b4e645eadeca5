// Launches packed into few words, for the tables that are looked up at every launch.
#pragma once

#include <cstdint>
#include <cstring>

#include "runtime/launch/launch_shape.h"

namespace burin::runtime {

struct PackedShape {
  std::uint64_t grid = 0;   // x 32 bits, y and z 16 bits each
  std::uint64_t block = 0;  // dynamic shared memory 32 bits, x and y 11 bits each, z 7 bits
};

// False for a shape that does not fit: no GPU has such a launch.
inline bool pack(const LaunchShape& shape, PackedShape& packed) {
  const Extent& grid = shape.grid;
  const Extent& block = shape.block;
  if ((grid[1] | grid[2]) > 0xffff || (block[0] | block[1]) > 0x7ff || block[2] > 0x7f ||
      shape.shared_bytes > 0xffffffff) {
    return false;
  }
  packed.grid = grid[0] | std::uint64_t{grid[1]} << 32 | std::uint64_t{grid[2]} << 48;
  packed.block = shape.shared_bytes | std::uint64_t{block[0]} << 32 |
                 std::uint64_t{block[1]} << 43 | std::uint64_t{block[2]} << 54;
  return true;
}

inline LaunchShape unpack(const PackedShape& packed) {
  const auto bits = [](std::uint64_t word, int shift, std::uint32_t mask) {
    return static_cast<std::uint32_t>(word >> shift) & mask;
  };
  return {
      {bits(packed.grid, 0, ~0u), bits(packed.grid, 32, 0xffff), bits(packed.grid, 48, 0xffff)},
      {bits(packed.block, 32, 0x7ff), bits(packed.block, 43, 0x7ff), bits(packed.block, 54, 0x7f)},
      packed.block & 0xffffffff};
}

// Where the arguments are that the sizes of a kernel depend on, in one word: up to two of 32 bits,
// or one of 64 bits. Together they are one word, too.
//
//   ArgumentRecipe recipe;
//   recipe.add(parameter, offset, bytes)     false: too many, then the recipe is not usable
//   recipe.read(pointers)                    the arguments
class ArgumentRecipe {
 public:
  static constexpr std::uint64_t kUnusable = ~std::uint64_t{0};

  ArgumentRecipe() = default;
  explicit ArgumentRecipe(std::uint64_t word) : word_(word) {}

  std::uint64_t word() const { return word_; }
  bool usable() const { return word_ != kUnusable; }

  bool add(std::uint32_t parameter, std::uint32_t offset, std::uint32_t bytes) {
    if (!usable()) return false;
    const std::uint64_t count = word_ & 3;
    const bool wide = bytes == 8;
    if (parameter > 0xff || offset > 0xffff || count == 2 || (count == 1 && (wide || is_wide()))) {
      word_ = kUnusable;
      return false;
    }
    word_ += 1;
    if (wide) word_ |= 4;
    word_ |= (std::uint64_t{parameter} | std::uint64_t{offset} << 8) << (8 + 24 * count);
    return true;
  }

  // False if an argument is missing.
  bool read(const void* const* pointers, std::uint64_t& values) const {
    std::uint64_t found = 0;
    if ((word_ & 3) != 0) {
      const char* const bytes = place(pointers, word_ >> 8);
      if (bytes == nullptr) return false;
      if (is_wide()) {
        std::memcpy(&found, bytes, 8);
      } else {
        found = word_at(bytes);
      }
    }
    if ((word_ & 2) != 0) {
      const char* const bytes = place(pointers, word_ >> 32);
      if (bytes == nullptr) return false;
      found |= word_at(bytes) << 32;
    }
    values = found;
    return true;
  }

 private:
  // Null if the argument is missing.
  static const char* place(const void* const* pointers, std::uint64_t where) {
    const auto* const bytes = static_cast<const char*>(pointers[where & 0xff]);
    return bytes == nullptr ? nullptr : bytes + (where >> 8 & 0xffff);
  }
  static std::uint64_t word_at(const char* bytes) {
    std::uint32_t value;
    std::memcpy(&value, bytes, 4);
    return value;
  }
  bool is_wide() const { return (word_ & 4) != 0; }

  std::uint64_t word_ = 0;  // count 2 bits, wide 1 bit, from bit 8 on parameter 8, offset 16 bits
};

}  // namespace burin::runtime
