// Products of small float matrices, bit for bit as the tensor cores compute them.
//
// A tensor core does not round after each addition. It multiplies exactly, aligns all products and
// the accumulator to the largest exponent among them, truncates each term to `kept_bits` fraction
// bits at that exponent, adds exactly and rounds once. The number of bits kept, the number of
// products added at a time and the final rounding differ between architectures; `accumulation_of`
// has the table.
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

// The parameters of a tensor core's summation.
struct Accumulation {
  std::uint8_t kept_bits = 0;     // fraction bits kept per term, relative to the largest term
  std::uint8_t together = 0;      // products along K added at a time
  std::uint8_t result_bits = 23;  // fraction bits of the result, truncated towards zero
  bool half = false;              // C and D are FP16; the sum is rounded to nearest even instead
};

// Returns the parameters for an architecture and format; `half` means FP16 accumulators.
// `kept_bits` and `together` are 0 if the architecture has no such product.
Accumulation accumulation_of(read::Architecture arch, TensorFormat format, bool half);

// A number is significand · 2^(exponent - 10); the significand of a normal number is 1024 to 2047.
// Zero has the exponent kZeroExponent, an infinity (sign in the significand) kInfinityExponent, and
// NaN kNanExponent.
inline constexpr std::int32_t kZeroExponent = -(1 << 20);
inline constexpr std::int32_t kInfinityExponent = 1 << 20;
inline constexpr std::int32_t kNanExponent = 1 << 21;

struct DecodedLanes {
  alignas(64) std::int32_t significand[kWarpLanes];
  alignas(64) std::int32_t exponent[kWarpLanes];
};
// Decodes the elements at bit `shift` of each lane's word.
void decode_lanes(const Lanes& words, TensorFormat format, unsigned shift, DecodedLanes& out);

inline constexpr unsigned kTileRows = 16;
inline constexpr unsigned kTileColumns = 8;
inline constexpr unsigned kMaxProducts = 32;  // products per element of the result
inline constexpr unsigned kMaxDepth = 64;     // largest K, for sparse products

struct FloatRows {
  std::int32_t significand[kTileRows][kMaxProducts];
  std::int32_t exponent[kTileRows][kMaxProducts];
  std::uint8_t meets[kTileRows][kMaxProducts];  // row of B that the element is multiplied with
};
struct FloatColumns {
  alignas(32) std::int32_t significand[kMaxDepth][kTileColumns];
  alignas(32) std::int32_t exponent[kMaxDepth][kTileColumns];
};
using TileWords = std::uint32_t[kTileRows][kTileColumns];

// Computes c = a · b + c for the first `rows` rows, with `products` products per element. `c` holds
// FP32 bits, or FP16 bits if how.half. `special` must be true if some element may be infinite or
// NaN.
void multiply_add(const FloatRows& a, unsigned rows, unsigned products, const FloatColumns& b,
                  const Accumulation& how, bool special, TileWords& c);

}  // namespace burin::emulate
