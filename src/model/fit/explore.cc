#include "model/fit/explore.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "model/fit/rank_models.h"

namespace burin::model {
namespace {

constexpr double kLongWork = 8;  // times the work, of the sizes of other proportions
// Times the longest side: matrices are longer than volumes.
constexpr double kLongSide = 64;
constexpr double kLongSideOfVolume = 16;
// Of sizes that are measured: times the side that is made long, parts of the side made short.
constexpr double kLongMeasured = 16;
constexpr double kShortMeasured = 8;

// Multiplied side by side; at least 1.
Sizes scaled(const Sizes& size, std::span<const double> factors) {
  Sizes result = size;
  for (std::size_t i = 0; i < size.size(); ++i) {
    const double value = static_cast<double>(size[i]) * factors[i];
    result[i] = std::max<std::int64_t>(1, std::llround(value));
  }
  return result;
}

// The sides of `largest` that differ between the known sizes; all where there is one size.
std::vector<std::size_t> growing_sides(std::span<const Sizes> known, const Sizes& largest) {
  std::vector<std::size_t> growing;
  for (std::size_t i = 0; i < largest.size(); ++i) {
    const bool varies =
        std::ranges::any_of(known, [&](const Sizes& size) { return size[i] != largest[i]; });
    if (varies || known.size() == 1) growing.push_back(i);
  }
  return growing;
}

}  // namespace

std::vector<Sizes> other_proportions(std::span<const Sizes> known) {
  std::vector<Sizes> found;
  if (known.empty()) return found;
  const Sizes& largest = *std::ranges::max_element(known, {}, log_work);
  const std::vector<std::size_t> growing = growing_sides(known, largest);
  const auto add = [&](const std::vector<double>& factors) {
    Sizes size = scaled(largest, factors);
    if (std::ranges::find(found, size) == found.end()) found.push_back(std::move(size));
  };
  const auto others = static_cast<double>(growing.size()) - 1;
  for (const std::size_t side : growing) {
    if (others == 0) break;
    std::vector<double> factors(largest.size(), 1);
    for (const std::size_t i : growing) {
      factors[i] = i == side ? kLongMeasured : std::pow(kLongMeasured, -1 / others);
    }
    add(factors);
    if (others == 1) continue;
    for (const std::size_t i : growing) {
      factors[i] = i == side ? 1 / kShortMeasured : std::pow(kShortMeasured, 1 / others);
    }
    add(factors);
  }
  for (std::size_t i = 0; i < largest.size(); ++i) {
    if (std::ranges::find(growing, i) != growing.end()) continue;
    std::vector<double> factors(largest.size(), 1);
    factors[i] = kLongMeasured;
    add(factors);
  }
  return found;
}

std::vector<Sizes> explored_sizes(std::span<const Sizes> known, double reach) {
  std::vector<Sizes> found;
  if (known.empty()) return found;
  const Sizes& largest = *std::ranges::max_element(known, {}, log_work);
  const std::vector<std::size_t> growing = growing_sides(known, largest);
  if (growing.empty()) return found;
  const auto count = static_cast<double>(growing.size());
  const auto add = [&](const std::vector<double>& factors) {
    Sizes size = scaled(largest, factors);
    if (std::ranges::find(found, size) == found.end()) found.push_back(std::move(size));
  };
  for (double work = 4; work <= reach; work *= 4) {
    std::vector<double> factors(largest.size(), 1);
    for (const std::size_t i : growing) factors[i] = std::pow(work, 1 / count);
    add(factors);
  }
  // What was always the same may be larger too.
  for (std::size_t i = 0; i < largest.size(); ++i) {
    if (std::ranges::find(growing, i) != growing.end()) continue;
    std::vector<double> factors(largest.size(), 1);
    factors[i] = kLongMeasured;
    add(factors);
  }
  if (growing.size() == 1) return found;
  const double longest = growing.size() > 2 ? kLongSideOfVolume : kLongSide;
  for (const std::size_t side : growing) {
    std::vector<double> factors(largest.size(), 1);
    for (const std::size_t i : growing) {
      factors[i] = i == side ? longest : std::pow(kLongWork / longest, 1 / (count - 1));
    }
    add(factors);
    if (growing.size() == 2) continue;
    // Short in this side, long in the others.
    for (const std::size_t i : growing) {
      factors[i] = i == side ? 1 / kLongWork : std::pow(kLongWork * kLongWork, 1 / (count - 1));
    }
    add(factors);
  }
  return found;
}

std::vector<std::size_t> finalists(const ShapeTimes& times, std::size_t count) {
  const RankModel model = fit_rank_model(RankKind::kWeighted, times);
  std::vector<std::size_t> order(times.shapes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::erase_if(order, [&](std::size_t shape) { return std::isinf(model.slope[shape]); });
  std::ranges::stable_sort(order, {}, [&](std::size_t shape) { return model.slope[shape]; });
  std::vector<std::size_t> chosen(
      order.begin(),
      order.begin() + static_cast<std::ptrdiff_t>(std::min(order.size(), (count + 1) / 2)));
  std::set<std::uint32_t> widths;
  std::set<std::uint32_t> sums;
  const auto threads = [&](std::size_t shape) {
    const formula::Shape& block = times.shapes[shape];
    return block[0] * block[1] * block[2];
  };
  for (const std::size_t shape : chosen) {
    widths.insert(times.shapes[shape][0]);
    sums.insert(threads(shape));
  }
  for (const std::size_t shape : order) {
    if (chosen.size() >= count) break;
    if (std::ranges::find(chosen, shape) != chosen.end()) continue;
    const bool new_width = widths.insert(times.shapes[shape][0]).second;
    const bool new_sum = sums.insert(threads(shape)).second;
    if (new_width || new_sum) chosen.push_back(shape);
  }
  for (const std::size_t shape : order) {
    if (chosen.size() >= count) break;
    if (std::ranges::find(chosen, shape) == chosen.end()) chosen.push_back(shape);
  }
  return chosen;
}

}  // namespace burin::model
