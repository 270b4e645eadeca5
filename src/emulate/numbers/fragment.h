// The layout of the matrices of a warp-wide product in registers. All shapes follow one pattern:
// lane 4g + t holds, in each 32-bit register, adjacent elements along K.
//
//   A, register r   row g + 8 (r odd), columns 4e (r/2) + e t …   e = elements in a register
//   B, register r   column g, rows 4e r + e t …
//   C and D         row g (registers 0, 1) or g + 8 (2, 3), columns 2t and 2t + 1
//
// A product with 8 rows uses only the even registers of A and half the registers of C.
#pragma once

#include <array>
#include <cstdint>

#include "emulate/numbers/tensor_float.h"
#include "emulate/state/warp.h"
#include "emulate/values/lanes.h"

namespace burin::emulate {

inline constexpr unsigned kMaxFragment = 8;  // registers of A or B

// Consecutive registers as lanes, and the rows or columns of the matrix that contain an Unknown
// element.
struct Fragment {
  std::array<const Lanes*, kMaxFragment> words;
  unsigned registers = 0;
  Mask unknown_lines = 0;  // bit i: row i of A, or column i of B
};

// The row of A (of 16, or of 8 if !tall), and the first of the `width` columns, that register r of
// a lane holds.
constexpr unsigned row_of(unsigned lane, unsigned r, bool tall) {
  return lane / 4 + (tall ? 8 * (r & 1) : 0);
}
constexpr unsigned column_of(unsigned lane, unsigned r, bool tall, unsigned width) {
  return (tall ? r / 2 : r) * 4 * width + lane % 4 * width;
}

Fragment fragment_a(const Warp& warp, const Source& source, unsigned registers, bool tall);
Fragment fragment_b(const Warp& warp, const Source& source, unsigned registers);

// Both return whether some element is infinite or NaN.
bool decode_rows(const Fragment& a, TensorFormat format, bool negated, FloatRows& out);
bool decode_columns(const Fragment& b, TensorFormat format, FloatColumns& out);

// The accumulators: 32-bit elements (four registers, or two for 8 rows) or packed halves (two
// registers), starting at the slot. `unknown` is a lane mask per register.
struct AccumulatorTile {
  alignas(32) TileWords words;
  std::array<Mask, 4> unknown{};
  bool special = false;  // some element is infinite or NaN
};
void gather(const Warp& warp, const Source& source, unsigned first, bool tall, bool half,
            AccumulatorTile& out);
// Writes the accumulators. Elements are Unknown if they were before, or if their row of A or column
// of B is.
void scatter(Warp& warp, std::uint16_t slot, unsigned first, bool tall, bool half,
             const AccumulatorTile& in, Mask unknown_rows, Mask unknown_columns);

// Makes all of D Unknown: `registers` registers.
void leave_unknown(Warp& warp, const Op& op, unsigned registers);

// Returns whether the run computes matrix products (Grid::products).
bool wants_products(const Warp& warp);

}  // namespace burin::emulate
