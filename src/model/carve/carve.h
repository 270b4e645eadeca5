// Program optimization carving: which configurations are worth running, and why the others are not.
//
//   Result<Carving> carving = carve(counted, space, machine, {});
//   for (std::size_t i : carving->kept) …                   // most promising first
//   carving->verdicts[17].reason        "dominated by tile=16, unroll=4: efficiency 1.21×, …"
//
// 1. Configurations that cannot run, or that miss a threshold, go.
// 2. Those on the Pareto front of the metrics stay, and those of the band below it.
// 3. Of configurations that the metrics cannot tell apart, one stays; more if there is room.
// 4. If more than CarveOptions::keep are left, those with the highest estimated time go.
// 5. A few of those that went come back, at random: they guard against blind spots of the metrics.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "machine/machine.h"
#include "model/carve/counted.h"
#include "model/carve/front.h"
#include "model/carve/metrics.h"
#include "model/carve/threshold.h"

namespace burin::model {

struct CarveOptions {
  MetricChoice metrics = kModernMetrics;
  // Uncoalesced configurations go where coalesced ones exist.
  bool coalesced = true;
  std::vector<Threshold> thresholds{};
  Dominance dominance = Dominance::kAny;
  double band = 1;     // a point of the front must be better by this share on every axis
  double same = 1e-3;  // metrics that differ by less are the same
  // Configurations to keep, guards included; none: all of front and band.
  std::optional<std::size_t> keep{};
  std::size_t guards = 2;
  std::uint64_t seed = 0;
};

// As published: all of the front on two axes, nothing else.
CarveOptions published_options();
// Modern metrics, one configuration in twenty; one in five of a space of fewer than 300.
CarveOptions modern_options(std::size_t configurations);
std::size_t share_to_keep(std::size_t configurations);

enum class Fate : std::uint8_t {
  kFront,
  kBand,  // below the front, but not by much
  kGuard,
  kFailed,     // cannot be compiled or executed
  kThreshold,  // misses a threshold
  kDominated,
  kSame,        // indistinguishable from one that was kept
  kBeyond,      // estimated slower than those that were kept
  kUncompiled,  // the same, from its neighbours: it was not compiled
};
std::string_view name(Fate fate);  // "front", "band", …
inline bool is_kept(Fate fate) {
  return fate <= Fate::kGuard;
}

struct Verdict {
  Fate fate = Fate::kFailed;
  std::string reason{};
};

struct Carving {
  CarveOptions options{};
  std::vector<Metrics> metrics{};    // one per configuration; empty axes if it failed
  std::vector<Verdict> verdicts{};   // likewise
  std::vector<std::size_t> kept{};   // by estimated time, guards last
  std::vector<std::size_t> front{};  // of those that pass the thresholds, by falling efficiency
};

// The Error says that nothing is left, and which threshold is to blame.
Result<Carving> carve(std::span<const Counted> configurations, const tune::Space& space,
                      const machine::Machine& machine, const CarveOptions& options);

// The configurations with the lowest predicted times; none unless all that were compiled have one.
std::vector<std::size_t> top_by_prediction(std::span<const Counted> configurations,
                                           std::size_t count);

}  // namespace burin::model
