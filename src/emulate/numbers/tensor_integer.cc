#include "emulate/numbers/tensor_integer.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace burin::emulate {

namespace {

std::int32_t element(std::uint32_t word, unsigned at, unsigned bits, bool is_signed) {
  const std::uint32_t high = word << (32 - bits - at);
  return is_signed ? static_cast<std::int32_t>(high) >> (32 - bits)
                   : static_cast<std::int32_t>(high >> (32 - bits));
}

BURIN_LANES void sum_products(const IntegerTiles& t, unsigned rows, unsigned products,
                              TileWords& sums) {
  for (unsigned row = 0; row < rows; ++row) {
    alignas(32) std::int32_t sum[kTileColumns] = {};
    for (unsigned k = 0; k < products; ++k) {
      const std::int32_t factor = t.a[row][k];
      const std::int32_t* others = t.b[t.meets[row][k]];
      for (unsigned j = 0; j < kTileColumns; ++j) sum[j] += factor * others[j];
    }
    for (unsigned j = 0; j < kTileColumns; ++j) sums[row][j] = static_cast<std::uint32_t>(sum[j]);
  }
}

void sum_bits(const IntegerTiles& t, unsigned rows, unsigned words, bool exclusive,
              TileWords& sums) {
  for (unsigned row = 0; row < rows; ++row) {
    for (unsigned j = 0; j < kTileColumns; ++j) {
      int sum = 0;
      for (unsigned k = 0; k < words; ++k) {
        const auto x = static_cast<std::uint32_t>(t.a[row][k]);
        const auto y = static_cast<std::uint32_t>(t.b[t.meets[row][k]][j]);
        sum += std::popcount(exclusive ? x ^ y : x & y);
      }
      sums[row][j] = static_cast<std::uint32_t>(sum);
    }
  }
}

std::uint32_t added(std::uint32_t c, std::uint32_t sum, bool saturate) {
  if (!saturate) return c + sum;
  const std::int64_t exact =
      std::int64_t{static_cast<std::int32_t>(c)} + static_cast<std::int32_t>(sum);
  using Limits = std::numeric_limits<std::int32_t>;
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(exact, Limits::min(), Limits::max()));
}

}  // namespace

IntegerRule rule_of_integers(const read::Instruction& i) {
  return i.modifier("sat") == "SAT" ? IntegerRule::kSaturate : IntegerRule::kWrap;
}

IntegerRule rule_of_bits(const read::Instruction& i) {
  return i.modifier("op") == "AND" ? IntegerRule::kAnd : IntegerRule::kXor;
}

void fill_rows(const Fragment& a, bool tall, const IntegerElements& elements, IntegerTiles& out) {
  const unsigned bits = elements.bits;
  const unsigned width = 32 / bits;
  for (unsigned r = 0; r < a.registers; ++r)
    for (unsigned lane = 0; lane < kWarpLanes; ++lane)
      for (unsigned p = 0; p < width; ++p)
        out.a[row_of(lane, r, tall)][column_of(lane, r, tall, width) + p] =
            element((*a.words[r])[lane], p * bits, bits, elements.a_signed);
}

void fill_columns(const Fragment& b, const IntegerElements& elements, IntegerTiles& out) {
  const unsigned bits = elements.bits;
  const unsigned width = 32 / bits;
  for (unsigned r = 0; r < b.registers; ++r)
    for (unsigned lane = 0; lane < kWarpLanes; ++lane)
      for (unsigned p = 0; p < width; ++p)
        out.b[column_of(lane, r, false, width) + p][lane / 4] =
            element((*b.words[r])[lane], p * bits, bits, elements.b_signed);
}

void multiply_add(const IntegerTiles& tiles, unsigned rows, unsigned products, IntegerRule rule,
                  TileWords& c) {
  TileWords sums;
  if (rule == IntegerRule::kXor || rule == IntegerRule::kAnd) {
    sum_bits(tiles, rows, products, rule == IntegerRule::kXor, sums);
  } else {
    sum_products(tiles, rows, products, sums);
  }
  for (unsigned i = 0; i < rows; ++i)
    for (unsigned j = 0; j < kTileColumns; ++j)
      c[i][j] = added(c[i][j], sums[i][j], rule == IntegerRule::kSaturate);
}

}  // namespace burin::emulate
