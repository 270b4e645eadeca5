#include "model/guided/search.h"

#include <algorithm>

#include "base/format.h"
#include "base/numbers.h"
#include "model/guided/follow.h"
#include "model/guided/journal.h"
#include "tune/search/strategy.h"

namespace burin::model {
namespace {

// Configurations that the surrogate proposes before it is told of the first: a computer with
// several cores examines them together. Fixed, so that the search is the same on every computer.
constexpr std::size_t kAtOnce = 4;

// Each value of each switch, one after the other, at the best configuration so far.
void try_switches(const tune::Space& space, const std::vector<Axis>& axes, Journal& journal) {
  for (const Axis& axis : axes) {
    if (axis.kind != AxisKind::kSwitch) continue;
    const std::optional<std::size_t> best = journal.best();
    if (!best) return;
    const tune::Point from = journal.point(*best);
    std::vector<tune::Point> points;
    for (const std::uint16_t value : axis.ascending) {
      tune::Point point = from;
      point[axis.parameter] = value;
      if (point != from && space.contains(point)) points.push_back(std::move(point));
    }
    for (const std::optional<std::size_t> trial : journal.look(points)) {
      if (!trial || journal.time_of(*trial) >= journal.time_of(*best)) continue;
      const tune::Point& point = journal.point(*trial);
      journal.moved(*trial,
                    fmt::format("{} {} → {} is faster, {}", space.parameters()[axis.parameter].name,
                                formula::plain_text(space.value(from, axis.parameter)),
                                formula::plain_text(space.value(point, axis.parameter)),
                                time_text(journal.time_of(*trial))));
    }
  }
}

// A surrogate of the predicted times, which begins with all that is known.
void refine(const tune::Space& space, const GuidedOptions& options, const Guided& guided,
            Journal& journal) {
  tune::SearchOptions search{.ahead = kAtOnce, .budget = options.most};
  for (const GuidedTrial& trial : guided.trials) search.first.push_back(trial.point);
  const Result<std::unique_ptr<tune::Strategy>> strategy =
      tune::make_strategy("surrogate", space, search);
  if (!strategy) return;
  while (true) {
    std::vector<tune::Point> points;
    while (points.size() < kAtOnce) {
      std::optional<tune::Point> point = (*strategy)->ask();
      if (!point) break;
      points.push_back(std::move(*point));
    }
    const std::optional<std::size_t> best = journal.best();
    double best_us = best ? journal.time_of(*best) : kNeverEnds;
    const std::vector<std::optional<std::size_t>> trials = journal.look(points);
    for (std::size_t k = 0; k < points.size(); ++k) {
      if (!trials[k]) return;
      const double time_us = journal.time_of(*trials[k]);
      (*strategy)->tell(points[k], time_us);
      if (time_us >= best_us) continue;
      best_us = time_us;
      journal.moved(*trials[k],
                    fmt::format("a model of the predicted times expected {} to be faster, {}",
                                tune::describe(space, points[k]), time_text(time_us)));
    }
    if (points.empty()) return;
  }
}

}  // namespace

std::vector<const GuidedTrial*> Guided::ranked() const {
  std::vector<const GuidedTrial*> sorted;
  for (const GuidedTrial& trial : trials) {
    if (trial.examined.works()) sorted.push_back(&trial);
  }
  std::ranges::stable_sort(sorted, {}, [](const GuidedTrial* t) { return t->examined.time_us; });
  return sorted;
}

std::vector<const GuidedTrial*> Guided::starts(std::size_t count, std::size_t apart) const {
  const std::vector<const GuidedTrial*> all = ranked();
  const auto differences = [](const tune::Point& a, const tune::Point& b) {
    std::size_t sum = 0;
    for (std::size_t p = 0; p < a.size(); ++p) sum += a[p] != b[p] ? 1 : 0;
    return sum;
  };
  std::vector<const GuidedTrial*> chosen;
  for (const std::size_t least : {apart, std::size_t{1}}) {
    for (const GuidedTrial* trial : all) {
      if (chosen.size() >= count) return chosen;
      const bool is_apart = std::ranges::all_of(chosen, [&](const GuidedTrial* other) {
        return differences(trial->point, other->point) >= least;
      });
      if (is_apart) chosen.push_back(trial);
    }
  }
  return chosen;
}

const GuidedTrial* Guided::best() const {
  const GuidedTrial* best = nullptr;
  for (const GuidedTrial& trial : trials) {
    if (!trial.examined.works()) continue;
    if (best == nullptr || trial.examined.time_us < best->examined.time_us) best = &trial;
  }
  return best;
}

Result<Guided> guided_search(const tune::Space& space, const std::vector<Axis>& axes,
                             Examiner& examiner, const GuidedOptions& options) {
  Guided guided;
  Journal journal(examiner, options, guided);
  const tune::Point start = options.start ? *options.start : plain_point(space, axes);
  const std::optional<std::size_t> first = journal.look(start);
  if (first && journal.at(*first).works()) {
    journal.moved(*first, fmt::format("starts at {}, {}", tune::describe(space, start),
                                      time_text(journal.time_of(*first))));
    try_switches(space, axes, journal);
    follow_bottleneck(space, axes, options, journal, *journal.best());
  }
  if (!journal.error()) refine(space, options, guided, journal);
  if (journal.error()) return *journal.error();
  if (const std::optional<std::size_t> best = journal.best()) {
    journal.moved(*best, fmt::format("the best of {} is {}, {}", guided.trials.size(),
                                     tune::describe(space, journal.point(*best)),
                                     time_text(journal.time_of(*best))));
  }
  return guided;
}

}  // namespace burin::model
