// Checked against an H200, with denormals, infinities and NaN: nothing is flushed, sums are rounded
// to nearest even, a NaN comes out as all ones below the sign, and minimum and maximum prefer a
// number to a NaN and know -0 from 0.
#include "emulate/numbers/bulk_reduce.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>

#include "emulate/numbers/half.h"

namespace burin::emulate {

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
template <typename Format>
U64 add_short(U64 a, U64 b) {
  return Format::narrow(as_bits(Format::widen(static_cast<std::uint32_t>(a)) +
                                Format::widen(static_cast<std::uint32_t>(b))));
}
template <typename Format, bool kMin>
U64 extreme_short(U64 a, U64 b) {
  return half_extreme(static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b), kMin, false,
                      Format::kExponent);
}

}  // namespace

std::optional<ReduceOperation> parse_reduce_operation(std::string_view name) {
  static constexpr std::string_view kNames[] = {"ADD", "MIN", "MAX", "INC",
                                                "DEC", "AND", "OR",  "XOR"};
  const auto found = std::ranges::find(kNames, name);
  if (found == std::end(kNames)) return std::nullopt;
  return static_cast<ReduceOperation>(found - std::begin(kNames));
}

const Reduction* find_reduction(ReduceOperation operation, launch::TensorType type) {
  using O = ReduceOperation;
  using T = launch::TensorType;
  using I32 = std::int32_t;
  using U32 = std::uint32_t;
  using I64 = std::int64_t;
  static constexpr Reduction kReductions[] = {
      {O::kAdd, T::kU32, add<U32>},
      {O::kAdd, T::kI32, add<U32>},
      {O::kAdd, T::kU64, add<U64>},
      {O::kAdd, T::kI64, add<U64>},
      {O::kAdd, T::kF32, add_f32},
      {O::kAdd, T::kF32Ftz, add_f32_ftz},
      {O::kAdd, T::kF64, add_f64},
      {O::kAdd, T::kF16, add_short<Half>},
      {O::kAdd, T::kBf16, add_short<Bfloat>},
      {O::kMin, T::kU32, least<U32>},
      {O::kMin, T::kI32, least<I32>},
      {O::kMin, T::kU64, least<U64>},
      {O::kMin, T::kI64, least<I64>},
      {O::kMin, T::kF16, extreme_short<Half, true>},
      {O::kMin, T::kBf16, extreme_short<Bfloat, true>},
      {O::kMax, T::kU32, most<U32>},
      {O::kMax, T::kI32, most<I32>},
      {O::kMax, T::kU64, most<U64>},
      {O::kMax, T::kI64, most<I64>},
      {O::kMax, T::kF16, extreme_short<Half, false>},
      {O::kMax, T::kBf16, extreme_short<Bfloat, false>},
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
  for (const Reduction& r : kReductions)
    if (r.operation == operation && r.type == type) return &r;
  return nullptr;
}

}  // namespace burin::emulate
