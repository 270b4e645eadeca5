#include "tune/search/opening.h"

#include <algorithm>
#include <optional>

namespace burin::tune {
namespace {

constexpr std::size_t kDraws = 256;  // random points from which one is chosen
constexpr double kSpread = 0.3;      // weight of the distance to other points

double plainness(const std::vector<ParameterScale>& scales, const Point& point) {
  double sum = 0;
  for (const ParameterScale& scale : scales) {
    if (!scale.ordered) continue;
    const std::size_t level = scale.level[point[scale.parameter]];
    const double off_centre = scale.coordinate[level] - 0.5;
    sum += scale.roundness[level] - 1 - off_centre * off_centre;
  }
  return sum;
}

}  // namespace

std::vector<Point> opening_points(History& history, const std::vector<ParameterScale>& scales,
                                  std::size_t count, Random& random) {
  // The longer everything fails, the farther away from the failures.
  const double spread = kSpread * std::max(1.0, static_cast<double>(history.answers().size()) /
                                                    static_cast<double>(kOpeningPoints));
  std::vector<Point> chosen;
  while (chosen.size() < count) {
    std::optional<Point> best;
    double best_merit = 0;
    for (std::size_t i = 0; i < kDraws; ++i) {
      std::optional<Point> point = history.unseen(random);
      if (!point) break;
      double nearest = 1;
      const auto compare = [&](const Point& other) {
        nearest = std::min(nearest, distance(scales, other, *point));
      };
      for (const Answer& answer : history.answers()) compare(answer.point);
      for (const Point& open : history.open_points()) compare(open);
      for (const Point& other : chosen) compare(other);
      const double merit = spread * nearest + plainness(scales, *point);
      const bool is_chosen = std::ranges::find(chosen, *point) != chosen.end();
      if (!is_chosen && (!best || merit > best_merit)) {
        best_merit = merit;
        best = std::move(point);
      }
    }
    if (!best) break;
    chosen.push_back(std::move(*best));
  }
  return chosen;
}

}  // namespace burin::tune
