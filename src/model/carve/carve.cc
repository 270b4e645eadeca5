#include "model/carve/carve.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "base/format.h"
#include "model/carve/front.h"

namespace burin::model {
namespace {

constexpr std::array<std::string_view, 9> kFateNames = {
    "front", "band", "guard", "failed", "threshold", "dominated", "same", "beyond", "uncompiled"};

// Sectors per ideal sector at which accesses count as coalesced, and at which they do not.
constexpr double kCoalesced = 0.9;
constexpr double kUncoalesced = 0.5;

constexpr std::size_t kSmallSpace = 300;

class Carver {
 public:
  Carver(std::span<const Counted> configurations, const tune::Space& space,
         const machine::Machine& machine, const CarveOptions& options)
      : configurations_(configurations), space_(space), dimensions_(options.metrics.dimensions()) {
    carving_.options = options;
    carving_.verdicts.resize(configurations.size());
    for (std::size_t i = 0; i < configurations.size(); ++i) {
      const Counted& counted = configurations[i];
      if (!counted.compiled) {
        carving_.metrics.emplace_back();
        prune(i, Fate::kUncompiled, counted.reason);
      } else if (counted.ok()) {
        carving_.metrics.push_back(metrics_of(counted.launches, machine, options.metrics));
        left_.push_back(i);
      } else {
        carving_.metrics.emplace_back();
        const bool named = counted.status == tune::Status::kRuntime;  // its reason says it all
        prune(i, Fate::kFailed,
              named ? counted.reason
                    : fmt::format("{}: {}", tune::name(counted.status), counted.reason));
      }
      points_.push_back(carving_.metrics.back().axes);
    }
  }

  Result<Carving> run() {
    if (left_.empty()) {
      return Error{configurations_.empty() ? std::string("there is no configuration to carve")
                                           : "no configuration can be counted; the first: " +
                                                 carving_.verdicts.front().reason};
    }
    if (Result<void> done = apply_thresholds(); !done) return done.error();
    trade_off();
    merge_same();
    limit();
    add_guards();
    return std::move(carving_);
  }

 private:
  const CarveOptions& options() const { return carving_.options; }
  std::string describe(std::size_t i) const {
    return tune::describe(space_, configurations_[i].point);
  }

  void prune(std::size_t i, Fate fate, std::string reason) {
    carving_.verdicts[i] = {fate, std::move(reason)};
  }

  // Removes those of `left_` for which `why` gives a reason.
  template <typename Why>
  void remove(Fate fate, Why why) {
    std::erase_if(left_, [&](std::size_t i) {
      std::string reason = why(i);
      if (reason.empty()) return false;
      prune(i, fate, std::move(reason));
      return true;
    });
  }

  Result<void> apply_thresholds() {
    if (options().coalesced) {
      const bool exist = std::ranges::any_of(
          left_, [&](std::size_t i) { return carving_.metrics[i].coalescing >= kCoalesced; });
      if (exist) {
        remove(Fate::kThreshold, [&](std::size_t i) {
          const double share = carving_.metrics[i].coalescing;
          if (share >= kUncoalesced) return std::string();
          return fmt::format("uncoalesced: {:.1f} sectors are accessed where 1 would do",
                             1 / share);
        });
      }
    }
    for (const Threshold& threshold : options().thresholds) {
      std::vector<const Metrics*> all;
      for (const std::size_t i : left_) all.push_back(&carving_.metrics[i]);
      const double limit = limit_of(threshold, all);
      remove(Fate::kThreshold,
             [&](std::size_t i) { return miss(threshold, limit, carving_.metrics[i]); });
      if (left_.empty()) {
        return Error{
            fmt::format("no configuration is left after the threshold {}; the first one "
                        "has {}",
                        threshold.text, miss(threshold, limit, *all.front()))};
      }
    }
    return {};
  }

  void trade_off() {
    std::vector<AxisPoint> points;
    for (const std::size_t i : left_) points.push_back(points_[i]);
    for (const std::size_t place : pareto_front(points, dimensions_, options().dominance)) {
      carving_.front.push_back(left_[place]);
      carving_.verdicts[left_[place]] = {Fate::kFront, ""};
    }
    remove(Fate::kDominated, [&](std::size_t i) {
      if (carving_.verdicts[i].fate == Fate::kFront) return std::string();
      const FrontDistance far = distance_to(carving_.front, points_, i, dimensions_);
      if (options().band > 0 && far.distance <= options().band) {
        carving_.verdicts[i] = {Fate::kBand, ""};
        return std::string();
      }
      std::string reason = fmt::format("dominated by {}:", describe(far.by));
      for (std::size_t axis = 0; axis < dimensions_; ++axis) {
        reason += fmt::format("{} {} {:.2f}×", axis == 0 ? "" : ",", kAxisNames[axis],
                              points_[far.by][axis] / points_[i][axis]);
      }
      return reason;
    });
  }

  // The same metrics, and the same shape on the SM.
  bool are_same(std::size_t a, std::size_t b) const {
    const Metrics& one = carving_.metrics[a];
    const Metrics& other = carving_.metrics[b];
    return one.warps == other.warps && one.resident_blocks == other.resident_blocks &&
           std::abs(one.cycles / other.cycles - 1) <= options().same &&
           indistinguishable(one.axes, other.axes, dimensions_, options().same);
  }

  void merge_same() {
    sort_by_estimate();
    if (options().same <= 0) return;
    std::vector<std::size_t> representatives;
    remove(Fate::kSame, [&](std::size_t i) {
      const auto like =
          std::ranges::find_if(representatives, [&](std::size_t r) { return are_same(r, i); });
      if (like == representatives.end()) {
        representatives.push_back(i);
        return std::string();
      }
      merged_.emplace_back(i, carving_.verdicts[i]);
      return fmt::format("indistinguishable from {}", describe(*like));
    });
    // Where there is room, more than one stays.
    const std::size_t room = options().keep.value_or(0);
    for (const auto& [i, verdict] : merged_) {
      if (left_.size() + options().guards >= room) break;
      left_.push_back(i);
      carving_.verdicts[i] = verdict;
    }
    sort_by_estimate();
  }

  void sort_by_estimate() {
    std::ranges::stable_sort(left_, [&](std::size_t a, std::size_t b) {
      return carving_.metrics[a].cycles < carving_.metrics[b].cycles;
    });
  }

  void limit() {
    const std::size_t guards = options().guards;
    if (!options().keep || left_.size() + guards <= *options().keep) return;
    const std::size_t most = *options().keep > guards ? *options().keep - guards : 1;
    const double best = carving_.metrics[left_.front()].cycles;
    std::size_t place = 0;
    remove(Fate::kBeyond, [&](std::size_t i) {
      if (place++ < most) return std::string();
      return fmt::format("estimated at {:.2f}× the best, beyond the {} that are kept",
                         carving_.metrics[i].cycles / best, most);
    });
  }

  void add_guards() {
    carving_.kept = left_;
    std::vector<std::size_t> pruned;
    for (std::size_t i = 0; i < carving_.verdicts.size(); ++i) {
      const Fate fate = carving_.verdicts[i].fate;
      const bool compared =
          fate == Fate::kDominated || fate == Fate::kSame || fate == Fate::kBeyond;
      if (compared) pruned.push_back(i);
    }
    std::mt19937_64 random(options().seed);
    for (std::size_t g = 0; g < options().guards && !pruned.empty(); ++g) {
      if (options().keep && carving_.kept.size() >= *options().keep) return;
      const std::size_t at = random() % pruned.size();
      const std::size_t i = pruned[at];
      pruned.erase(pruned.begin() + static_cast<std::ptrdiff_t>(at));
      carving_.verdicts[i] = {Fate::kGuard, "picked at random; " + carving_.verdicts[i].reason};
      carving_.kept.push_back(i);
    }
  }

  std::span<const Counted> configurations_;
  const tune::Space& space_;
  std::size_t dimensions_;
  std::vector<AxisPoint> points_;
  std::vector<std::size_t> left_;
  std::vector<std::pair<std::size_t, Verdict>> merged_;  // with what they were before
  Carving carving_;
};

}  // namespace

std::string_view name(Fate fate) {
  return kFateNames[static_cast<std::size_t>(fate)];
}

std::size_t share_to_keep(std::size_t configurations) {
  return std::max<std::size_t>(1, configurations / (configurations < kSmallSpace ? 5 : 20));
}

CarveOptions published_options() {
  return {.metrics = kPublishedMetrics,
          .dominance = Dominance::kEvery,
          .band = 0,
          .same = 0,
          .guards = 0};
}

CarveOptions modern_options(std::size_t configurations) {
  return {.keep = share_to_keep(configurations)};
}

Result<Carving> carve(std::span<const Counted> configurations, const tune::Space& space,
                      const machine::Machine& machine, const CarveOptions& options) {
  return Carver(configurations, space, machine, options).run();
}

std::vector<std::size_t> top_by_prediction(std::span<const Counted> configurations,
                                           std::size_t count) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < configurations.size(); ++i) {
    if (!configurations[i].ok() || !configurations[i].compiled) continue;
    if (!configurations[i].predicted_us) return {};
    order.push_back(i);
  }
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return *configurations[a].predicted_us < *configurations[b].predicted_us;
  });
  order.resize(std::min(order.size(), count));
  return order;
}

}  // namespace burin::model
