#include "emulate/numbers/atomic.h"

#include <bit>
#include <cmath>
#include <vector>

#include "emulate/numbers/half.h"

namespace burin::emulate {

namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

// Integers, from their bits.
template <typename T, typename F>
u64 integer(u64 old, u64 operand, F f) {
  return static_cast<std::make_unsigned_t<T>>(f(static_cast<T>(old), static_cast<T>(operand)));
}
template <typename T>
u64 add(u64 old, u64 operand, u64) {
  return integer<T>(old, operand, [](T a, T b) { return a + b; });
}
template <typename T>
u64 least(u64 old, u64 operand, u64) {
  return integer<T>(old, operand, [](T a, T b) { return a < b ? a : b; });
}
template <typename T>
u64 most(u64 old, u64 operand, u64) {
  return integer<T>(old, operand, [](T a, T b) { return a > b ? a : b; });
}
u64 increment(u64 old, u64 operand, u64) {
  return static_cast<u32>(old) >= static_cast<u32>(operand) ? 0 : old + 1;
}
u64 decrement(u64 old, u64 operand, u64) {
  return old == 0 || static_cast<u32>(old) > static_cast<u32>(operand) ? operand : old - 1;
}
u64 both(u64 old, u64 operand, u64) {
  return old & operand;
}
u64 either(u64 old, u64 operand, u64) {
  return old | operand;
}
u64 different(u64 old, u64 operand, u64) {
  return old ^ operand;
}
u64 exchange(u64, u64 operand, u64) {
  return operand;
}
u64 compare_and_swap(u64 old, u64 operand, u64 compare) {
  return old == compare ? operand : old;
}

float flushed(float v) {
  return std::fpclassify(v) == FP_SUBNORMAL ? std::copysign(0.0f, v) : v;
}
u64 add_f32(u64 old, u64 operand, u64) {
  const float sum =
      std::bit_cast<float>(static_cast<u32>(old)) + std::bit_cast<float>(static_cast<u32>(operand));
  return std::isnan(sum) ? kFloatNan : std::bit_cast<u32>(sum);
}
u64 add_f32_flushed(u64 old, u64 operand, u64) {
  const float sum = flushed(flushed(std::bit_cast<float>(static_cast<u32>(old))) +
                            flushed(std::bit_cast<float>(static_cast<u32>(operand))));
  return std::isnan(sum) ? kFloatNan : std::bit_cast<u32>(sum);
}
u64 add_f64(u64 old, u64 operand, u64) {
  const double sum = std::bit_cast<double>(old) + std::bit_cast<double>(operand);
  return std::isnan(sum) ? kFormatF64.nan : std::bit_cast<u64>(sum);
}

// Two values of 16 bits. Sums are taken in FP32, whose 24 bits of precision are at least 2 * 11 +
// 2, so that rounding twice gives what rounding once would.
template <typename F>
u64 pair(u64 old, u64 operand, F f) {
  const auto a = static_cast<u32>(old);
  const auto b = static_cast<u32>(operand);
  return f(a >> 16, b >> 16) << 16 | f(a & 0xffff, b & 0xffff);
}
template <typename Format>
u64 add_pair(u64 old, u64 operand, u64) {
  return pair(old, operand, [](u32 a, u32 b) {
    return Format::narrow(as_bits(Format::widen(a) + Format::widen(b)));
  });
}
template <typename Format, bool kMin>
u64 extreme_pair(u64 old, u64 operand, u64) {
  return pair(old, operand,
              [](u32 a, u32 b) { return half_extreme(a, b, kMin, false, Format::kExponent); });
}

struct AtomicType {
  std::string_view name;
  std::uint8_t bytes;
  std::uint8_t unit;
  char kind;  // u, s: 32 bits; U, S: 64 bits; w: 128 bits; f, g: FP32, flushed; d, h, b
};
constexpr AtomicType kAtomicTypes[] = {
    {"", 4, 4, 'u'},           {"32", 4, 4, 'u'},           {"S32", 4, 4, 's'},
    {"64", 8, 8, 'U'},         {"S64", 8, 8, 'S'},          {"128", 16, 16, 'w'},
    {"F32.RN", 4, 4, 'f'},     {"F32x2.RN", 8, 4, 'f'},     {"F32x4.RN", 16, 4, 'f'},
    {"F32.FTZ.RN", 4, 4, 'g'}, {"F32x2.FTZ.RN", 8, 4, 'g'}, {"F32x4.FTZ.RN", 16, 4, 'g'},
    {"F64.RN", 8, 8, 'd'},     {"F16x2.RN", 4, 4, 'h'},     {"F16x4.RN", 8, 4, 'h'},
    {"F16x8.RN", 16, 4, 'h'},  {"BF16x2.RN", 4, 4, 'b'},    {"BF16x4.RN", 8, 4, 'b'},
    {"BF16x8.RN", 16, 4, 'b'},
};

struct Operation {
  std::string_view name;
  std::string_view kinds;
  Combine combine;
  bool replaces = false;
};
constexpr Operation kOperations[] = {
    {"ADD", "us", add<u32>},
    {"ADD", "US", add<u64>},
    {"ADD", "f", add_f32},
    {"ADD", "g", add_f32_flushed},
    {"ADD", "d", add_f64},
    {"ADD", "h", add_pair<Half>},
    {"ADD", "b", add_pair<Bfloat>},
    {"MIN", "u", least<u32>},
    {"MIN", "s", least<std::int32_t>},
    {"MIN", "U", least<u64>},
    {"MIN", "S", least<std::int64_t>},
    {"MIN", "h", extreme_pair<Half, true>},
    {"MIN", "b", extreme_pair<Bfloat, true>},
    {"MAX", "u", most<u32>},
    {"MAX", "s", most<std::int32_t>},
    {"MAX", "U", most<u64>},
    {"MAX", "S", most<std::int64_t>},
    {"MAX", "h", extreme_pair<Half, false>},
    {"MAX", "b", extreme_pair<Bfloat, false>},
    {"INC", "u", increment},
    {"DEC", "u", decrement},
    {"AND", "uU", both},
    {"OR", "uU", either},
    {"XOR", "uU", different},
    {"EXCH", "uU", exchange, true},
    {"EXCH", "w", nullptr, true},
    {"CAS", "uU", compare_and_swap},
    {"CAS", "w", nullptr},
    {"CAST.SPIN", "uU", compare_and_swap},
    {"CAST", "uU", compare_and_swap},
};

const std::vector<AtomicRule>& rules() {
  static const std::vector<AtomicRule> kRules = [] {
    std::vector<AtomicRule> all;
    for (const Operation& o : kOperations) {
      for (const AtomicType& t : kAtomicTypes) {
        if (o.kinds.find(t.kind) == std::string_view::npos) continue;
        all.push_back({.operation = o.name,
                       .type = t.name,
                       .bytes = t.bytes,
                       .unit = t.unit,
                       .is_float = t.name.find('F') != std::string_view::npos,
                       .replaces = o.replaces,
                       .combine = o.combine});
      }
    }
    return all;
  }();
  return kRules;
}

}  // namespace

const AtomicRule* find_atomic(std::string_view operation, std::string_view type) {
  for (const AtomicRule& rule : rules())
    if (rule.operation == operation && rule.type == type) return &rule;
  return nullptr;
}

std::uint32_t atomic_number(const AtomicRule& rule) {
  return static_cast<std::uint32_t>(&rule - rules().data());
}

const AtomicRule& atomic_rule(std::uint32_t number) {
  return rules()[number];
}

}  // namespace burin::emulate
