#include "guided/replayed.h"

#include <algorithm>
#include <limits>

#include "base/format.h"
#include "tune/search/strategy.h"

namespace burin::guided_bench {
namespace {

constexpr double kShare = 0.99;  // of the optimum: where a search ends

// "[least, mean, most]"
std::string summary(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return fmt::format("[{:.5g}, {:.5g}, {:.5g}]", std::ranges::min(values),
                     sum / static_cast<double>(values.size()), std::ranges::max(values));
}

Replayed replay_one(const tune::RecordedSpace& measured, const std::vector<tune::Point>& first,
                    std::uint64_t seed, std::size_t least_trials) {
  const auto strategy =
      tune::make_strategy("ensemble", measured.space, {.seed = seed, .first = first});
  const double optimum_us = measured.points[*measured.best()].time_us;
  Replayed search;
  double best_us = std::numeric_limits<double>::infinity();
  double seconds = 0;
  while (search.share.size() < least_trials || optimum_us < kShare * best_us) {
    const std::optional<tune::Point> point = (*strategy)->ask();
    if (!point) break;
    const tune::RecordedPoint& answer = measured.at(*point);
    best_us = std::min(best_us, answer.time_us);
    seconds += answer.cost_seconds();
    search.share.push_back(optimum_us / best_us);
    search.seconds.push_back(seconds);
    (*strategy)->tell(*point, answer.time_us, answer.cost_seconds());
  }
  return search;
}

}  // namespace

std::vector<Replayed> replay(const tune::RecordedSpace& measured,
                             const std::vector<tune::Point>& first, std::uint64_t seeds,
                             std::size_t least_trials) {
  std::vector<Replayed> searches;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    searches.push_back(replay_one(measured, first, seed, least_trials));
  }
  return searches;
}

std::string reached(const std::vector<Replayed>& searches, double share) {
  std::vector<double> trials, seconds;
  for (const Replayed& search : searches) {
    const auto at = static_cast<std::size_t>(std::ranges::lower_bound(search.share, share) -
                                             search.share.begin());
    if (at == search.share.size()) continue;
    trials.push_back(static_cast<double>(at + 1));
    seconds.push_back(search.seconds[at]);
  }
  return fmt::format("{{\"trials\": {}, \"seconds\": {}}}", summary(trials), summary(seconds));
}

std::string trajectory(const std::vector<Replayed>& searches, std::size_t trials) {
  std::string shares, times;
  for (std::size_t k = 0; k < trials; ++k) {
    std::vector<double> share;
    double seconds = 0;
    for (const Replayed& search : searches) {
      const std::size_t at = std::min(k, search.share.size() - 1);
      share.push_back(search.share[at]);
      seconds += search.seconds[at] / static_cast<double>(searches.size());
    }
    shares += (k == 0 ? "" : ", ") + summary(share);
    times += fmt::format("{}{:.5g}", k == 0 ? "" : ", ", seconds);
  }
  return fmt::format("{{\"trials\": [{}], \"seconds\": [{}]}}", shares, times);
}

}  // namespace burin::guided_bench
