// How points, configurations and samples are stored in the columns of a session.
//
//   point_text({3, 0, 12})                     "3,0,12"
//   config_text({1, 2}, parameters)            {"tile":2,"layout":"NHWC"}
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "tune/session/flat_json.h"
#include "tune/space/space.h"

namespace burin::tune {

std::string point_text(const Point& point);

// Nullopt if the text is no point of these parameters.
std::optional<Point> parse_point(std::string_view text, std::span<const Parameter> parameters);

// The point's indices must be those of values.
std::string config_text(const Point& point, std::span<const Parameter> parameters);

// Little-endian doubles.
std::vector<std::uint8_t> pack_times(std::span<const double> times);
std::vector<double> unpack_times(Bytes bytes);

// A map from names to numbers or Values, as write_flat_json() takes it.
template <typename Map>
std::vector<NamedValue> named_values(const Map& map) {
  std::vector<NamedValue> values;
  for (const auto& [name, value] : map) values.emplace_back(name, formula::Value{value});
  return values;
}

// The Error for a session whose `what` cannot be read.
Error damaged_session(const std::string& path, std::string_view what);

}  // namespace burin::tune
