#include "model/guided/axes.h"

#include <algorithm>
#include <cmath>

namespace burin::model {
namespace {

constexpr double kPlainThreads = 256;
constexpr double kLanesAlongX = 32;
constexpr std::uint64_t kLooked = 20'000;  // points of a large space among which to look

bool is_multiplicative(const tune::Parameter& parameter) {
  return std::ranges::all_of(parameter.values, [](const formula::Value& value) {
    return !std::holds_alternative<bool>(value) && formula::number(value).value_or(0) > 0;
  });
}

AxisKind kind_of(const tune::Parameter& parameter, const std::set<std::string>& block_sizes) {
  if (parameter.name.starts_with("unroll@")) return AxisKind::kUnroll;
  if (!is_multiplicative(parameter)) return AxisKind::kSwitch;
  if (block_sizes.contains(parameter.name)) return AxisKind::kBlock;
  if (parameter.name.starts_with("coarsen_")) return AxisKind::kCoarsen;
  return AxisKind::kNumber;
}

// How far a point is from a plain one, in doublings.
double oddness(const tune::Space& space, const std::vector<Axis>& axes, const tune::Point& point) {
  double threads = 1;
  double sum = 0;
  for (const Axis& axis : axes) {
    const std::uint16_t value = point[axis.parameter];
    if (axis.kind == AxisKind::kSwitch) {
      sum += value;
      continue;
    }
    const double factor = axis.factor(space, value);
    if (axis.kind != AxisKind::kBlock) {
      sum += std::log2(factor / axis.factor(space, axis.ascending.front()));
      continue;
    }
    // Neighbouring threads of a warp had better be neighbours along x.
    if (threads == 1) sum += std::max(0.0, std::log2(kLanesAlongX / factor)) / 2;
    threads *= factor;
  }
  return sum + std::abs(std::log2(threads / kPlainThreads));
}

}  // namespace

double Axis::factor(const tune::Space& space, std::uint16_t value) const {
  return std::max(1e-9, formula::number(space.parameters()[parameter].values[value]).value_or(1));
}

std::optional<tune::Point> Axis::at_least(const tune::Space& space, const tune::Point& point,
                                          double wanted, bool less) const {
  std::optional<tune::Point> found;
  const auto here = std::ranges::find(ascending, point[parameter]);
  for (auto value = here == ascending.end() ? here : here + 1; value != ascending.end(); ++value) {
    tune::Point moved = point;
    moved[parameter] = *value;
    if (!space.contains(moved)) continue;
    if (factor(space, *value) >= wanted) return moved;
    if (less) found = moved;
  }
  return found;
}

std::vector<Axis> axes_of(const tune::Space& space, const std::set<std::string>& block_sizes) {
  std::vector<Axis> axes;
  for (const std::size_t parameter : space.free_parameters()) {
    const tune::Parameter& tunable = space.parameters()[parameter];
    Axis axis{.parameter = parameter, .kind = kind_of(tunable, block_sizes)};
    for (std::size_t v = 0; v < tunable.values.size(); ++v) {
      axis.ascending.push_back(static_cast<std::uint16_t>(v));
    }
    if (axis.kind != AxisKind::kSwitch) {
      std::ranges::stable_sort(axis.ascending, {},
                               [&](std::uint16_t v) { return axis.factor(space, v); });
    }
    axes.push_back(std::move(axis));
  }
  return axes;
}

tune::Point plain_point(const tune::Space& space, const std::vector<Axis>& axes) {
  const std::uint64_t looked = std::min(space.size(), kLooked);
  tune::Point best = space.at(0);
  double least = oddness(space, axes, best);
  for (std::uint64_t k = 1; k < looked; ++k) {
    // Evenly spaced; the product would overflow.
    const auto index = static_cast<std::uint64_t>(
        static_cast<double>(k) * (static_cast<double>(space.size()) / static_cast<double>(looked)));
    tune::Point point = space.at(std::min(index, space.size() - 1));
    const double odd = oddness(space, axes, point);
    if (odd >= least) continue;
    least = odd;
    best = std::move(point);
  }
  return best;
}

}  // namespace burin::model
