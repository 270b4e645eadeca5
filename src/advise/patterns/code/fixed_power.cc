#include "advise/patterns/code/fixed_power.h"

#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "base/text.h"
#include "launch/number.h"

namespace burin::advise {

namespace {

constexpr double kMaxExponent = 8;
constexpr std::size_t kShort = 12;  // characters; only a shorter base is written several times

bool is_word(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

// "4.0f", "-2" or "0.5".
std::optional<double> number(std::string_view text) {
  if (text.ends_with('f') || text.ends_with('F')) text.remove_suffix(1);
  if (text.ends_with('.')) text.remove_suffix(1);
  return launch::parse_real<double>(text);
}

std::string_view without_spaces_around(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' ');
  return first == std::string_view::npos
             ? std::string_view()
             : text.substr(first, text.find_last_not_of(' ') + 1 - first);
}

// The arguments of the call whose parenthesis opens at `open`, and the position after the last one.
struct Arguments {
  std::vector<std::string_view> list;
  std::size_t end = 0;
};
Arguments arguments_at(std::string_view line, std::size_t open) {
  Arguments found;
  std::size_t from = open + 1;
  int depth = 0;
  for (std::size_t k = open; k < line.size(); ++k) {
    if (line[k] == '(') ++depth;
    if (line[k] == ')') --depth;
    if (depth == 0 || (depth == 1 && line[k] == ',')) {
      found.list.push_back(without_spaces_around(line.substr(from, k - from)));
      from = k + 1;
    }
    if (depth == 0) {
      found.end = k + 1;
      break;
    }
  }
  return found;
}

}  // namespace

unsigned FixedPower::products() const {
  if (!exponent) return 1;
  const auto whole = static_cast<unsigned>(std::floor(std::abs(*exponent)));
  // One squaring per bit of the exponent, and one product for each further set bit.
  unsigned count = 0;
  for (unsigned left = whole; left > 1; left /= 2) count += left % 2 == 0 ? 1 : 2;
  return count + (root() && whole > 0 ? 1 : 0);
}

bool FixedPower::root() const {
  return exponent && *exponent != std::floor(*exponent);
}

std::string FixedPower::cheap() const {
  if (!exponent) return fmt::format("exp2f({})", base);
  const double size = std::abs(*exponent);
  const std::string x = base.size() <= kShort && std::ranges::all_of(base, is_word) ? base : "x";
  std::string text;
  for (int k = 1; k <= size; ++k) text += (text.empty() ? "" : " * ") + x;
  if (root()) text += fmt::format("{}sqrtf({})", text.empty() ? "" : " * ", x);
  if (*exponent < 0) text = fmt::format("1.0f / ({})", text);
  return x == base ? text : fmt::format("{} with x = {}", text, base);
}

std::vector<FixedPower> fixed_powers(std::string_view line) {
  std::vector<FixedPower> found;
  for (std::size_t at = line.find("pow"); at != std::string_view::npos;
       at = line.find("pow", at + 1)) {
    if (at > 0 && is_word(line[at - 1])) continue;
    const std::size_t open = at + (line.substr(at).starts_with("powf(") ? 4 : 3);
    if (open >= line.size() || line[open] != '(') continue;
    const Arguments of = arguments_at(line, open);
    if (of.list.size() != 2) return {};
    FixedPower power{.call = std::string(line.substr(at, of.end - at)),
                     .base = std::string(of.list[0])};
    const std::optional<double> exponent = number(of.list[1]);
    const std::optional<double> base = number(of.list[0]);
    if (exponent && std::abs(*exponent) <= kMaxExponent && *exponent != 0 &&
        2 * *exponent == std::floor(2 * *exponent)) {
      power.exponent = exponent;
    } else if (base && *base == 2) {
      power.base = std::string(of.list[1]);
    } else {
      return {};
    }
    found.push_back(std::move(power));
  }
  return found;
}

}  // namespace burin::advise
