// Checked against an H200, with denormals, infinities and NaN: nothing is flushed, sums are rounded
// to nearest even, a NaN comes out as all ones below the sign, and minimum and maximum prefer a
// number to a NaN and know -0 from 0.
#include "emulate/bulk_reduce.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>

namespace burin {

namespace {

using U64 = std::uint64_t;

template <typename T>
U64 add(U64 a, U64 b) {
  return static_cast<T>(static_cast<T>(a) + static_cast<T>(b));
}
template <typename T>
U64 least(U64 a, U64 b) {
  return static_cast<T>(a) < static_cast<T>(b) ? a : b;
}
template <typename T>
U64 most(U64 a, U64 b) {
  return static_cast<T>(a) > static_cast<T>(b) ? a : b;
}
U64 increment(U64 a, U64 limit) {
  return a >= limit ? 0 : a + 1;
}
U64 decrement(U64 a, U64 limit) {
  return a == 0 || a > limit ? limit : a - 1;
}
U64 bits_and(U64 a, U64 b) {
  return a & b;
}
U64 bits_or(U64 a, U64 b) {
  return a | b;
}
U64 bits_xor(U64 a, U64 b) {
  return a ^ b;
}

U64 add_f32(U64 a, U64 b) {
  const float sum = std::bit_cast<float>(static_cast<std::uint32_t>(a)) +
                    std::bit_cast<float>(static_cast<std::uint32_t>(b));
  return std::isnan(sum) ? 0x7fffffff : std::bit_cast<std::uint32_t>(sum);
}
U64 add_f32_ftz(U64 a, U64 b) {
  const auto flushed = [](U64 v) { return (v & 0x7f800000) == 0 ? v & 0x80000000 : v; };
  return flushed(add_f32(flushed(a), flushed(b)));
}
U64 add_f64(U64 a, U64 b) {
  const double sum = std::bit_cast<double>(a) + std::bit_cast<double>(b);
  return std::isnan(sum) ? 0xfff8000000000000 : std::bit_cast<U64>(sum);
}

// The 16-bit types through float, whose significand is more than twice as long and two bits: a sum
// rounded to float and then to them is rounded right.
struct Half {
  static float widen(U64 v) {
    const auto sign = static_cast<std::uint32_t>(v & 0x8000) << 16;
    const auto exponent = static_cast<std::uint32_t>(v >> 10 & 0x1f);
    const auto fraction = static_cast<std::uint32_t>(v & 0x3ff);
    if (exponent == 0) {
      const float value = static_cast<float>(fraction) * 0x1p-24f;
      return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(value));
    }
    const std::uint32_t wide = exponent == 0x1f ? 0x7f800000 : (exponent + 112) << 23;
    return std::bit_cast<float>(sign | wide | fraction << 13);
  }
  static U64 narrow(float f) {
    const auto bits = std::bit_cast<std::uint32_t>(f);
    const std::uint32_t sign = bits >> 16 & 0x8000;
    const float size = std::fabs(f);
    if (size >= 65520) return sign | 0x7c00;
    // The granule of the result: adding and taking away 2^23 of them rounds to a multiple of it.
    const int exponent = size < 0x1p-14f ? -14 : std::ilogb(size);
    const float magic = std::ldexp(1.5f, exponent - 10 + 23);
    const volatile float shifted = size + magic;
    const float rounded = shifted - magic;
    if (rounded < 0x1p-14f) return sign | static_cast<std::uint32_t>(rounded * 0x1p24f);
    const auto r = std::bit_cast<std::uint32_t>(rounded);
    return sign | ((r >> 23) - 112) << 10 | (r >> 13 & 0x3ff);
  }
  static bool nan(U64 v) { return (v & 0x7fff) > 0x7c00; }
};
struct Brain {
  static float widen(U64 v) { return std::bit_cast<float>(static_cast<std::uint32_t>(v << 16)); }
  static U64 narrow(float f) {
    const auto bits = std::bit_cast<std::uint32_t>(f);
    return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  }
  static bool nan(U64 v) { return (v & 0x7fff) > 0x7f80; }
};

constexpr U64 kShortNan = 0x7fff;

template <typename Short>
U64 add_short(U64 a, U64 b) {
  const float sum = Short::widen(a) + Short::widen(b);
  return std::isnan(sum) ? kShortNan : Short::narrow(sum);
}
// Sign and size as a number that grows with the value.
std::int32_t order(U64 v) {
  const auto size = static_cast<std::int32_t>(v & 0x7fff);
  return (v & 0x8000) != 0 ? -size - 1 : size;
}
template <typename Short, bool kMost>
U64 pick_short(U64 a, U64 b) {
  if (Short::nan(a)) return Short::nan(b) ? kShortNan : b;
  if (Short::nan(b)) return a;
  return (order(a) < order(b)) != kMost ? a : b;
}

using O = ReduceOperation;
using T = TensorType;
using I32 = std::int32_t;
using U32 = std::uint32_t;
using I64 = std::int64_t;
constexpr Reduction kReductions[] = {
    {O::kAdd, T::kU32, add<U32>},
    {O::kAdd, T::kI32, add<U32>},
    {O::kAdd, T::kU64, add<U64>},
    {O::kAdd, T::kI64, add<U64>},
    {O::kAdd, T::kF32, add_f32},
    {O::kAdd, T::kF32Ftz, add_f32_ftz},
    {O::kAdd, T::kF64, add_f64},
    {O::kAdd, T::kF16, add_short<Half>},
    {O::kAdd, T::kBf16, add_short<Brain>},
    {O::kMin, T::kU32, least<U32>},
    {O::kMin, T::kI32, least<I32>},
    {O::kMin, T::kU64, least<U64>},
    {O::kMin, T::kI64, least<I64>},
    {O::kMin, T::kF16, pick_short<Half, false>},
    {O::kMin, T::kBf16, pick_short<Brain, false>},
    {O::kMax, T::kU32, most<U32>},
    {O::kMax, T::kI32, most<I32>},
    {O::kMax, T::kU64, most<U64>},
    {O::kMax, T::kI64, most<I64>},
    {O::kMax, T::kF16, pick_short<Half, true>},
    {O::kMax, T::kBf16, pick_short<Brain, true>},
    {O::kInc, T::kU32, increment},
    {O::kDec, T::kU32, decrement},
    {O::kAnd, T::kU32, bits_and},
    {O::kAnd, T::kI32, bits_and},
    {O::kAnd, T::kU64, bits_and},
    {O::kAnd, T::kI64, bits_and},
    {O::kOr, T::kU32, bits_or},
    {O::kOr, T::kI32, bits_or},
    {O::kOr, T::kU64, bits_or},
    {O::kOr, T::kI64, bits_or},
    {O::kXor, T::kU32, bits_xor},
    {O::kXor, T::kI32, bits_xor},
    {O::kXor, T::kU64, bits_xor},
    {O::kXor, T::kI64, bits_xor},
};

}  // namespace

std::optional<ReduceOperation> parse_reduce_operation(std::string_view name) {
  static constexpr std::string_view kNames[] = {"ADD", "MIN", "MAX", "INC",
                                                "DEC", "AND", "OR",  "XOR"};
  const auto found = std::ranges::find(kNames, name);
  if (found == std::end(kNames)) return std::nullopt;
  return static_cast<ReduceOperation>(found - std::begin(kNames));
}

const Reduction* find_reduction(ReduceOperation operation, TensorType type) {
  for (const Reduction& r : kReductions)
    if (r.operation == operation && r.type == type) return &r;
  return nullptr;
}

}  // namespace burin
