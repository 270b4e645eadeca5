#include "formula/value.h"

#include <array>
#include <charconv>
#include <cmath>

namespace burin::formula {
namespace {

std::string real_text(double value) {
  if (!std::isfinite(value)) return std::isnan(value) ? "nan" : value < 0 ? "-inf" : "inf";
  // The shortest digits that read back the same; as a power of ten below 0.0001 and from 1e16 on.
  std::array<char, 400> digits;
  const double size = std::abs(value);
  const bool plain = size == 0 || (size >= 1e-4 && size < 1e16);
  const auto [end, fault] =
      std::to_chars(digits.data(), digits.data() + digits.size(), value,
                    plain ? std::chars_format::fixed : std::chars_format::scientific);
  std::string text(digits.data(), end);
  if (text.find_first_not_of("-0123456789") == std::string::npos) text += ".0";
  return text;
}

}  // namespace

std::string to_string(const Value& value) {
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "True" : "False";
  if (const auto* text = std::get_if<std::string>(&value)) {
    std::string quoted = "\"";
    for (const char c : *text) {
      if (c == '"' || c == '\\') quoted += '\\';
      quoted += c;
    }
    return quoted + '"';
  }
  return plain_text(value);
}

std::string plain_text(const Value& value) {
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "1" : "0";
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return std::to_string(*whole);
  if (const auto* real = std::get_if<double>(&value)) return real_text(*real);
  return std::get<std::string>(value);
}

std::optional<double> number(const Value& value) {
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? 1.0 : 0.0;
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  if (const auto* real = std::get_if<double>(&value)) return *real;
  return std::nullopt;
}

std::optional<std::int64_t> integer(const Value& value) {
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? 1 : 0;
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return *whole;
  if (const auto* real = std::get_if<double>(&value)) {
    constexpr double kLimit = 9.2e18;  // below 2^63
    if (std::floor(*real) == *real && std::abs(*real) < kLimit) {
      return static_cast<std::int64_t>(*real);
    }
  }
  return std::nullopt;
}

bool equal(const Value& a, const Value& b) {
  const auto* left = std::get_if<std::string>(&a);
  const auto* right = std::get_if<std::string>(&b);
  if (left != nullptr || right != nullptr) {
    return left != nullptr && right != nullptr && *left == *right;
  }
  const auto* first = std::get_if<std::int64_t>(&a);
  const auto* second = std::get_if<std::int64_t>(&b);
  if (first != nullptr && second != nullptr) return *first == *second;
  return number(a) == number(b);
}

}  // namespace burin::formula
