#include "model/guided/search.h"

#include <algorithm>

#include "base/format.h"
#include "base/numbers.h"
#include "model/guided/follow.h"
#include "model/guided/journal.h"
#include "tune/search/strategy.h"

namespace burin::model {
namespace {

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
  tune::SearchOptions search{.budget = options.most};
  for (const GuidedTrial& trial : guided.trials) search.first.push_back(trial.point);
  const Result<std::unique_ptr<tune::Strategy>> strategy =
      tune::make_strategy("surrogate", space, search);
  if (!strategy) return;
  while (const std::optional<tune::Point> point = (*strategy)->ask()) {
    const std::optional<std::size_t> best = journal.best();
    const double best_us = best ? journal.time_of(*best) : kNeverEnds;
    const std::optional<std::size_t> trial = journal.look(*point);
    if (!trial) return;
    const double time_us = journal.time_of(*trial);
    (*strategy)->tell(*point, time_us);
    if (time_us >= best_us) continue;
    journal.moved(*trial, fmt::format("a model of the predicted times expected {} to be faster, {}",
                                      tune::describe(space, *point), time_text(time_us)));
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
