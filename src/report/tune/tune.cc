#include "report/tune/tune.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <span>
#include <vector>

#include "base/format.h"
#include "base/numbers.h"
#include "base/text.h"
#include "measure/sample.h"
#include "report/launch/certainty.h"
#include "tune/configuration.h"

namespace burin::report {
namespace {

constexpr std::size_t kRunnersUp = 5;

using tune::Status;
using tune::Trial;

std::string heading(const jobs::TunedKernel& tuned, const jobs::TunedRun& run) {
  std::string text = tuned.kernel;
  text += fmt::format(" on {}", run.device);
  const std::string size = tune::describe(run.size);
  if (!size.empty()) text += ", " + size;
  if (tuned.warm) text += ", caches warm";
  return text;
}

std::string values_text(const tune::Space& space, const tune::Point& point,
                        std::span<const std::size_t> parameters) {
  std::string text;
  for (const std::size_t parameter : parameters) {
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", space.parameters()[parameter].name,
                        formula::plain_text(space.value(point, parameter)));
  }
  return text.empty() ? "the only configuration" : text;
}

// In tables, parameters with a single value are not shown.
std::string configuration(const tune::Space& space, const tune::Point& point) {
  return values_text(space, point, space.free_parameters());
}

void write_final(Output& out, const jobs::TunedRun& run) {
  if (!run.tuned.final) return;
  out.put("confidence  ", percent(run.tuned.final->confidence),
          " that it is within 1 % of the best of ",
          count_of(run.tuned.final->finalists.size(), "finalist"), ", measured again in turn\n");
}

void write_interval(Output& out, double low_us, double high_us, std::string_view reason) {
  out.put("interval    ", interval_text(low_us, high_us), '\n');
  if (!reason.empty()) {
    out.put(Style::kBad, "measure it instead", Style::kPlain, ": ", reason, '\n');
  }
}

void write_gain(Output& out, const jobs::TunedRun& run) {
  std::vector<double> times;
  for (const Trial& trial : run.tuned.trials) {
    if (trial.status == Status::kOk) times.push_back(trial.time_us);
  }
  if (times.size() < 2) return;
  std::ranges::sort(times);
  const double best = run.best_time_us();
  out.put("gain        ", fmt::format("{:.2f}× the median of those tried, {:.2f}× the slowest",
                                      measure::quantile(times, 0.5) / best, times.back() / best));
  if (run.optimum_us) {
    out.put(fmt::format("; {} of the optimum ({})", percent(*run.optimum_us / best),
                        time_text(*run.optimum_us)));
  }
  out.put('\n');
}

void write_table(Output& out, const jobs::TunedKernel& tuned, const jobs::TunedRun& run) {
  std::vector<const Trial*> order;
  for (const Trial& trial : run.tuned.trials) {
    if (trial.status == Status::kOk) order.push_back(&trial);
  }
  std::ranges::stable_sort(order, {}, &Trial::objective);
  if (order.size() < 2) return;
  order.resize(std::min(order.size(), kRunnersUp));
  out.put(tuned.spec.objective.expression ? "\nbest by objective:\n" : "\nfastest:\n");
  for (const Trial* trial : order) {
    out.put("  ", Right{objective_text(tuned.spec, *trial, trial->time_us), 12}, "  ",
            configuration(run.space, trial->point), '\n');
  }
}

void write_failures(Output& out, const jobs::TunedRun& run) {
  std::map<Status, std::vector<const Trial*>> failures;
  for (const Trial& trial : run.tuned.trials) {
    if (trial.status != Status::kOk) failures[trial.status].push_back(&trial);
  }
  if (failures.empty()) return;
  out.put("\nfailed:\n");
  for (const auto& [status, trials] : failures) {
    out.put("  ", Right{with_commas(trials.size()), 6}, "  ", Left{tune::name(status), 12},
            configuration(run.space, trials.front()->point), ": ", trials.front()->reason, '\n');
  }
}

// The steps of the guided search before measuring; its path if nothing was measured.
void write_guided(Output& out, const jobs::TunedKernel& tuned, const jobs::TunedRun& run) {
  if (!run.guided) return;
  const model::Guided& found = run.guided->found;
  out.put("\nguided      ", count_of(found.trials.size(), "configuration"),
          " compiled and predicted in ", short_number(run.guided->seconds), " s", ", ",
          tuned.strategy == "guided" ? "the best then tried\n" : "the best tried first\n");
  if (tuned.strategy != "guided") return;
  for (const model::GuidedMove& move : found.path) {
    out.put("  ", Right{with_commas(move.trial + 1), 4}, "  ", move.text, '\n');
  }
  const Trial* tried = run.best();
  if (found.best() == nullptr || (tried != nullptr && tried->is_predicted())) return;
  const measure::PredictedInterval& interval = found.best()->examined.interval;
  write_interval(out, interval.low_us, interval.high_us, interval.measure_because);
}

void write_run(Output& out, const jobs::TunedKernel& tuned, const jobs::TunedRun& run) {
  out.put(Style::kBold, heading(tuned, run), Style::kPlain, ": ",
          with_commas(run.tuned.trials.size()), " of ", with_commas(run.space.size()),
          " configurations tried in ", short_number(run.tuned.seconds), " s", " (", tuned.strategy,
          ", seed ", run.seed, "); ", tune::describe(run.tuned.ended), '\n');
  if (run.resumed > 0) {
    out.put(with_commas(run.resumed), " of them were in the session already\n");
  }
  const Trial* best = run.best();
  if (best == nullptr) {
    out.put("no configuration worked\n");
  } else {
    out.put("\nbest        ", Style::kGood, complete_configuration(run.space, best->point),
            Style::kPlain, '\n');
    out.put("time        ", time_text(run.best_time_us()));
    if (tuned.spec.objective.expression) {
      out.put(", ", objective_text(tuned.spec, *best, run.best_time_us()));
    }
    out.put('\n');
    if (best->is_predicted()) {
      write_interval(out, best->figures.at("low_us"), best->figures.at("high_us"), best->reason);
    }
    write_gain(out, run);
    write_final(out, run);
    write_table(out, tuned, run);
  }
  write_failures(out, run);
  write_guided(out, tuned, run);
}

void write_seeds(Output& out, const jobs::TunedKernel& tuned) {
  std::vector<double> best;
  for (const jobs::TunedRun& run : tuned.runs) {
    if (run.best() != nullptr) best.push_back(run.best_time_us());
  }
  std::ranges::sort(best);
  const jobs::TunedRun& first = tuned.runs.front();
  out.put(Style::kBold, heading(tuned, first), Style::kPlain, ": ",
          count_of(tuned.runs.size(), "search"), " of ",
          count_of(first.tuned.trials.size(), "trial"), " (", tuned.strategy, ")\n");
  if (best.empty()) return;
  out.put("best time   median ", time_text(measure::quantile(best, 0.5)), ", from ",
          time_text(best.front()), " to ", time_text(best.back()), '\n');
  if (first.optimum_us) {
    const auto found = std::ranges::count_if(
        best, [&](double time) { return time <= *first.optimum_us * 1.0000001; });
    out.put("optimum     ", time_text(*first.optimum_us), ", found by ",
            count_of(static_cast<std::uint64_t>(found), "search"), "; the median search reaches ",
            percent(*first.optimum_us / measure::quantile(best, 0.5)), " of it\n");
  }
}

}  // namespace

std::string complete_configuration(const tune::Space& space, const tune::Point& point) {
  std::vector<std::size_t> parameters(space.dimensions());
  std::iota(parameters.begin(), parameters.end(), std::size_t{0});
  return values_text(space, point, parameters);
}

std::string objective_text(const tune::Spec& spec, const Trial& trial, double time_us) {
  if (!spec.objective.expression || trial.status != Status::kOk) return time_text(time_us);
  const std::string value = three_digits(tune::shown_objective(spec, trial.objective));
  return spec.objective.unit.empty() ? value : value + " " + spec.objective.unit;
}

void write_tuned(Output& out, const jobs::TunedKernel& tuned) {
  const bool seeds = tuned.runs.size() > 1 && tuned.runs.front().seed != tuned.runs.back().seed;
  if (seeds) {
    write_seeds(out, tuned);
  } else {
    for (std::size_t i = 0; i < tuned.runs.size(); ++i) {
      if (i > 0) out.put('\n');
      write_run(out, tuned, tuned.runs[i]);
    }
  }
  if (!tuned.session.empty() || !tuned.written.empty()) out.put('\n');
  if (!tuned.session.empty()) {
    out.put("session     ", tuned.session, " (--resume continues it)\n");
  }
  for (const std::string& path : tuned.written) out.put("written     ", path, '\n');
  for (const std::string& note : tuned.notes) out.put("note: ", note, '\n');
}

}  // namespace burin::report
