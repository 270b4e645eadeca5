#include "tune/finalists.h"

#include <algorithm>
#include <limits>

#include "base/hash.h"
#include "measure/sample.h"

namespace burin::tune {
namespace {

constexpr double kWithin = 1.01;  // of the best finalist
constexpr int kResamples = 2000;  // 1 % steps of confidence are then significant

double median_of(std::vector<double> values) {
  if (values.empty()) return std::numeric_limits<double>::infinity();
  std::ranges::sort(values);
  return measure::quantile(values, 0.5);
}

}  // namespace

double winner_confidence(std::span<const Finalist> finalists, std::size_t winner) {
  int within = 0;
  std::uint64_t state = 1;
  const auto draw = [&](std::size_t count) {
    state += kGoldenRatio;
    return static_cast<std::size_t>(splitmix64(state) % count);
  };
  for (int resample = 0; resample < kResamples; ++resample) {
    double best = std::numeric_limits<double>::infinity();
    double winners = best;
    for (std::size_t i = 0; i < finalists.size(); ++i) {
      const std::vector<double>& times = finalists[i].times_us;
      if (times.empty()) continue;
      std::vector<double> drawn(times.size());
      for (double& time : drawn) time = times[draw(times.size())];
      const double median = median_of(std::move(drawn));
      best = std::min(best, median);
      if (i == winner) winners = median;
    }
    if (winners <= best * kWithin && winners < std::numeric_limits<double>::infinity()) ++within;
  }
  return static_cast<double>(within) / kResamples;
}

Result<Final> hold_final(Lab& lab, std::span<const Point> points, const FinalOptions& options) {
  Final final;
  for (const Point& point : points) final.finalists.push_back({.point = point});
  std::vector<bool> out(points.size(), false);
  for (std::size_t round = 0; round < options.rounds; ++round) {
    for (std::size_t i = 0; i < points.size(); ++i) {
      // Every other round backwards: a drift of the clock favours nobody.
      const std::size_t at = round % 2 == 0 ? i : points.size() - 1 - i;
      if (out[at]) continue;
      if (options.interrupted && options.interrupted()) break;
      Result<std::vector<double>> times = lab.measure_again(points[at]);
      if (!times) return times.error();
      if (times->empty()) out[at] = true;
      std::vector<double>& all = final.finalists[at].times_us;
      all.insert(all.end(), times->begin(), times->end());
    }
  }
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < points.size(); ++i) {
    Finalist& finalist = final.finalists[i];
    if (out[i]) finalist.times_us.clear();
    finalist.median_us = median_of(finalist.times_us);
    if (finalist.median_us < best) {
      best = finalist.median_us;
      final.winner = i;
    }
  }
  final.confidence = winner_confidence(final.finalists, final.winner);
  return final;
}

}  // namespace burin::tune
