#include "model/guided/follow.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/format.h"
#include "base/numbers.h"

namespace burin::model {
namespace {

constexpr double kGain = 1e-3;  // a smaller change of a share or of a time is none
constexpr unsigned kThreadsOfWarp = 32;

// Algorithms 2 and 3.
class Follower {
 public:
  Follower(const tune::Space& space, const std::vector<Axis>& axes, const GuidedOptions& options,
           Journal& journal)
      : space_(space), options_(options), journal_(journal) {
    for (const Axis& axis : axes) {
      if (axis.kind != AxisKind::kSwitch) axes_.push_back(&axis);
    }
    most_ = static_cast<std::size_t>(options.following * static_cast<double>(options.most));
  }

  // Algorithm 2.
  void run(std::size_t here) {
    std::vector<std::size_t> visited = {here};
    double level_best = journal_.time_of(here);
    double best_before = kNeverEnds;
    while (!journal_.spent(most_)) {
      const std::optional<std::size_t> next = step(here);
      if (!next || std::ranges::find(visited, *next) != visited.end()) return;
      if (journal_.at(*next).warps < journal_.at(here).warps) {
        if (level_best >= best_before) return;
        best_before = level_best;
        level_best = kNeverEnds;
      }
      level_best = std::min(level_best, journal_.time_of(*next));
      visited.push_back(*next);
      here = *next;
    }
  }

 private:
  struct Stride {
    const Axis* axis = nullptr;
    std::size_t trial = 0;
  };

  // Algorithm 3: where to go from here; none if no move helps.
  std::optional<std::size_t> step(std::size_t here) {
    const std::vector<Stride> strides = unit_strides(here);
    if (strides.empty()) return std::nullopt;
    return journal_.at(here).bottleneck().latency ? raise_concurrency(here, strides)
                                                  : lower_traffic(here, strides);
  }

  std::vector<Stride> unit_strides(std::size_t here) {
    std::vector<const Axis*> moved;
    std::vector<tune::Point> points;
    for (const Axis* axis : axes_) {
      std::optional<tune::Point> point = axis->next(space_, journal_.point(here));
      if (!point) continue;
      points.push_back(std::move(*point));
      moved.push_back(axis);
    }
    const std::vector<std::optional<std::size_t>> trials = journal_.look(points);
    std::vector<Stride> strides;
    for (std::size_t k = 0; k < moved.size(); ++k) {
      if (trials[k] && journal_.at(*trials[k]).works()) strides.push_back({moved[k], *trials[k]});
    }
    return strides;
  }

  double factor(const Axis& axis, std::size_t trial) const {
    return axis.factor(space_, journal_.point(trial)[axis.parameter]);
  }

  std::optional<std::size_t> raise_concurrency(std::size_t here,
                                               const std::vector<Stride>& strides) {
    const machine::Resource r = journal_.at(here).bottleneck().resource;
    const double used = journal_.at(here).utilization(r);
    Stride best;
    double gain = kGain;
    for (const Stride& stride : strides) {
      if (journal_.time_of(stride.trial) > journal_.time_of(here)) continue;
      const double more = journal_.at(stride.trial).utilization(r) - used;
      if (more < gain) continue;
      gain = more;
      best = stride;
    }
    if (best.axis == nullptr) return fastest(here, strides);
    // Linear in the factor: the unit stride multiplies by `unit` and gains `gain`.
    const double unit = factor(*best.axis, best.trial) / factor(*best.axis, here);
    const double wanted = 1 + (unit - 1) * (1 - used) / gain;
    std::size_t next = best.trial;
    const std::optional<tune::Point> far =
        best.axis->at_least(space_, journal_.point(here), wanted * factor(*best.axis, here), true);
    if (far) {
      const std::optional<std::size_t> trial = journal_.look(*far);
      // A line through two points promises more than the registers allow.
      if (trial && journal_.time_of(*trial) < journal_.time_of(next)) next = *trial;
    }
    journal_.moved(next,
                   fmt::format("{} latency limits it at {}: {}{}", machine::name(r), state(here, r),
                               change(*best.axis, here, next), outcome(next, r)));
    return next;
  }

  std::optional<std::size_t> lower_traffic(std::size_t here, const std::vector<Stride>& strides) {
    const Examined& now = journal_.at(here);
    const machine::Resource r = now.bottleneck().resource;
    // The ladder: one block less at a time, until latency would show.
    const unsigned block = std::max(1u, (now.threads + kThreadsOfWarp - 1) / kThreadsOfWarp);
    const double rungs = std::max(1.0, std::ceil(now.warps_needed() / block));
    const double floor = std::min<double>(now.warps, rungs * block);
    const double most_registers = options_.registers_per_sm / (floor * kThreadsOfWarp);
    std::vector<std::size_t> candidates;
    for (const Stride& stride : strides) candidates.push_back(stride.trial);
    add_farther(here, r, strides, most_registers, candidates);
    std::size_t next = here;
    for (const std::size_t trial : candidates) {
      const Examined& e = journal_.at(trial);
      const bool reaches = e.works() && e.warps >= floor;
      if (reaches && e.demand(r) < (1 - kGain) * journal_.at(next).demand(r)) next = trial;
    }
    if (next == here) return fastest(here, strides);
    journal_.moved(next,
                   fmt::format("{} throughput limits it at {}, and {:.0f} warps would do: {}{}",
                               machine::name(r), state(here, r), floor, changes(here, next),
                               outcome(next, r)));
    return next;
  }

  // Twice as far along the axes that lower the traffic, and along the best two at once, as far as
  // the registers allow.
  void add_farther(std::size_t here, machine::Resource r, const std::vector<Stride>& strides,
                   double most_registers, std::vector<std::size_t>& candidates) {
    std::vector<Stride> helpful;
    for (const Stride& stride : strides) {
      if (journal_.at(stride.trial).demand(r) < (1 - kGain) * journal_.at(here).demand(r)) {
        helpful.push_back(stride);
      }
    }
    std::ranges::stable_sort(helpful, {},
                             [&](const Stride& s) { return journal_.at(s.trial).demand(r); });
    const double registers = journal_.at(here).registers;
    const auto added = [&](const Stride& s) { return journal_.at(s.trial).registers - registers; };
    std::vector<tune::Point> points;
    for (const Stride& stride : helpful) {
      std::optional<tune::Point> point = stride.axis->next(space_, journal_.point(stride.trial));
      if (point && registers + 3 * added(stride) <= most_registers) points.push_back(*point);
    }
    if (helpful.size() > 1 && registers + added(helpful[0]) + added(helpful[1]) <= most_registers) {
      tune::Point both = journal_.point(helpful[0].trial);
      const std::size_t second = helpful[1].axis->parameter;
      both[second] = journal_.point(helpful[1].trial)[second];
      if (space_.contains(both)) points.push_back(std::move(both));
    }
    for (const std::optional<std::size_t> trial : journal_.look(points)) {
      if (trial) candidates.push_back(*trial);
    }
  }

  // No stride does what the bottleneck asks for; one may be faster all the same.
  std::optional<std::size_t> fastest(std::size_t here, const std::vector<Stride>& strides) {
    const Stride best = *std::ranges::min_element(
        strides, {}, [&](const Stride& s) { return journal_.time_of(s.trial); });
    if (journal_.time_of(best.trial) >= (1 - kGain) * journal_.time_of(here)) return std::nullopt;
    const Bottleneck b = journal_.at(here).bottleneck();
    journal_.moved(best.trial,
                   fmt::format("{} {} limits it at {}, and no axis changes that: {} is faster all "
                               "the same{}",
                               machine::name(b.resource), b.latency ? "latency" : "throughput",
                               state(here, b.resource), change(*best.axis, here, best.trial),
                               outcome(best.trial, b.resource)));
    return best.trial;
  }

  // "256 threads, 64 warps on an SM (busy 41 %)"
  std::string state(std::size_t trial, machine::Resource r) const {
    const Examined& e = journal_.at(trial);
    return fmt::format("{} threads, {} warps on an SM (busy {:.0f} %)", e.threads, e.warps,
                       100 * e.utilization(r));
  }
  std::string value(const Axis& axis, std::size_t trial) const {
    return formula::plain_text(space_.value(journal_.point(trial), axis.parameter));
  }
  // "tile_y 1 → 4"
  std::string change(const Axis& axis, std::size_t from, std::size_t to) const {
    return fmt::format("{} {} → {}", space_.parameters()[axis.parameter].name, value(axis, from),
                       value(axis, to));
  }
  std::string changes(std::size_t from, std::size_t to) const {
    std::string text;
    for (const Axis* axis : axes_) {
      if (journal_.point(from)[axis->parameter] == journal_.point(to)[axis->parameter]) continue;
      text += fmt::format("{}{}", text.empty() ? "" : ", ", change(*axis, from, to));
    }
    return text;
  }
  // " (busy 87 %), 335 µs"
  std::string outcome(std::size_t trial, machine::Resource r) const {
    const Examined& e = journal_.at(trial);
    return fmt::format(" (busy {:.0f} %), {}", 100 * e.utilization(r), time_text(e.time_us));
  }

  const tune::Space& space_;
  const GuidedOptions& options_;
  Journal& journal_;
  std::vector<const Axis*> axes_;
  std::size_t most_ = 0;
};

}  // namespace

void follow_bottleneck(const tune::Space& space, const std::vector<Axis>& axes,
                       const GuidedOptions& options, Journal& journal, std::size_t start) {
  Follower(space, axes, options, journal).run(start);
}

}  // namespace burin::model
