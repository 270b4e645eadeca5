#include "tune/space/same_point.h"

#include <algorithm>

namespace burin::tune {

std::optional<Point> same_point(const Space& from, const Point& point, const Space& to) {
  Point found(to.dimensions(), 0);
  for (std::size_t p = 0; p < to.dimensions(); ++p) {
    const Parameter& parameter = to.parameters()[p];
    const auto same = std::ranges::find(from.parameters(), parameter.name, &Parameter::name);
    if (same == from.parameters().end()) return std::nullopt;
    const formula::Value& wanted =
        from.value(point, static_cast<std::size_t>(same - from.parameters().begin()));
    const auto value = std::ranges::find_if(
        parameter.values, [&](const formula::Value& v) { return formula::equal(v, wanted); });
    if (value == parameter.values.end()) return std::nullopt;
    found[p] = static_cast<std::uint16_t>(value - parameter.values.begin());
  }
  if (!to.contains(found)) return std::nullopt;
  return found;
}

}  // namespace burin::tune
