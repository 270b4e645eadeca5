// IMMA and BMMA: a warp's products of integer and of one-bit matrices.
#include <algorithm>
#include <bit>
#include <limits>

#include "emulate/fragment.h"
#include "emulate/sparse.h"
#include "emulate/tensor.h"

namespace burin {

namespace {

// In Op::mode. kBits: of an element; 32 stands for words of one-bit elements.
enum : unsigned { kBits = kSelector + 1, kSigned, kRule };
enum : std::uint8_t { kSignedA = 1, kSignedB = 2 };
enum Rule : std::uint8_t { kWrap, kSaturate, kXor, kAnd };

constexpr unsigned kMostElements = 128;  // along K
constexpr unsigned kMostThere = 64;      // of them, in a row of A

struct IntegerTiles {
  std::int32_t a[kTileRows][kMostThere];
  std::uint8_t meets[kTileRows][kMostThere];
  alignas(32) std::int32_t b[kMostElements][kTileColumns];
};

std::int32_t element(std::uint32_t word, unsigned at, unsigned bits, bool is_signed) {
  if (bits == 32) return static_cast<std::int32_t>(word);
  const std::uint32_t high = word << (32 - bits - at);
  return is_signed ? static_cast<std::int32_t>(high) >> (32 - bits)
                   : static_cast<std::int32_t>(high >> (32 - bits));
}

void fill(const Fragment& a, const Fragment& b, const Op& op, IntegerTiles& out) {
  const unsigned bits = op.mode[kBits];
  const unsigned width = 32 / bits;
  const bool tall = op.mode[kTall] != 0;
  for (unsigned r = 0; r < a.registers; ++r)
    for (unsigned lane = 0; lane < kWarpLanes; ++lane)
      for (unsigned p = 0; p < width; ++p)
        out.a[row_of(lane, r, tall)][column_of(lane, r, tall, width) + p] =
            element((*a.words[r])[lane], p * bits, bits, (op.mode[kSigned] & kSignedA) != 0);
  for (unsigned r = 0; r < b.registers; ++r)
    for (unsigned lane = 0; lane < kWarpLanes; ++lane)
      for (unsigned p = 0; p < width; ++p)
        out.b[column_of(lane, r, false, width) + p][lane / 4] =
            element((*b.words[r])[lane], p * bits, bits, (op.mode[kSigned] & kSignedB) != 0);
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
        const auto y = static_cast<std::uint32_t>(t.b[k][j]);
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

void execute_integer_product(Warp& warp, const Op& op) {
  const bool tall = op.mode[kTall] != 0;
  const unsigned rows = tall ? 16 : 8;
  const unsigned rule = op.mode[kRule];
  const Fragment a = fragment_a(warp, op.source[0], op.mode[kRegistersA], tall);
  const Fragment b = fragment_b(warp, op.source[1], op.mode[kRegistersB]);
  const unsigned products = a.registers * kWarpLanes * 32 / op.mode[kBits] / rows;

  IntegerTiles tiles;
  Accumulators c;
  TileWords sums;
  fill(a, b, op, tiles);
  gather(warp, op.source[2], 0, tall, false, c);
  Mask unknown_rows = a.unknown_lines;
  if (op.mode[kSparse] != 0) {
    read_metadata(warp.plain(op.source[3]), op.mode[kSelector], products, op.mode[kBits],
                  tiles.meets[0], kMostThere);
    if (warp.unknown_of(op.source[3]) != 0) unknown_rows = kAllLanes;
  } else {
    for (auto& row : tiles.meets)
      for (unsigned k = 0; k < products; ++k) row[k] = static_cast<std::uint8_t>(k);
  }
  if (rule == kXor || rule == kAnd) {
    sum_bits(tiles, rows, products, rule == kXor, sums);
  } else {
    sum_products(tiles, rows, products, sums);
  }
  for (unsigned i = 0; i < rows; ++i)
    for (unsigned j = 0; j < kTileColumns; ++j)
      c.words[i][j] = added(c.words[i][j], sums[i][j], rule == kSaturate);
  scatter(warp, op.destination[0], 0, tall, false, c, unknown_rows, b.unknown_lines);
}

}  // namespace

bool lower_imma(Lowering& l, const Instruction& i, Op& op) {
  const std::string_view a = i.modifier("a");
  const std::string_view b = i.modifier("b");
  if (!lower_product(l, i, op) || a.size() != 2 || b.size() != 2 || a[1] != b[1]) return false;
  if (a[1] != '8' && a[1] != '4') return false;
  op.mode[kBits] = static_cast<std::uint8_t>(a[1] - '0');
  op.mode[kSigned] =
      static_cast<std::uint8_t>((a[0] == 'S' ? kSignedA : 0) | (b[0] == 'S' ? kSignedB : 0));
  op.mode[kRule] = i.modifier("sat") == "SAT" ? kSaturate : kWrap;
  op.execute = execute_integer_product;
  return true;
}

bool lower_bmma(Lowering& l, const Instruction& i, Op& op) {
  if (!lower_product(l, i, op) || i.modifier("popc") != "POPC") return false;
  op.mode[kBits] = 32;
  op.mode[kRule] = i.modifier("op") == "AND" ? kAnd : kXor;
  op.execute = execute_integer_product;
  return true;
}

}  // namespace burin
