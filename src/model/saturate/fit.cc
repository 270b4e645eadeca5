#include "model/saturate/fit.h"

#include <algorithm>
#include <cmath>

namespace burin::model {

std::optional<Fit> fit_times(std::span<const SizeSample> samples) {
  // Minimises Σ ((a + b·work) / time − 1)².
  double s11 = 0;
  double s12 = 0;
  double s22 = 0;
  double r1 = 0;
  double r2 = 0;
  double least = 0;
  double most = 0;
  for (const SizeSample& sample : samples) {
    if (!(sample.time_us > 0) || !(sample.work > 0)) return std::nullopt;
    const double x = 1 / sample.time_us;
    const double y = sample.work / sample.time_us;
    s11 += x * x;
    s12 += x * y;
    s22 += y * y;
    r1 += x;
    r2 += y;
    least = least == 0 ? sample.work : std::min(least, sample.work);
    most = std::max(most, sample.work);
  }
  if (samples.size() < 2 || most <= least) return std::nullopt;
  const double determinant = s11 * s22 - s12 * s12;
  double overhead = determinant > 0 ? (r1 * s22 - r2 * s12) / determinant : 0;
  double slope = determinant > 0 ? (r2 * s11 - r1 * s12) / determinant : 0;
  if (overhead < 0 || !(determinant > 0)) {
    overhead = 0;
    slope = r2 / s22;
  }
  if (!(slope > 0)) return std::nullopt;
  Fit fit{.overhead_us = overhead, .throughput = 1e6 / slope};
  for (const SizeSample& sample : samples) {
    const double error = std::abs(fit.time_us_at(sample.work) / sample.time_us - 1);
    fit.max_error = std::max(fit.max_error, error);
  }
  return fit;
}

std::optional<double> prediction_error(std::span<const SizeSample> samples, std::size_t checked) {
  if (samples.size() < checked + 2 || checked == 0) return std::nullopt;
  double worst = 0;
  for (std::size_t i = samples.size() - checked; i < samples.size(); ++i) {
    const std::optional<Fit> fit = fit_times(samples.first(i));
    if (!fit) return std::nullopt;
    worst = std::max(worst, std::abs(fit->time_us_at(samples[i].work) / samples[i].time_us - 1));
  }
  return worst;
}

}  // namespace burin::model
