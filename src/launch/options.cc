#include "launch/options.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/text.h"
#include "launch/number.h"

namespace burin::launch {

namespace {

Error expected(std::string_view form, std::string_view text) {
  return {fmt::format("expected {}, not '{}'", form, text), Exit::kUsage};
}

// The two sides of the first '='; empty if either is empty.
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

// Parses the text after the last colon of `path` and removes it. If `parse` rejects it, returns
// nothing and leaves `path` unchanged.
template <typename Parse>
auto take_suffix(std::string& path, Parse parse) -> decltype(parse(std::string_view())) {
  const std::size_t colon = path.rfind(':');
  if (colon == std::string::npos || colon == 0) return std::nullopt;
  const auto value = parse(std::string_view(path).substr(colon + 1));
  if (value) path.resize(colon);
  return value;
}

}  // namespace

Result<Dims> parse_dims(std::string_view text) {
  constexpr std::uint32_t kMax = kMaxGrid.x;  // the largest of all limits
  const Error wrong =
      expected(fmt::format("X, X,Y or X,Y,Z with integers from 1 to {}", kMax), text);
  const std::vector<std::string_view> parts = split(text, ',');
  std::array<std::uint32_t, 3> dims{1, 1, 1};
  if (parts.size() > dims.size()) return wrong;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::optional<std::uint32_t> value = parse_integer<std::uint32_t>(parts[i]);
    if (!value || *value == 0 || *value > kMax) return wrong;
    dims[i] = *value;
  }
  return Dims{dims[0], dims[1], dims[2]};
}

Result<OutputFile> parse_output(std::string_view text) {
  std::optional<OutputFile> output = parse_argument_file(text);
  if (!output) return expected("I=FILE with I an argument number, from 0", text);
  return std::move(*output);
}

Result<ExpectedFile> parse_expected(std::string_view text) {
  std::optional<OutputFile> file = parse_argument_file(text);
  if (!file) {
    return expected("I=FILE, I=FILE:TOL or I=FILE:TYPE:TOL with I an argument number, from 0",
                    text);
  }
  ExpectedFile wanted{file->argument, std::move(file->path)};
  wanted.tolerance = take_suffix(wanted.path, parse_real<double>);
  if (wanted.tolerance && (!std::isfinite(*wanted.tolerance) || *wanted.tolerance < 0)) {
    return expected("a tolerance of 0 or more after the last colon", text);
  }
  wanted.type = take_suffix(wanted.path, parse_element_type);
  if (wanted.tolerance && wanted.type && !is_float(*wanted.type)) {
    return Error{fmt::format("a tolerance needs f16, bf16, f32 or f64, not {}, in '{}'",
                             name(*wanted.type), text),
                 Exit::kUsage};
  }
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

Result<UnknownAccess> parse_unknown_access(std::string_view text) {
  using Policy = UnknownAccess::Policy;
  if (text == "likely") return UnknownAccess{Policy::kLikely};
  if (text == "worst") return UnknownAccess{Policy::kWorst};
  if (text == "coalesced") return UnknownAccess{Policy::kCoalesced};
  const std::optional<std::uint32_t> count = parse_integer<std::uint32_t>(text);
  if (!count || *count == 0) return expected("likely, worst, coalesced or a number from 1", text);
  return UnknownAccess{Policy::kGiven, *count};
}

std::uint32_t UnknownAccess::transactions(std::uint32_t lanes, std::uint32_t bytes,
                                          std::uint32_t granule) const {
  const std::uint32_t worst = lanes * std::max(1u, bytes / granule);
  switch (policy) {
    case Policy::kLikely:
    case Policy::kWorst:
      return worst;
    case Policy::kCoalesced:
      return (lanes * bytes + granule - 1) / granule;
    case Policy::kGiven:
      return std::min(count, worst);
  }
  return worst;
}

}  // namespace burin::launch
