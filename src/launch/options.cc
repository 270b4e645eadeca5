#include "launch/options.h"

#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/text.h"
#include "launch/number.h"

namespace burin {

namespace {

Error expected(std::string_view form, std::string_view text) {
  return {fmt::format("expected {}, not '{}'", form, text), Exit::kUsage};
}

// The two sides of the first '='; none where either is empty.
std::optional<std::pair<std::string_view, std::string_view>> sides(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0 || equals + 1 == text.size()) {
    return std::nullopt;
  }
  return std::pair(text.substr(0, equals), text.substr(equals + 1));
}

std::optional<OutputFile> parse_argument_file(std::string_view text) {
  const auto parts = sides(text);
  if (!parts) return std::nullopt;
  const std::optional<std::size_t> argument = parse_integer<std::size_t>(parts->first);
  if (!argument) return std::nullopt;
  return OutputFile{*argument, std::string(parts->second)};
}

}  // namespace

Result<Dims> parse_dims(std::string_view text) {
  const Error wrong = expected("X, X,Y or X,Y,Z with integers from 1 on", text);
  const std::vector<std::string_view> parts = split(text, ',');
  std::array<std::uint32_t, 3> dims{1, 1, 1};
  if (parts.size() > dims.size()) return wrong;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::optional<std::uint32_t> value = parse_integer<std::uint32_t>(parts[i]);
    if (!value || *value == 0) return wrong;
    dims[i] = *value;
  }
  return Dims{dims[0], dims[1], dims[2]};
}

Result<OutputFile> parse_output(std::string_view text) {
  std::optional<OutputFile> output = parse_argument_file(text);
  if (!output) return expected("I=FILE with I an argument's number, counted from 0", text);
  return std::move(*output);
}

Result<ExpectedFile> parse_expected(std::string_view text) {
  std::optional<OutputFile> file = parse_argument_file(text);
  if (!file) return expected("I=FILE or I=FILE:TOL with I an argument's number, from 0", text);
  ExpectedFile wanted{file->argument, std::move(file->path), std::nullopt};
  const std::size_t colon = wanted.path.rfind(':');
  if (colon == std::string::npos || colon == 0) return wanted;
  wanted.tolerance = parse_real<double>(std::string_view(wanted.path).substr(colon + 1));
  if (!wanted.tolerance) return wanted;
  if (!std::isfinite(*wanted.tolerance) || *wanted.tolerance < 0) {
    return expected("a tolerance from 0 on behind the last colon", text);
  }
  wanted.path.resize(colon);
  return wanted;
}

Result<TripCount> parse_trip(std::string_view text) {
  const Error wrong = expected("LINE=N or FILE:LINE=N", text);
  const std::size_t equals = text.rfind('=');
  if (equals == std::string_view::npos) return wrong;
  const std::string_view place = text.substr(0, equals);
  const std::size_t colon = place.rfind(':');
  const bool has_file = colon != std::string_view::npos;
  const auto line = parse_integer<std::uint32_t>(has_file ? place.substr(colon + 1) : place);
  const auto count = parse_integer<std::uint64_t>(text.substr(equals + 1));
  if (!line || *line == 0 || !count || colon == 0) return wrong;
  return TripCount{std::string(has_file ? place.substr(0, colon) : ""), *line, *count};
}

}  // namespace burin
