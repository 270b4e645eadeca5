#include "model/carve/blind_spots.h"

#include <algorithm>
#include <map>

#include "model/carve/front.h"

namespace burin::model {
namespace {

constexpr double kSameMetrics = 0.002;
constexpr double kDiffers = 1.03;     // predicted times
constexpr double kWorthNaming = 0.1;  // share of the pairs

}  // namespace

std::vector<BlindSpot> blind_spots(const tune::Space& space,
                                   std::span<const Counted> configurations,
                                   const Carving& carving) {
  std::map<tune::Point, std::size_t> places;
  for (std::size_t i = 0; i < configurations.size(); ++i) {
    if (configurations[i].ok() && configurations[i].predicted_us) {
      places[configurations[i].point] = i;
    }
  }
  const std::size_t dimensions = carving.options.metrics.dimensions();
  std::vector<BlindSpot> spots;
  for (std::size_t p = 0; p < space.dimensions(); ++p) {
    BlindSpot spot{.parameter = space.parameters()[p].name};
    for (const auto& [point, i] : places) {
      tune::Point other = point;
      for (std::size_t v = point[p] + 1u; v < space.parameters()[p].values.size(); ++v) {
        other[p] = static_cast<std::uint16_t>(v);
        const auto found = places.find(other);
        if (found == places.end()) continue;
        const std::size_t k = found->second;
        if (!indistinguishable(carving.metrics[i].axes, carving.metrics[k].axes, dimensions,
                               kSameMetrics)) {
          continue;
        }
        ++spot.pairs;
        const double ratio = *configurations[k].predicted_us / *configurations[i].predicted_us;
        const double factor = std::max(ratio, 1 / ratio);
        if (factor > kDiffers) ++spot.differing;
        if (factor <= spot.largest) continue;
        spot.largest = factor;
        spot.faster = ratio > 1 ? point : other;
        spot.slower = ratio > 1 ? other : point;
      }
    }
    const bool worth = spot.differing > 0 && static_cast<double>(spot.differing) >=
                                                 kWorthNaming * static_cast<double>(spot.pairs);
    if (worth) spots.push_back(std::move(spot));
  }
  std::ranges::stable_sort(spots, std::greater{}, &BlindSpot::differing);
  return spots;
}

}  // namespace burin::model
