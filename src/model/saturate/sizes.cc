#include "model/saturate/sizes.h"

#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "base/text.h"
#include "launch/number.h"

namespace burin::model {
namespace {

constexpr double kWorthMoving = 0.02;  // of the share of busy block slots

}  // namespace

std::vector<std::int64_t> geometric_sizes(std::int64_t from, std::int64_t to, double step) {
  std::vector<std::int64_t> sizes;
  for (double size = static_cast<double>(from); size < static_cast<double>(to) * 0.999;
       size *= step) {
    const auto whole = static_cast<std::int64_t>(std::llround(size));
    if (whole < to && (sizes.empty() || whole > sizes.back())) sizes.push_back(whole);
  }
  sizes.push_back(to);
  return sizes;
}

double wave_efficiency(std::uint64_t blocks, std::uint64_t wave) {
  if (wave == 0 || blocks == 0) return 1;
  const std::uint64_t waves = (blocks + wave - 1) / wave;
  return static_cast<double>(blocks) / static_cast<double>(waves * wave);
}

std::int64_t whole_wave_size(std::int64_t size, std::uint64_t wave, const BlocksOf& blocks_of) {
  const std::optional<std::uint64_t> blocks = blocks_of(size);
  // Less than a wave cannot be filled by a size near this one.
  if (!blocks || wave == 0 || *blocks < wave) return size;
  const std::int64_t step = std::max<std::int64_t>(1, size / 64);
  std::int64_t best = size;
  double best_share = wave_efficiency(*blocks, wave);
  for (std::int64_t k = 1; k <= 32; ++k) {
    const std::int64_t candidate = size + k * step;
    const std::optional<std::uint64_t> there = blocks_of(candidate);
    if (!there) continue;
    const double share = wave_efficiency(*there, wave);
    if (share > best_share + kWorthMoving) {
      best = candidate;
      best_share = share;
    }
  }
  return best;
}

Result<SizeRange> parse_size_range(const std::string& text) {
  const Error wrong{fmt::format("expected NAME=FROM:TO or NAME=FROM:TO:FACTOR, not '{}'", text),
                    Exit::kUsage};
  const std::size_t equals = text.find('=');
  if (equals == 0 || equals == std::string::npos) return wrong;
  SizeRange range{.name = text.substr(0, equals)};
  const std::string values = text.substr(equals + 1);
  const std::vector<std::string_view> parts = split(values, ':');
  if (parts.size() < 2 || parts.size() > 3) return wrong;
  const auto from = launch::parse_integer<std::int64_t>(parts[0]);
  const auto to = launch::parse_integer<std::int64_t>(parts[1]);
  if (!from || !to) return wrong;
  range.from = *from;
  range.to = *to;
  if (parts.size() == 3) {
    const auto step = launch::parse_real<double>(parts[2]);
    if (!step) return wrong;
    range.step = *step;
  }
  if (range.from < 1 || range.to < range.from) {
    return Error{fmt::format("{}: sizes go from 1 or more up to a larger one", text), Exit::kUsage};
  }
  if (!(range.step >= 1.05 && range.step <= 1024)) {
    return Error{fmt::format("{}: the factor must be from 1.05 to 1024", text), Exit::kUsage};
  }
  return range;
}

}  // namespace burin::model
