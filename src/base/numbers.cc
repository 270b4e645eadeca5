#include "base/numbers.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "base/format.h"
#include "base/text.h"

namespace burin {

std::string three_digits(double value) {
  if (value >= 1000) return with_commas(static_cast<std::uint64_t>(std::llround(value)));
  const int decimals = value >= 100 ? 0 : value >= 10 ? 1 : value >= 1 ? 2 : 3;
  return fmt::format("{:.{}f}", value, decimals);
}

std::string time_text(double us) {
  return us < 10'000 ? three_digits(us) + " µs" : three_digits(us / 1000) + " ms";
}

std::string whole(double value) {
  return with_commas(static_cast<std::uint64_t>(std::llround(std::max(value, 0.0))));
}

std::string percent(double share) {
  return fmt::format("{:.1f} %", 100 * share);
}

}  // namespace burin
