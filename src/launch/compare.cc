#include "launch/compare.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/format.h"

namespace burin::launch {
namespace {

struct TypeRow {
  ElementType type;
  std::string_view name;
  unsigned bytes;
  bool floating;
};
constexpr std::array kTypeRows{
    TypeRow{ElementType::kU8, "u8", 1, false},  TypeRow{ElementType::kU32, "u32", 4, false},
    TypeRow{ElementType::kF16, "f16", 2, true}, TypeRow{ElementType::kBf16, "bf16", 2, true},
    TypeRow{ElementType::kF32, "f32", 4, true}, TypeRow{ElementType::kF64, "f64", 8, true},
};

const TypeRow& row(ElementType type) {
  return *std::ranges::find(kTypeRows, type, &TypeRow::type);
}

std::uint64_t integer(Bytes bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) value |= std::uint64_t{bytes[i]} << (8 * i);
  return value;
}

double half_value(std::uint32_t bits) {
  const int exponent = static_cast<int>(bits >> 10 & 31);
  const int fraction = static_cast<int>(bits & 1023);
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  if (exponent == 31) {
    return fraction != 0 ? std::numeric_limits<double>::quiet_NaN()
                         : sign * std::numeric_limits<double>::infinity();
  }
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  return sign * std::ldexp(fraction + 1024, exponent - 25);
}

std::string shown(ElementType type, Bytes bytes) {
  if (bytes.size() != element_bytes(type) || !is_float(type)) {
    return fmt::format("0x{:0{}x}", integer(bytes), 2 * bytes.size());
  }
  // Enough digits to distinguish adjacent values of the type.
  const double value = element_value(type, bytes);
  if (type == ElementType::kF64) return fmt::format("{}", value);
  return fmt::format("{}", static_cast<float>(value));
}

}  // namespace

std::string_view name(ElementType type) {
  return row(type).name;
}

std::optional<ElementType> parse_element_type(std::string_view text) {
  const auto found = std::ranges::find(kTypeRows, text, &TypeRow::name);
  if (found == kTypeRows.end()) return std::nullopt;
  return found->type;
}

unsigned element_bytes(ElementType type) {
  return row(type).bytes;
}

bool is_float(ElementType type) {
  return row(type).floating;
}

std::optional<ElementType> element_type_of(Fill fill) {
  switch (fill) {
    case Fill::kF16:
      return ElementType::kF16;
    case Fill::kF32:
      return ElementType::kF32;
    case Fill::kF64:
      return ElementType::kF64;
    case Fill::kU8:
      return ElementType::kU8;
    case Fill::kInt:
    case Fill::kPerm:
    case Fill::kRowptr:
      return ElementType::kU32;
    default:
      return std::nullopt;
  }
}

double element_value(ElementType type, Bytes bytes) {
  const std::uint64_t bits = integer(bytes);
  const auto low = static_cast<std::uint32_t>(bits);
  switch (type) {
    case ElementType::kU8:
    case ElementType::kU32:
      return static_cast<double>(bits);
    case ElementType::kF16:
      return half_value(low);
    case ElementType::kBf16:
      return static_cast<double>(std::bit_cast<float>(low << 16));
    case ElementType::kF32:
      return static_cast<double>(std::bit_cast<float>(low));
    case ElementType::kF64:
      return std::bit_cast<double>(bits);
  }
  return 0;
}

bool Comparer::same(double got, double expected) {
  if (std::isnan(got) || std::isnan(expected)) return std::isnan(got) && std::isnan(expected);
  if (std::isinf(got) || std::isinf(expected)) return got == expected;
  return std::abs(got - expected) <= *tolerance_ * std::max(1.0, std::abs(expected));
}

void Comparer::add(Bytes got, Bytes expected) {
  const std::size_t whole = element_bytes(type_);
  const std::uint64_t before = result_.elements;
  result_.elements += (got.size() + whole - 1) / whole;
  if (std::memcmp(got.data(), expected.data(), got.size()) == 0) return;
  for (std::size_t at = 0; at < got.size(); at += whole) {
    const std::size_t size = std::min(whole, got.size() - at);
    const Bytes a = got.subspan(at, size);
    const Bytes b = expected.subspan(at, size);
    if (std::ranges::equal(a, b)) continue;
    if (size == whole) {
      const double x = element_value(type_, a);
      const double y = element_value(type_, b);
      if (tolerance_ && same(x, y)) continue;
      const double error = std::abs(x - y);
      result_.largest_error =
          std::max(result_.largest_error,
                   std::isnan(error) ? std::numeric_limits<double>::infinity() : error);
    }
    if (result_.different++ == 0) {
      result_.first = before + at / whole;
      result_.got = shown(type_, a);
      result_.expected = shown(type_, b);
    }
  }
}

}  // namespace burin::launch
