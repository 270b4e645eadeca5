#include "model/saturate/saturation.h"

#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "base/numbers.h"

namespace burin::model {
namespace {

constexpr double kHitRateTolerance = 0.1;
constexpr double kTrustedFit = 0.05;     // largest relative error of a fit that is used
constexpr std::size_t kFittedSizes = 4;  // the largest so many: small ones may differ in kind
constexpr std::size_t kCheckedSizes = 2;

bool is_target(const SizeSample& sample, const SaturationOptions& options) {
  return sample.work >= options.target.work * (1 - 1e-9);
}

std::vector<SizeSample> samples_in_regime(std::span<const SizeSample> samples,
                                          const SaturationOptions& options) {
  std::vector<SizeSample> kept;
  for (const SizeSample& sample : samples) {
    if (same_regime(sample, options)) kept.push_back(sample);
  }
  return kept;
}

std::span<const SizeSample> largest(std::span<const SizeSample> samples, std::size_t count) {
  return samples.last(std::min(samples.size(), count));
}

// The throughput at the target, and where it comes from.
void set_plateau(std::span<const SizeSample> regime, const SaturationOptions& options,
                 Saturation& found) {
  found.fit = fit_times(largest(regime, kFittedSizes));
  if (!regime.empty() && is_target(regime.back(), options)) {
    // Where the fit describes the largest sizes, it averages their noise.
    const bool fits = found.fit && regime.size() >= 3 && found.fit->max_error <= kTrustedFit;
    found.plateau =
        fits ? found.fit->throughput_at(options.target.work) : regime.back().throughput();
    found.plateau_from = PlateauFrom::kMeasured;
    return;
  }
  if (!found.fit || regime.size() < 3 || found.fit->max_error > kTrustedFit) return;
  found.plateau = found.fit->throughput_at(options.target.work);
  found.plateau_from = PlateauFrom::kExtrapolated;
}

std::string reason_without_plateau(std::span<const SizeSample> regime, const Saturation& found) {
  if (regime.empty()) {
    return "no size has the target's L2 behaviour: the target's working set does not fit in L2, "
           "those of the sizes do";
  }
  if (regime.size() < 3) {
    return fmt::format(
        "{} size{} with the target's L2 behaviour, of at least 3 that a plateau "
        "can be extrapolated from",
        regime.size(), regime.size() == 1 ? "" : "s");
  }
  if (found.fit && found.fit->max_error > kTrustedFit) {
    return fmt::format(
        "the times are not an overhead plus work at a fixed rate (off by up to {}), "
        "so the target cannot be extrapolated",
        percent(found.fit->max_error));
  }
  return fmt::format("the time does not grow with the work up to {}", regime.back().size);
}

}  // namespace

std::string_view name(PlateauFrom from) {
  switch (from) {
    case PlateauFrom::kMeasured:
      return "measured";
    case PlateauFrom::kExtrapolated:
      return "extrapolated";
    case PlateauFrom::kNone:
      break;
  }
  return "none";
}

bool same_regime(const SizeSample& sample, const SaturationOptions& options) {
  const SizeSample& target = options.target;
  if (sample.l2_hit_rate && target.l2_hit_rate) {
    return std::abs(*sample.l2_hit_rate - *target.l2_hit_rate) <= kHitRateTolerance;
  }
  if (!options.warm) return true;
  if (options.l2_bytes <= 0 || sample.working_set_bytes <= 0 || target.working_set_bytes <= 0) {
    return true;
  }
  return (sample.working_set_bytes > options.l2_bytes) ==
         (target.working_set_bytes > options.l2_bytes);
}

std::size_t plain_msp(std::span<const SizeSample> samples, double threshold) {
  double best = 0;
  for (const SizeSample& sample : samples) best = std::max(best, sample.throughput());
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (samples[i].throughput() >= best * (1 - threshold)) return i;
  }
  return samples.size() - 1;
}

Saturation find_saturation(std::span<const SizeSample> samples, const SaturationOptions& options) {
  Saturation found;
  if (samples.empty()) {
    found.reason = "no size was measured";
    return found;
  }
  found.plain_msp = plain_msp(samples, options.threshold);
  for (const SizeSample& sample : samples) found.in_regime.push_back(same_regime(sample, options));
  const std::vector<SizeSample> regime = samples_in_regime(samples, options);
  set_plateau(regime, options, found);
  if (found.plateau <= 0) {
    found.reason = reason_without_plateau(regime, found);
    return found;
  }
  for (const SizeSample& sample : samples) {
    found.share.push_back(sample.throughput() / found.plateau);
  }
  // From the largest size down, as long as the throughput stays in the band.
  for (std::size_t i = samples.size(); i-- > 0;) {
    if (!found.in_regime[i] || std::abs(found.share[i] - 1) > options.threshold + 1e-12) break;
    found.msp = i;
  }
  if (found.msp && is_target(samples[*found.msp], options)) found.msp.reset();
  if (!found.msp) {
    const auto below =
        std::ranges::find_if(samples.rbegin(), samples.rend(),
                             [&](const SizeSample& sample) { return !is_target(sample, options); });
    found.reason = below == samples.rend()
                       ? std::string("only the target was measured")
                       : fmt::format("no plateau: at {} the throughput is {} of that at the target",
                                     below->size, percent(below->throughput() / found.plateau));
  }
  return found;
}

bool is_settled(std::span<const SizeSample> samples, const SaturationOptions& options) {
  const std::vector<SizeSample> regime = samples_in_regime(samples, options);
  if (regime.size() < kCheckedSizes + 2) return false;
  // Where nothing tells the target's regime, it must have been reached: data that does not fit in
  // L2 at the target may make larger sizes slower.
  if (options.l2_bytes > 0 && options.target.working_set_bytes > options.l2_bytes &&
      samples.back().working_set_bytes > 0 &&
      samples.back().working_set_bytes <= options.l2_bytes) {
    return false;
  }
  const std::span<const SizeSample> fitted =
      largest(regime, std::max(kFittedSizes, kCheckedSizes + 2));
  const std::optional<double> error = prediction_error(fitted, kCheckedSizes);
  if (!error || *error > kTrustedFit) return false;
  const Saturation found = find_saturation(samples, options);
  return found.msp.has_value();
}

std::optional<double> common_msp(std::span<const std::vector<SizeSample>> samples,
                                 std::span<const Saturation> found) {
  std::optional<double> common;
  for (std::size_t c = 0; c < found.size(); ++c) {
    if (!found[c].msp) return std::nullopt;
    const double size = samples[c][*found[c].msp].size;
    common = common ? std::max(*common, size) : size;
  }
  return common;
}

}  // namespace burin::model
