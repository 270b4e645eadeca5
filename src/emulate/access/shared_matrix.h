// The matrices that a warpgroup product reads from shared memory, and the layout of their elements
// as given by a matrix descriptor.
//
// A matrix consists of rows of 16 bytes. A descriptor holds the start address, two distances
// (leading and stride) and a swizzle. The layouts, where W is the width of the swizzle in bytes
// (16: no swizzle):
//
//   K-major        line n (row of A, column of B), byte b along K:
//                  none      (b / 16) leading + (n / 8) stride + (n % 8) 16 + b % 16
//                  swizzled  (n / 8) stride + (n % 8) W + b
//   transposed     (16-bit elements) lines are adjacent in memory; element k, byte b along lines:
//                  none      (b / 16) stride + (k / 8) leading + (k % 8) 16 + b % 16
//                  swizzled  (b / W) leading + (k / 8) stride + (k % 8) W + b % W
//
// A swizzle then permutes rows of 16 bytes: address bits 7 and up, as many as needed to number the
// W / 16 rows, are XORed into bits 4 and up. The descriptor's base offset is subtracted from bits 7
// and up first.
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
  std::uint32_t width = 16;  // swizzle width: 16, 32, 64 or 128 bytes

  // Returns the address of the 16 bytes that hold byte `along` of K of line `line`. If transposed:
  // of the 16 bytes that hold element `along` of K for the eight lines from `line` on.
  std::uint32_t address(unsigned line, unsigned along, bool transposed) const;
};
MatrixDescriptor read_descriptor(std::uint32_t low, std::uint32_t high);

// A fragment read from shared memory. The fragment's `words` point into `storage`, so it cannot be
// copied.
struct LoadedFragment {
  std::array<Lanes, kMaxFragment> storage;
  Fragment fragment;

  LoadedFragment() = default;
  LoadedFragment(const LoadedFragment&) = delete;
  LoadedFragment& operator=(const LoadedFragment&) = delete;
};

// Loads lines `first` … `first` + 7 (B), or `first` … `first` + 15 (`tall`: A), and `bytes` bytes
// along K.
void load_fragment(Warp& warp, const MatrixDescriptor& matrix, unsigned first, bool tall,
                   bool transposed, unsigned bytes, LoadedFragment& out);

}  // namespace burin::emulate
