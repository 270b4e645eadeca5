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

std::string short_number(double value) {
  return value >= 999.5 ? three_digits(std::max(value, 1000.0)) : fmt::format("{:.3g}", value);
}

std::string time_range(double low_us, double high_us) {
  const bool short_times = high_us < 10'000;
  const double unit = short_times ? 1 : 1000;
  return fmt::format("{} to {} {}", short_number(low_us / unit), short_number(high_us / unit),
                     short_times ? "µs" : "ms");
}

std::string time_text(double us) {
  return us < 10'000 ? three_digits(us) + " µs" : three_digits(us / 1000) + " ms";
}

std::string whole(double value) {
  return with_commas(static_cast<std::uint64_t>(std::llround(std::max(value, 0.0))));
}

std::string percent(double share) {
  const double value = 100 * share;
  return fmt::format("{:.1f} %", std::abs(value) < 0.05 ? 0.0 : value);  // not -0.0
}

}  // namespace burin
