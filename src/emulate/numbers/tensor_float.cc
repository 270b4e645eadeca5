#include "emulate/numbers/tensor_float.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>

namespace burin::emulate {

namespace {

struct Layout {
  unsigned bits;      // that an element takes
  unsigned unused;    // of them, ignored at the low end
  unsigned exponent;  // bits
  unsigned fraction;  // fraction bits, followed by the unused ones
  bool finite;        // no infinities: all ones is NaN, the rest of the top exponent is finite
};
constexpr Layout kLayouts[] = {
    {16, 0, 5, 10, false},   // F16
    {16, 0, 8, 7, false},    // BF16
    {32, 13, 8, 10, false},  // TF32
    {8, 0, 4, 3, true},      // E4M3
    {8, 0, 5, 2, false},     // E5M2
};
const Layout& layout(TensorFormat format) {
  return kLayouts[static_cast<unsigned>(format)];
}

// The numbers are those of the simulator microsoft/MMA-Sim on GitHub, whose authors took them from
// many GPUs; F. Khattak and M. Mikaitis, arXiv 2512.07004, study the same units. Of the rows below,
// those of sm_90 gave every recorded output of mma.sync and wgmma on an H200; the others
// are taken on trust.
struct AccumulationRow {
  unsigned from_sm;
  unsigned to_sm;
  unsigned element_bits;
  Accumulation how;
};
constexpr AccumulationRow kAccumulations[] = {
    {80, 89, 16, {.kept_bits = 24, .together = 8}},
    {80, 89, 32, {.kept_bits = 24, .together = 4}},
    {89, 89, 8, {.kept_bits = 13, .together = 16, .result_bits = 13}},
    {90, 90, 16, {.kept_bits = 25, .together = 16}},
    {90, 90, 32, {.kept_bits = 25, .together = 8}},
    {90, 90, 8, {.kept_bits = 13, .together = 32, .result_bits = 13}},
};

constexpr int kProductFraction = 20;  // of two significands of 10
constexpr int kMaxKept = 25;

struct Number {
  std::int64_t significand;  // with kMaxKept fraction bits
  std::int32_t exponent;
};

Number accumulator(std::uint32_t bits, bool half) {
  const unsigned fraction_bits = half ? 10 : 23;
  const std::int32_t bias = half ? 15 : 127;
  const std::uint32_t top = half ? 31 : 255;
  const std::uint32_t fraction = bits & ((1u << fraction_bits) - 1);
  const std::uint32_t exponent = bits >> fraction_bits & top;
  const bool negative = (bits >> (half ? 15 : 31) & 1) != 0;
  const std::int64_t magnitude =
      std::int64_t{fraction | std::uint32_t{exponent != 0} << fraction_bits}
      << (kMaxKept - static_cast<int>(fraction_bits));
  if (exponent == top) return {negative ? -1 : 1, fraction != 0 ? kNanExponent : kInfinityExponent};
  return {negative ? -magnitude : magnitude,
          magnitude == 0 ? kZeroExponent : std::max(static_cast<std::int32_t>(exponent), 1) - bias};
}

std::int64_t shifted_right(std::int64_t value, std::int64_t by) {  // towards zero
  const std::int64_t magnitude = std::abs(value) >> std::min<std::int64_t>(by, 63);
  return value < 0 ? -magnitude : magnitude;
}

// sum · 2^unit as an FP32 number of `fraction_bits` fraction bits, cut towards zero.
std::uint32_t to_single(std::int64_t sum, std::int32_t unit, unsigned fraction_bits) {
  if (sum == 0) return 0;
  const std::uint32_t sign = sum < 0 ? 0x80000000 : 0;
  auto magnitude = static_cast<std::uint64_t>(std::abs(sum));
  const int exponent = unit + static_cast<int>(std::bit_width(magnitude)) - 1;
  if (exponent > 127) return sign | 0x7f800000;
  const int shift = std::max(exponent, -126) - static_cast<int>(fraction_bits) - unit;
  magnitude = shift > 0 ? magnitude >> std::min(shift, 63) : magnitude << -shift;
  if (magnitude == 0) return 0;  // without a sign, as the hardware has it
  magnitude <<= 23 - fraction_bits;
  // The leading one of a normal number adds the 1 that is missing in its exponent.
  const int field = std::max(exponent, -126) + 126;
  return sign | static_cast<std::uint32_t>((static_cast<std::uint64_t>(field) << 23) + magnitude);
}

// sum · 2^unit as an FP16 number, rounded to nearest even.
std::uint32_t to_half(std::int64_t sum, std::int32_t unit) {
  if (sum == 0) return 0;
  const std::uint32_t sign = sum < 0 ? 0x8000 : 0;
  auto magnitude = static_cast<std::uint64_t>(std::abs(sum));
  const int exponent = std::max(unit + static_cast<int>(std::bit_width(magnitude)) - 1, -14);
  if (exponent > 15) return sign | 0x7c00;
  const int shift = exponent - 10 - unit;
  if (shift > 62) return 0;
  if (shift > 0) {
    const std::uint64_t half = std::uint64_t{1} << (shift - 1);
    const std::uint64_t odd = magnitude >> shift & 1;
    magnitude = (magnitude + half - 1 + odd) >> shift;
  } else {
    magnitude <<= -shift;
  }
  if (magnitude == 0) return 0;
  const std::uint64_t bits = (static_cast<std::uint64_t>(exponent + 14) << 10) + magnitude;
  return sign | static_cast<std::uint32_t>(std::min<std::uint64_t>(bits, 0x7c00));
}

// The value of element (row, column) if there are infinities or NaNs, else `c`.
std::uint32_t with_specials(const FloatRows& a, unsigned row, unsigned products,
                            const FloatColumns& b, unsigned column, std::uint32_t before, bool half,
                            std::uint32_t result) {
  bool nan = false;
  bool infinite[2] = {false, false};
  const auto add = [&](std::int32_t exponent, bool negative) {
    if (exponent >= kNanExponent)
      nan = true;
    else if (exponent >= kInfinityExponent)
      infinite[negative] = true;
  };
  const Number c = accumulator(before, half);
  add(c.exponent, c.significand < 0);
  for (unsigned k = 0; k < products; ++k) {
    const std::int32_t x = a.exponent[row][k];
    const std::int32_t y = b.exponent[a.meets[row][k]][column];
    const bool zero = x == kZeroExponent || y == kZeroExponent;
    const std::int32_t larger = std::max(x, y);
    if (larger < kInfinityExponent) continue;
    const bool negative = (a.significand[row][k] ^ b.significand[a.meets[row][k]][column]) < 0;
    add(zero ? kNanExponent : larger, negative);
  }
  if (nan || (infinite[0] && infinite[1])) return half ? 0x7fff : 0x7fffffff;
  if (!infinite[0] && !infinite[1]) return result;
  const std::uint32_t sign = infinite[1] ? (half ? 0x8000 : 0x80000000) : 0;
  return sign | (half ? 0x7c00 : 0x7f800000);
}

// Eight adjacent columns. A compiler's vector type, because loops over eight are unrolled
// before they could be vectorised.
using Columns = std::int32_t __attribute__((vector_size(4 * kTileColumns)));
using UnsignedColumns = std::uint32_t __attribute__((vector_size(4 * kTileColumns)));

BURIN_INLINE inline void load(Columns& to, const std::int32_t (&from)[kTileColumns]) {
  std::memcpy(&to, from, sizeof to);
}

// Raises `top` to the largest exponent of a row's products, per column.
BURIN_INLINE inline void raise_to_products(const FloatRows& a, unsigned row, unsigned from,
                                           unsigned to, const FloatColumns& b, Columns& top) {
  for (unsigned k = from; k < to; ++k) {
    Columns sum;
    load(sum, b.exponent[a.meets[row][k]]);
    sum += a.exponent[row][k];
    top = sum > top ? sum : top;
  }
}

// The products aligned to `top`, cut and added. 16 of them below 2^27 stay within 32 bits.
BURIN_INLINE inline void add_products(const FloatRows& a, unsigned row, unsigned from, unsigned to,
                                      const FloatColumns& b, int kept_bits, const Columns& top,
                                      Columns& sums) {
  for (unsigned k = from; k < to; ++k) {
    const unsigned meets = a.meets[row][k];
    Columns product;
    Columns exponent;
    load(product, b.significand[meets]);
    load(exponent, b.exponent[meets]);
    product *= a.significand[row][k];
    const Columns sign = product >> 31;
    // Negative only if there are infinities, whose sums are discarded.
    auto distance = (UnsignedColumns)(top - exponent + (kMaxKept - kept_bits - a.exponent[row][k]));
    distance = distance > 31 ? UnsignedColumns{} + 31 : distance;
    const Columns magnitude = ((product ^ sign) - sign) << (kMaxKept - kProductFraction);
    const auto aligned = (Columns)((UnsignedColumns)magnitude >> distance);
    sums += (aligned ^ sign) - sign;
  }
}

BURIN_LANES void decode(const Lanes& words, const Layout& f, unsigned shift, DecodedLanes& out) {
  const std::uint32_t exponent_mask = (1u << f.exponent) - 1;
  const std::uint32_t fraction_mask = (1u << f.fraction) - 1;
  const auto bias = static_cast<std::int32_t>(exponent_mask >> 1);
  const unsigned low = shift + f.unused;
  const unsigned sign_at = shift + f.bits - 1;
  const unsigned widen = 10 - f.fraction;
  const std::uint32_t least_special =
      f.finite ? exponent_mask << f.fraction | fraction_mask : exponent_mask << f.fraction;
  const std::uint32_t least_nan = f.finite ? least_special : least_special + 1;
  for (unsigned i = 0; i < kWarpLanes; ++i) {
    const std::uint32_t word = words.lane[i];
    const std::uint32_t magnitude = word >> low & (exponent_mask << f.fraction | fraction_mask);
    const std::uint32_t field = magnitude >> f.fraction;
    const std::uint32_t fraction = magnitude & fraction_mask;
    const std::uint32_t normal = field != 0 ? 1 : 0;
    auto significand = static_cast<std::int32_t>((fraction | normal << f.fraction) << widen);
    std::int32_t exponent = static_cast<std::int32_t>(field + 1 - normal) - bias;
    exponent = magnitude == 0 ? kZeroExponent : exponent;
    exponent = magnitude >= least_special ? kInfinityExponent : exponent;
    exponent = magnitude >= least_nan ? kNanExponent : exponent;
    const std::int32_t sign = -static_cast<std::int32_t>(word >> sign_at & 1);
    out.significand[i] = (significand ^ sign) - sign;
    out.exponent[i] = exponent;
  }
}

BURIN_LANES void add_rows(const FloatRows& a, unsigned rows, unsigned products,
                          const FloatColumns& b, const Accumulation& how, bool special,
                          TileWords& c) {
  const unsigned together = std::min<unsigned>(how.together, products);
  for (unsigned row = 0; row < rows; ++row) {
    std::uint32_t before[kTileColumns];
    std::copy_n(c[row], kTileColumns, before);
    for (unsigned from = 0; from < products; from += together) {
      Number addend[kTileColumns];
      std::int32_t exponents[kTileColumns];
      Columns top;
      Columns sums{};
      for (unsigned j = 0; j < kTileColumns; ++j) {
        addend[j] = accumulator(c[row][j], how.half);
        exponents[j] = addend[j].exponent;
      }
      load(top, exponents);
      raise_to_products(a, row, from, from + together, b, top);
      add_products(a, row, from, from + together, b, how.kept_bits, top, sums);
      for (unsigned j = 0; j < kTileColumns; ++j) {
        const std::int64_t distance =
            std::int64_t{top[j]} - addend[j].exponent + kMaxKept - how.kept_bits;
        const std::int64_t sum = sums[j] + shifted_right(addend[j].significand, distance);
        const std::int32_t unit = top[j] - how.kept_bits;
        if (addend[j].exponent >= kInfinityExponent) continue;  // an overflow before this one
        c[row][j] = how.half ? to_half(sum, unit) : to_single(sum, unit, how.result_bits);
      }
    }
    if (!special) continue;
    for (unsigned j = 0; j < kTileColumns; ++j) {
      c[row][j] = with_specials(a, row, products, b, j, before[j], how.half, c[row][j]);
    }
  }
}

}  // namespace

unsigned bits_of(TensorFormat format) {
  return layout(format).bits;
}

Accumulation accumulation_of(read::Architecture arch, TensorFormat format, bool half) {
  for (const AccumulationRow& row : kAccumulations) {
    if (arch.sm < row.from_sm || arch.sm > row.to_sm || row.element_bits != bits_of(format))
      continue;
    Accumulation how = row.how;
    how.half = half;
    return how;
  }
  return {};
}

void decode_lanes(const Lanes& words, TensorFormat format, unsigned shift, DecodedLanes& out) {
  decode(words, layout(format), shift, out);
}

void multiply_add(const FloatRows& a, unsigned rows, unsigned products, const FloatColumns& b,
                  const Accumulation& how, bool special, TileWords& c) {
  add_rows(a, rows, products, b, how, special, c);
}

}  // namespace burin::emulate
