// The matrices that a warpgroup's product takes from shared memory, and how a descriptor says where
// their elements are.
//
// A matrix is made of rows of 16 bytes. In a descriptor stand the start, two distances (leading and
// stride) and a swizzle; the layouts, W being the swizzle's width in bytes (16: none):
//
//   K-major        line n (row of A, column of B), byte b along K:
//                  none      (b / 16) leading + (n / 8) stride + (n % 8) 16 + b % 16
//                  swizzled  (n / 8) stride + (n % 8) W + b
//   transposed     (16-bit elements) lines are neighbours in memory; element k, byte b along the
//   lines:
//                  none      (b / 16) stride + (k / 8) leading + (k % 8) 16 + b % 16
//                  swizzled  (b / W) leading + (k / 8) stride + (k % 8) W + b % W
//
// A swizzle then exchanges rows of 16 bytes: address bits 7 and up, as many as needed to number the
// W / 16 rows, are exclusive-ored into bits 4 and up. The descriptor's base offset is taken off
// bits 7 and up before.
#pragma once

#include <array>
#include <cstdint>

#include "emulate/numbers/fragment.h"

namespace burin::emulate {

struct MatrixDescriptor {
  std::uint32_t start = 0;  // bytes
  std::uint32_t leading = 0;
  std::uint32_t stride = 0;
  std::uint32_t base_offset = 0;
  std::uint32_t width = 16;  // of the swizzle: 16, 32, 64 or 128 bytes

  // Of the 16 bytes that hold line `line` and byte `along` of K; transposed: element `along` of K
  // and the eight lines from `line` on.
  std::uint32_t address(unsigned line, unsigned along, bool transposed) const;
};
MatrixDescriptor read_descriptor(std::uint32_t low, std::uint32_t high);

// A fragment that was read from shared memory. `words` of the fragment point into it: not copied.
struct LoadedFragment {
  std::array<Lanes, kMaxFragment> storage;
  Fragment fragment;

  LoadedFragment() = default;
  LoadedFragment(const LoadedFragment&) = delete;
  LoadedFragment& operator=(const LoadedFragment&) = delete;
};

// Lines `first` … `first` + 7 (B), or + 15 (`tall`: A), `bytes` along K.
void load_fragment(Warp& warp, const MatrixDescriptor& matrix, unsigned first, bool tall,
                   bool transposed, unsigned bytes, LoadedFragment& out);

}  // namespace burin::emulate
