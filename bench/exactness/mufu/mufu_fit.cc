// The tables of src/emulate/numbers/mufu_tables.cc from what a GPU computed:
//   bench_mufu_sweep --record FOLDER
//   bench_mufu_fit FOLDER [--emit]
// tells of each function how many segments were found and how many are those of the emulator;
// --emit prints them as C++.
//
//   RCP     128 segments, 128 as in the emulator; bias from 8092 to below 8096
//
// How a segment is found. A result y of n bits says that the sum before it was cut off lies in
// [y, y + one unit of its last place): a window. All results of a segment are windows along one
// curve
//   constant + slope * t + curve * square(t),
// t and the truncated square being those of mufu.h, and they leave little room. The curve's
// coefficient is bounded first (bounds.h) and the middle of its bounds put on the grid that it is
// kept on; with it fixed, the slope's; with both fixed, the constant's. What the constants have in
// common beyond their own grid of 2^-26 is the bias that the hardware adds for its rounding.
//
// The grids were found by looking at the bounds: RCP's slopes, for one, all hold an even number and
// seldom two.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <map>

#include "base/file.h"
#include "base/format.h"
#include "emulate/numbers/mufu.h"
#include "mufu/bounds.h"

using namespace burin;

namespace {

constexpr int kUnit = 24;  // windows, slopes and curves are counted in 2^-24, constants in 2^-26

struct Grid {
  int slope, curve;
};

struct Table {
  std::string_view name;
  std::string_view array;
  const emulate::MufuSegment* segments;
  std::size_t count;
  // Of the segments from `first` on.
  struct Part {
    std::size_t first;
    Grid grid;
  };
  std::vector<Part> parts;

  Grid grid(std::size_t segment) const {
    Grid found = parts.front().grid;
    for (const Part& part : parts)
      if (part.first <= segment) found = part.grid;
    return found;
  }
};

const std::vector<Table>& tables() {
  static const std::vector<Table> all = {
      {"RCP",
       "kRcpSegments",
       emulate::kRcpSegments.data(),
       emulate::kRcpSegments.size(),
       {{0, {2, 1}}}},
      {"RSQ",
       "kRsqSegments",
       emulate::kRsqSegments.data(),
       emulate::kRsqSegments.size(),
       {{0, {2, 2}}}},
      {"SQRT",
       "kSqrtSegments",
       emulate::kSqrtSegments.data(),
       emulate::kSqrtSegments.size(),
       {{0, {2, 1}}}},
      {"EX2",
       "kEx2Segments",
       emulate::kEx2Segments.data(),
       emulate::kEx2Segments.size(),
       {{0, {4, 1}}}},
      {"LG2",
       "kLg2Segments",
       emulate::kLg2Segments.data(),
       emulate::kLg2Segments.size(),
       {{0, {8, 4}}}},
      {"SIN",
       "kSinSegments",
       emulate::kSinSegments.data(),
       emulate::kSinSegments.size(),
       {{0, {16, 4}}}},
      {"TANH",
       "kTanhSegments",
       emulate::kTanhSegments.data(),
       emulate::kTanhSegments.size(),
       {{0, {4, 2}},
        {1, {8, 4}},
        {2, {16, 8}},
        {3, {8, 4}},
        {5, {16, 8}},
        {7, {16, 4}},
        {11, {16, 8}},
        {15, {32, 16}},
        {19, {16, 8}},
        {27, {4, 2}},
        {43, {16, 8}}}},
  };
  return all;
}

// Windows by segment. `results` are those of first, first + stride, …
using Windows = std::map<std::size_t, std::vector<Row>>;
void add_windows(const Table& table, emulate::MufuFunction function, std::uint32_t first,
                 std::uint32_t stride, Bytes results, Windows& windows) {
  for (std::size_t i = 0; i < results.size() / 4; ++i) {
    const auto input = static_cast<std::uint32_t>(first + i * stride);
    const emulate::MufuArgument argument = emulate::mufu_argument(function, input);
    if (argument.segment == nullptr) continue;  // a result that no table has part in
    std::uint32_t bits = 0;
    std::memcpy(&bits, results.data() + 4 * i, 4);
    const auto value = static_cast<long double>(std::bit_cast<float>(bits));
    const int last_place = static_cast<int>(bits >> 23 & 0xff) - 127 - 23;
    const bool adds_exponent = function == emulate::MufuFunction::kLg2;
    const int scale = kUnit - (adds_exponent ? 0 : argument.exponent);
    const long double offset =
        adds_exponent ? std::ldexp(static_cast<long double>(argument.exponent), kUnit) : 0;
    const long double lower = std::ldexp(value, scale) - offset;
    windows[static_cast<std::size_t>(argument.segment - table.segments)].push_back(
        {{1, std::ldexp(static_cast<long double>(argument.place), -17),
          std::ldexp(static_cast<long double>(emulate::truncated_square(argument.place)), -15)},
         lower,
         lower + std::ldexp(1.0L, last_place + scale)});
  }
}

struct Found {
  int slope = 0, curve = 0;
  Interval constant;  // with the bias, in units of 2^-24
};

std::optional<Found> fit(const std::vector<Row>& rows, Grid grid) {
  CurveBounds bounds(rows);
  Found found;
  const auto settle = [&](std::size_t coefficient, int step, int& value) {
    const auto interval = bounds.of(coefficient);
    if (!interval) return false;
    value = step * static_cast<int>(std::round((interval->low + interval->high) / 2 / step));
    bounds.fix(coefficient, value);
    return true;
  };
  if (!settle(2, grid.curve, found.curve) || !settle(1, grid.slope, found.slope)) {
    return std::nullopt;
  }
  const auto constant = bounds.of(0);
  if (!constant) return std::nullopt;
  found.constant = *constant;
  return found;
}

// What is common to all constants: each is a whole number of quarters more.
Interval common_bias(const std::map<std::size_t, Found>& found) {
  Interval bias{-1, 1};
  bool first = true;
  for (const auto& [segment, f] : found) {
    const long double middle = (f.constant.low + f.constant.high) / 2;
    // The first says which of all that differ by quarters: one from -1/64 on.
    const long double quarters = first ? std::floor((middle + 1.0L / 64) * 4) / 4
                                       : std::round((middle - (bias.low + bias.high) / 2) * 4) / 4;
    bias.low = std::max(bias.low, f.constant.low - quarters);
    bias.high = std::min(bias.high, f.constant.high - quarters);
    first = false;
  }
  return bias;
}

void emit(const Table& table, const std::vector<emulate::MufuSegment>& segments) {
  fmt::print("\nconst std::array<MufuSegment, {}> {} = {{{{", table.count, table.array);
  std::string line;
  for (const emulate::MufuSegment& s : segments) {
    const std::string text = fmt::format(" {{{}, {}, {}}},", s.constant, s.slope, s.curve);
    if (line.empty() || line.size() + text.size() > 98) {
      fmt::print("{}\n", line);
      line = "   ";
    }
    line += text;
  }
  fmt::print("{}\n}}}};\n", line);
}

Result<void> fit_table(const Table& table, const std::string& folder, bool emits) {
  Windows windows;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    char function[16] = {};
    unsigned first = 0;
    unsigned stride = 0;
    if (std::sscanf(name.c_str(), "%15[A-Z0-9]_%8x_%u.bin", function, &first, &stride) != 3) {
      continue;
    }
    if (table.name != function) continue;
    const Result<MappedFile> file = MappedFile::open(entry.path().string());
    if (!file) return file.error();
    add_windows(table, *emulate::mufu_named(function), first, stride, file->bytes(), windows);
  }
  std::map<std::size_t, Found> found;
  for (const auto& [segment, rows] : windows) {
    const auto fitted = fit(rows, table.grid(segment));
    if (fitted) {
      found[segment] = *fitted;
    } else {
      fmt::print(stderr, "{}: no curve on the grid passes all windows of segment {}\n", table.name,
                 segment);
    }
  }
  if (found.empty()) return Error{fmt::format("{} holds no recordings of {}", folder, table.name)};
  const Interval bias = common_bias(found);
  std::vector<emulate::MufuSegment> segments(table.count);
  std::size_t same = 0;
  for (const auto& [k, f] : found) {
    const long double quarters =
        std::round(4 * ((f.constant.low + f.constant.high) / 2 - bias.low));
    segments[k] = {static_cast<std::int32_t>(quarters), f.slope, f.curve};
    const emulate::MufuSegment& ours = table.segments[k];
    same += segments[k].constant == ours.constant && f.slope == ours.slope && f.curve == ours.curve;
  }
  fmt::print(stderr,
             "{:<5} {:>4} segments, {} as in the emulator; bias from {:.0f} to below {:.0f}\n",
             table.name, found.size(), same, std::ldexp(bias.low, 17), std::ldexp(bias.high, 17));
  if (emits) emit(table, segments);
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  const bool emits = argc == 3 && std::strcmp(argv[2], "--emit") == 0;
  if (argc != 2 && !emits) {
    fmt::print(stderr, "usage: bench_mufu_fit FOLDER [--emit]\n");
    return 2;
  }
  for (const Table& table : tables()) {
    const Result<void> done = fit_table(table, argv[1], emits);
    if (done) continue;
    fmt::print(stderr, "bench_mufu_fit: {}\n", done.error().message);
    return static_cast<int>(done.error().exit);
  }
  return 0;
}
