#include "model/guided/search.h"

#include <algorithm>
#include <iterator>

#include "base/format.h"
#include "base/numbers.h"
#include "model/guided/follow.h"
#include "model/guided/journal.h"
#include "tune/search/strategy.h"

namespace burin::model {
namespace {

// Configurations that the surrogate asks for before it is told about the first of them: they are
// compiled and predicted at once. The number does not depend on this computer's cores, so that the
// answer does not either. On bench/guided's tuning spaces 4 loses nothing against 1.
constexpr std::size_t kAtOnce = 4;
constexpr std::size_t kRepairs = 4;       // points with a switch that is not valid by itself
constexpr std::size_t kSpreadShare = 15;  // one of so many examinations: 4 of 60

// The valid points with this value of a switch that are nearest to `from`: itself but for the
// switch, or, where a restriction excludes that, with another value of one more parameter. Of many
// such values, some that are evenly spaced.
std::vector<tune::Point> with_switch(const tune::Space& space, const std::vector<Axis>& axes,
                                     tune::Point from, std::size_t parameter, std::uint16_t value) {
  from[parameter] = value;
  if (space.contains(from)) return {from};
  std::vector<tune::Point> valid;
  for (const Axis& axis : axes) {
    if (axis.parameter == parameter) continue;
    for (const std::uint16_t other : axis.ascending) {
      tune::Point point = from;
      point[axis.parameter] = other;
      if (space.contains(point)) valid.push_back(std::move(point));
    }
  }
  if (valid.size() <= kRepairs) return valid;
  std::vector<tune::Point> some;
  for (std::size_t k = 0; k < kRepairs; ++k) {
    some.push_back(valid[k * (valid.size() - 1) / (kRepairs - 1)]);
  }
  return some;
}

// Each value of each switch, one after the other, at the best configuration so far.
void try_switches(const tune::Space& space, const std::vector<Axis>& axes, Journal& journal) {
  for (const Axis& axis : axes) {
    if (axis.kind != AxisKind::kSwitch) continue;
    const std::optional<std::size_t> best = journal.best();
    if (!best) return;
    const tune::Point from = journal.point(*best);
    std::vector<tune::Point> points;
    for (const std::uint16_t value : axis.ascending) {
      if (value == from[axis.parameter]) continue;
      std::ranges::move(with_switch(space, axes, from, axis.parameter, value),
                        std::back_inserter(points));
    }
    for (const std::optional<std::size_t> trial : journal.look(points)) {
      if (!trial || journal.expected_of(*trial) >= journal.expected_of(*best)) continue;
      const tune::Point& point = journal.point(*trial);
      journal.moved(*trial,
                    fmt::format("{} {} → {} is faster, {}", space.parameters()[axis.parameter].name,
                                formula::plain_text(space.value(from, axis.parameter)),
                                formula::plain_text(space.value(point, axis.parameter)),
                                time_text(journal.time_of(*trial))));
    }
  }
}

// Up to `count` more points to examine at once, in the order in which the strategy asks for them.
std::vector<tune::Point> ask_several(tune::Strategy& strategy, std::size_t count) {
  std::vector<tune::Point> points;
  while (points.size() < count) {
    std::optional<tune::Point> point = strategy.ask();
    if (!point) break;
    points.push_back(std::move(*point));
  }
  return points;
}

// Ordinary points that are apart from each other. What was examined so far is near one path through
// the space, and a surrogate that knows nothing else stays near it.
void spread_out(const tune::Space& space, const GuidedOptions& options, Journal& journal) {
  const std::size_t count = options.most / kSpreadShare;
  const Result<std::unique_ptr<tune::Strategy>> strategy = tune::make_strategy(
      "surrogate", space, {.seed = options.seed, .ahead = std::max<std::size_t>(1, count)});
  if (strategy) journal.look(ask_several(**strategy, count));
}

// A surrogate of the predicted times, which begins with all that is known.
void refine(const tune::Space& space, const GuidedOptions& options, const Guided& guided,
            Journal& journal) {
  const std::size_t known = guided.trials.size();
  tune::SearchOptions search{
      .seed = options.seed, .ahead = std::max(known, kAtOnce), .budget = options.most};
  for (const GuidedTrial& trial : guided.trials) search.first.push_back(trial.point);
  const Result<std::unique_ptr<tune::Strategy>> strategy =
      tune::make_strategy("surrogate", space, search);
  if (!strategy) return;
  for (const tune::Point& point : ask_several(**strategy, known)) {
    (*strategy)->tell(point, journal.expected_of(*journal.look(point)));
  }
  for (;;) {
    const std::vector<tune::Point> points = ask_several(**strategy, kAtOnce);
    if (points.empty()) return;
    const std::optional<std::size_t> best = journal.best();
    double best_us = best ? journal.expected_of(*best) : kNeverEnds;
    const std::vector<std::optional<std::size_t>> trials = journal.look(points);
    for (std::size_t k = 0; k < points.size(); ++k) {
      if (!trials[k]) return;
      const double expected_us = journal.expected_of(*trials[k]);
      (*strategy)->tell(points[k], expected_us);
      if (expected_us >= best_us) continue;
      best_us = expected_us;
      journal.moved(
          *trials[k],
          fmt::format("a model of the predicted times expected {} to be faster, {}",
                      tune::describe(space, points[k]), time_text(journal.time_of(*trials[k]))));
    }
  }
}

}  // namespace

std::vector<const GuidedTrial*> Guided::ranked() const {
  std::vector<const GuidedTrial*> sorted;
  for (const GuidedTrial& trial : trials) {
    if (trial.examined.works()) sorted.push_back(&trial);
  }
  std::ranges::stable_sort(sorted, {},
                           [](const GuidedTrial* t) { return t->examined.expected_us(); });
  return sorted;
}

const GuidedTrial* Guided::best() const {
  const GuidedTrial* best = nullptr;
  for (const GuidedTrial& trial : trials) {
    if (!trial.examined.works()) continue;
    if (best == nullptr || trial.examined.expected_us() < best->examined.expected_us())
      best = &trial;
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
    try_switches(space, axes, journal);
    spread_out(space, options, journal);
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
