#include "tune/session/columns.h"

#include <bit>
#include <charconv>

#include "base/format.h"
#include "base/text.h"

namespace burin::tune {

std::string point_text(const Point& point) {
  return fmt::format("{}", fmt::join(point, ","));
}

std::optional<Point> parse_point(std::string_view text, std::span<const Parameter> parameters) {
  Point point;
  if (!text.empty()) {
    for (const std::string_view part : split(text, ',')) {
      std::uint16_t index = 0;
      const char* end = part.data() + part.size();
      const auto [at, failed] = std::from_chars(part.data(), end, index);
      if (failed != std::errc() || at != end) return std::nullopt;
      point.push_back(index);
    }
  }
  if (point.size() != parameters.size()) return std::nullopt;
  for (std::size_t k = 0; k < point.size(); ++k) {
    if (point[k] >= parameters[k].values.size()) return std::nullopt;
  }
  return point;
}

std::string config_text(const Point& point, std::span<const Parameter> parameters) {
  std::vector<NamedValue> values;
  for (std::size_t k = 0; k < point.size(); ++k) {
    values.emplace_back(parameters[k].name, parameters[k].values[point[k]]);
  }
  return write_flat_json(values);
}

std::vector<std::uint8_t> pack_times(std::span<const double> times) {
  std::vector<std::uint8_t> bytes;
  bytes.reserve(times.size() * 8);
  for (const double time : times) {
    const auto bits = std::bit_cast<std::uint64_t>(time);
    for (int k = 0; k < 8; ++k) bytes.push_back(static_cast<std::uint8_t>(bits >> 8 * k));
  }
  return bytes;
}

std::vector<double> unpack_times(Bytes bytes) {
  std::vector<double> times;
  Cursor in(bytes);
  while (in.remaining() >= 8) times.push_back(std::bit_cast<double>(in.u64()));
  return times;
}

Error damaged_session(const std::string& path, std::string_view what) {
  return {fmt::format("{}: is a damaged session: {}", path, what)};
}

}  // namespace burin::tune
