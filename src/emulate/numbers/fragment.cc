#include "emulate/numbers/fragment.h"

#include "emulate/state/block.h"
#include "emulate/state/grid.h"

namespace burin::emulate {

namespace {

// The lines (bit lane / 4) of the lanes in a mask.
Mask lines_of(Mask lanes) {
  Mask lines = 0;
  for (unsigned g = 0; g < 8 && lanes != 0; ++g) lines |= Mask{(lanes >> (4 * g) & 0xf) != 0} << g;
  return lines;
}

// The lanes whose row, or whose column pair, is among the lines.
Mask lanes_of_rows(Mask rows) {
  Mask lanes = 0;
  for (unsigned g = 0; g < 8 && rows != 0; ++g) lanes |= (rows >> g & 1) * (Mask{0xf} << (4 * g));
  return lanes;
}
Mask lanes_of_columns(Mask columns) {
  Mask lanes = 0;
  for (unsigned t = 0; t < 4 && columns != 0; ++t)
    lanes |= Mask{(columns >> (2 * t) & 3) != 0} * (Mask{0x11111111} << t);
  return lanes;
}

bool any_special(const DecodedLanes& d) {
  std::int32_t most = kZeroExponent;
  for (const std::int32_t e : d.exponent) most = e > most ? e : most;
  return most >= kInfinityExponent;
}

}  // namespace

Fragment fragment_a(const Warp& warp, const Source& source, unsigned registers, bool tall) {
  Fragment f{.words = {}, .registers = registers};
  for (unsigned r = 0; r < registers; ++r) {
    f.words[r] = &warp.plain(source, r);
    f.unknown_lines |= lines_of(warp.unknown_of(source, r)) << (tall ? 8 * (r & 1) : 0);
  }
  return f;
}

Fragment fragment_b(const Warp& warp, const Source& source, unsigned registers) {
  return fragment_a(warp, source, registers, false);
}

bool decode_rows(const Fragment& a, TensorFormat format, bool negated, FloatRows& out) {
  const unsigned bits = bits_of(format);
  const unsigned width = 32 / bits;
  bool special = false;
  DecodedLanes d;
  for (unsigned r = 0; r < a.registers; ++r) {
    for (unsigned p = 0; p < width; ++p) {
      decode_lanes(*a.words[r], format, p * bits, d);
      special |= any_special(d);
      for (unsigned lane = 0; lane < kWarpLanes; ++lane) {
        const unsigned row = row_of(lane, r, true);
        const unsigned k = column_of(lane, r, true, width) + p;
        out.significand[row][k] = negated ? -d.significand[lane] : d.significand[lane];
        out.exponent[row][k] = d.exponent[lane];
      }
    }
  }
  return special;
}

bool decode_columns(const Fragment& b, TensorFormat format, FloatColumns& out) {
  const unsigned bits = bits_of(format);
  const unsigned width = 32 / bits;
  bool special = false;
  DecodedLanes d;
  for (unsigned r = 0; r < b.registers; ++r) {
    for (unsigned p = 0; p < width; ++p) {
      decode_lanes(*b.words[r], format, p * bits, d);
      special |= any_special(d);
      for (unsigned lane = 0; lane < kWarpLanes; ++lane) {
        const unsigned k = column_of(lane, r, false, width) + p;
        out.significand[k][lane / 4] = d.significand[lane];
        out.exponent[k][lane / 4] = d.exponent[lane];
      }
    }
  }
  return special;
}

void gather(const Warp& warp, const Source& source, unsigned first, bool tall, bool half,
            AccumulatorTile& out) {
  const unsigned halves = tall ? 2 : 1;  // of the rows
  out.special = false;
  for (unsigned h = 0; h < halves; ++h) {
    for (unsigned c = 0; c < 2; ++c) {
      const unsigned r = first + (half ? h : 2 * h + c);
      const Lanes& words = warp.plain(source, r);
      out.unknown[2 * h + c] = warp.unknown_of(source, r);
      for (unsigned lane = 0; lane < kWarpLanes; ++lane) {
        const std::uint32_t word = words[lane];
        const std::uint32_t value = half ? word >> (16 * c) & 0xffff : word;
        out.words[8 * h + lane / 4][2 * (lane % 4) + c] = value;
        out.special |= half ? (value & 0x7c00) == 0x7c00 : (value & 0x7f800000) == 0x7f800000;
      }
    }
  }
}

void scatter(Warp& warp, std::uint16_t slot, unsigned first, bool tall, bool half,
             const AccumulatorTile& in, Mask unknown_rows, Mask unknown_columns) {
  const unsigned halves = tall ? 2 : 1;
  const Mask columns = lanes_of_columns(unknown_columns);
  Lanes out;
  for (unsigned h = 0; h < halves; ++h) {
    const Mask unknown = columns | lanes_of_rows(unknown_rows >> (8 * h) & 0xff);
    for (unsigned c = 0; c < 2; ++c) {
      for (unsigned lane = 0; lane < kWarpLanes; ++lane) {
        const std::uint32_t* row = in.words[8 * h + lane / 4];
        const unsigned column = 2 * (lane % 4);
        out[lane] = half ? row[column] | row[column + 1] << 16 : row[column + c];
      }
      warp.set(slot_after(slot, first + (half ? h : 2 * h + c)), out,
               unknown | in.unknown[2 * h + c]);
      if (half) break;
    }
  }
}

void leave_unknown(Warp& warp, const Op& op, unsigned registers) {
  const Lanes zero{};
  for (unsigned r = 0; r < registers; ++r)
    warp.set(slot_after(op.destination[0], r), zero, kAllLanes);
}

bool wants_products(const Warp& warp) {
  return warp.block->grid->products;
}

}  // namespace burin::emulate
