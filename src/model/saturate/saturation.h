// The minimum saturation point (MSP) of a kernel: the smallest problem size whose throughput is
// that of the target, so that configurations tuned there are good at the target too. After Magni,
// Dubach and O'Boyle, "Exploiting GPU Hardware Saturation for Fast Compiler Optimization" (2014).
//
//   Saturation found = find_saturation(samples, {.threshold = 0.1, .target = {.work = 1e9}});
//   found.msp           3: the fourth sample; none: no plateau, tune at the target
//   found.plain_msp     2: what the paper's rule picks
//
// The paper takes the smallest size within the threshold of the *maximum*. On a GPU with a large L2
// cache that picks a size whose data stays in L2, although the target's does not. Here:
//   - the plateau is the throughput at the target, measured or extrapolated by a fit (fit.h);
//   - the throughput must be within the threshold of it from both sides, from the MSP on;
//   - only sizes in the target's memory regime count (same_regime()).
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/saturate/fit.h"

namespace burin::model {

inline constexpr double kDefaultThreshold = 0.10;

struct SaturationOptions {
  double threshold = kDefaultThreshold;  // share of the plateau, 0 to 1
  SizeSample target{};                   // size and work are needed; time_us only if it was run
  double l2_bytes = 0;                   // 0: not known, and regimes are not compared
  bool warm = false;                     // caches hold the buffers when a timed launch starts
};

enum class PlateauFrom : unsigned char {
  kMeasured,      // the target was run
  kExtrapolated,  // the fit of smaller sizes
  kNone,          // too few sizes, or they are not described by the fit
};
std::string_view name(PlateauFrom from);  // "measured", "extrapolated", "none"

struct Saturation {
  std::vector<double> share{};    // of the plateau, one per sample; empty without a plateau
  std::vector<bool> in_regime{};  // one per sample: same regime as the target
  double plateau = 0;             // units of work per second at the target; 0: not known
  PlateauFrom plateau_from = PlateauFrom::kNone;
  std::optional<Fit> fit{};          // of the sizes in the target's regime
  std::optional<std::size_t> msp{};  // a sample; none: tune at the target
  std::size_t plain_msp = 0;         // the paper's rule on the same samples
  std::string reason{};              // one sentence, if there is no MSP below the target
};

// Whether memory behaves at this size as at the target: the working sets are on the same side of
// the L2 cache, or the L2 hit rates, where both are known, differ by at most 0.1. With cold caches
// and unknown hit rates the cache starts without the data in both, and every size counts.
bool same_regime(const SizeSample& sample, const SaturationOptions& options);

// The paper's rule: the smallest sample within `threshold` of the maximum throughput. `samples`
// must not be empty.
std::size_t plain_msp(std::span<const SizeSample> samples, double threshold);

// `samples` are in ascending order of work; the last one may be the target itself.
Saturation find_saturation(std::span<const SizeSample> samples, const SaturationOptions& options);

// Whether larger sizes need not be run: the fit of at least four sizes in the target's regime has
// predicted the last two of them within 5 %, and the last one is within the threshold of the
// extrapolated plateau.
bool is_settled(std::span<const SizeSample> samples, const SaturationOptions& options);

// The smallest size at which all configurations are saturated; none if one of them is not saturated
// below the target.
// `samples[c]` and `found[c]` belong to configuration c.
std::optional<double> common_msp(std::span<const std::vector<SizeSample>> samples,
                                 std::span<const Saturation> found);

}  // namespace burin::model
