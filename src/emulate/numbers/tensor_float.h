// Products of small float matrices as the tensor cores compute them, bit for bit.
//
// A tensor core does not chain roundings. It multiplies exactly, aligns all products and the
// accumulator to the largest exponent among them, cuts what falls behind `kept_bits` fraction bits
// there, adds exactly and rounds once. How many bits are kept, how many products are added at a
// time and how the sum is rounded differ between architectures: `accumulation_of` has the table.
//
//   FloatRows a;       // 16 rows, put() element by element, or by decode_lanes and a layout
//   FloatColumns b;
//   multiply_add(a, 16, 16, b, accumulation_of({90}, TensorFormat::kF16, false), c);
#pragma once

#include <cstdint>

#include "emulate/values/lanes.h"
#include "read/architecture.h"

namespace burin::emulate {

enum class TensorFormat : std::uint8_t { kF16, kBf16, kTf32, kE4m3, kE5m2 };

unsigned bits_of(TensorFormat format);  // in a register or in memory: 8, 16 or 32

// How a sum is formed.
struct Accumulation {
  std::uint8_t kept_bits = 0;     // fraction bits kept of each term, counted at the largest one
  std::uint8_t together = 0;      // products along K that are added at a time
  std::uint8_t result_bits = 23;  // fraction bits of the result; cut towards zero …
  bool half = false;              // … or C and D are FP16, the sum rounded to nearest even
};

// `half`: FP16 accumulators. A row of zeros where the architecture has no such product.
Accumulation accumulation_of(read::Architecture arch, TensorFormat format, bool half);

// A number is significand · 2^(exponent - 10); the significand of a normal number is 1024 to 2047.
// Zero has the exponent kZero; an infinity (sign in the significand) or NaN one of the others.
inline constexpr std::int32_t kZeroExponent = -(1 << 20);
inline constexpr std::int32_t kInfinityExponent = 1 << 20;
inline constexpr std::int32_t kNanExponent = 1 << 21;

struct DecodedLanes {
  alignas(64) std::int32_t significand[kWarpLanes];
  alignas(64) std::int32_t exponent[kWarpLanes];
};
// The elements at bit `shift` of each lane's word.
void decode_lanes(const Lanes& words, TensorFormat format, unsigned shift, DecodedLanes& out);

inline constexpr unsigned kTileRows = 16;
inline constexpr unsigned kTileColumns = 8;
inline constexpr unsigned kMaxProducts = 32;  // per element of the result
inline constexpr unsigned kMaxDepth = 64;     // K, where half of A is left out

struct FloatRows {
  std::int32_t significand[kTileRows][kMaxProducts];
  std::int32_t exponent[kTileRows][kMaxProducts];
  std::uint8_t meets[kTileRows][kMaxProducts];  // the row of B that it is multiplied with
};
struct FloatColumns {
  alignas(32) std::int32_t significand[kMaxDepth][kTileColumns];
  alignas(32) std::int32_t exponent[kMaxDepth][kTileColumns];
};
using TileWords = std::uint32_t[kTileRows][kTileColumns];

// c = a · b + c for the first `rows` rows, with `products` products each. `c` holds the bits of
// FP32 numbers, or of FP16 where how.half. `special`: some element may be infinite or NaN.
void multiply_add(const FloatRows& a, unsigned rows, unsigned products, const FloatColumns& b,
                  const Accumulation& how, bool special, TileWords& c);

}  // namespace burin::emulate
