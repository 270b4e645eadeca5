#include "jobs/tune/tune_kernel.h"

#include <algorithm>
#include <chrono>

#include "base/format.h"
#include "base/text.h"
#include "jobs/tune/guided.h"
#include "jobs/tune/outputs.h"
#include "jobs/tune/ranks.h"
#include "jobs/tune/session.h"
#include "jobs/tune/target.h"
#include "launch/number.h"
#include "launch/one_value.h"
#include "tune/formats/t1_spec.h"
#include "tune/formats/toml_spec.h"

namespace burin::jobs {
namespace {

using tune::Space;
using tune::Spec;

// "block_size_x=32,tile=4": every parameter with a choice must be there.
Result<tune::Point> parse_configuration(const Space& space, const std::string& text) {
  tune::Point point(space.dimensions());
  std::vector<bool> given(space.dimensions(), false);
  for (const std::string_view part : split(text, ',')) {
    const std::size_t equals = part.find('=');
    std::string_view name = part.substr(0, equals);
    while (name.starts_with(' ')) name.remove_prefix(1);
    const auto parameter = std::ranges::find(space.parameters(), name, &tune::Parameter::name);
    if (equals == std::string_view::npos || parameter == space.parameters().end()) {
      return Error{fmt::format("--first: '{}' is not a tunable and its value", part), Exit::kUsage};
    }
    const std::string_view wanted = part.substr(equals + 1);
    const auto value = std::ranges::find_if(parameter->values, [&](const formula::Value& v) {
      return formula::plain_text(v) == wanted || formula::to_string(v) == wanted;
    });
    if (value == parameter->values.end()) {
      return Error{fmt::format("--first: {} is not a value of {}", wanted, name), Exit::kUsage};
    }
    const auto index = static_cast<std::size_t>(parameter - space.parameters().begin());
    if (given[index]) {
      return Error{fmt::format("--first: '{}' gives {} twice", text, name), Exit::kUsage};
    }
    point[index] = static_cast<std::uint16_t>(value - parameter->values.begin());
    given[index] = true;
  }
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (given[i] || space.parameters()[i].values.size() == 1) continue;
    return Error{fmt::format("--first: '{}' does not say {}", text, space.parameters()[i].name),
                 Exit::kUsage};
  }
  if (!space.contains(point)) {
    return Error{fmt::format("--first: '{}' violates a restriction", text), Exit::kUsage};
  }
  return point;
}

// The sizes of the spec, with what --size says instead.
Result<void> override_sizes(const TuneRequest& request, Spec& spec) {
  if (Result<void> fine = launch::check_one_value_each(request.sizes); !fine) {
    return fine.error().within("--size");
  }
  for (const std::string& text : request.sizes) {
    const std::size_t equals = text.find('=');
    const std::string name = text.substr(0, equals);
    const auto value = equals == std::string::npos
                           ? std::nullopt
                           : launch::parse_integer<std::int64_t>(text.substr(equals + 1));
    if (!value) {
      return Error{fmt::format("--size: expected NAME=NUMBER, not '{}'", text), Exit::kUsage};
    }
    for (formula::Names& size : spec.sizes) {
      const auto known = size.find(name);
      if (known == size.end()) {
        return Error{fmt::format("--size: {} has no problem size '{}'", spec.path, name),
                     Exit::kUsage};
      }
      known->second = *value;
    }
  }
  // Sizes that have become equal are tuned once.
  std::vector<formula::Names> different;
  for (formula::Names& size : spec.sizes) {
    if (std::ranges::find(different, size) == different.end()) different.push_back(std::move(size));
  }
  spec.sizes = std::move(different);
  return {};
}

std::optional<std::uint64_t> trials_of(const TuneRequest& request, const Space& space) {
  if (request.budget) return std::min(*request.budget, space.size());
  if (request.max_seconds || request.strategy == "exhaustive") return std::nullopt;
  return std::min(kDefaultTrials, space.size());
}

// The search of this process, run by run; trials come from its own lab or from other ranks.
class Search {
 public:
  Search(const TuneRequest& request, const TuneEvents& events, TuneTarget& target,
         TunedKernel& tuned)
      : request_(request),
        events_(events),
        target_(target),
        tuned_(tuned),
        guidance_(request, events.progress) {}

  // `lab_of` gives the lab of a run; `width` is the number of points it makes use of.
  Result<void> run_all(const LabOfRun& lab_of, std::size_t width) {
    for (std::size_t i = 0; i < target_.runs(); ++i) {
      Result<TunedRun> begun = target_.begin(i);
      if (!begun) return begun.error();
      if (Result<void> done = run_one(i, std::move(*begun), lab_of, width); !done) return done;
      if (request_.interrupted && request_.interrupted()) break;
    }
    return {};
  }

 private:
  Result<std::vector<tune::Trial>> known_trials(TunedRun& run, std::size_t& ahead) {
    if (request_.session.empty()) return std::vector<tune::Trial>{};
    if (!session_) {
      // Predictions and replays come faster than a disk writes.
      const auto durability =
          target_.is_noisy() ? tune::Durability::kEachTrial : tune::Durability::kBatched;
      Result<TuneSession> session = TuneSession::open(request_, tuned_, run.space, durability);
      if (!session) return session.error();
      session_.emplace(std::move(*session));
      tuned_.session = request_.session;
    }
    Result<std::vector<tune::Trial>> trials = session_->begin(run, tuned_.strategy, ahead);
    if (trials) run.resumed = trials->size();
    return trials;
  }

  Result<void> run_one(std::size_t index, TunedRun run, const LabOfRun& lab_of, std::size_t width) {
    tune::TuneOptions options;
    options.ahead = width;
    Result<std::vector<tune::Trial>> known = known_trials(run, options.ahead);
    if (!known) return known.error();
    options.known = std::move(*known);
    const Result<std::vector<tune::Point>> guided = guidance_.first_points(target_, index, run);
    if (!guided) return guided.error();
    const Result<tune::Lab*> lab = lab_of(index, options.known, options.ahead);
    if (!lab) return lab.error();
    options.max_trials = trials_of(request_, run.space);
    options.max_seconds = request_.max_seconds;
    options.finalists = target_.is_noisy() ? request_.finalists : 0;
    options.weigh_cost = target_.weighs_cost();
    options.interrupted = request_.interrupted;
    if (session_) {
      options.record = [&](const tune::Trial& trial) { return session_->append(trial); };
    }
    if (events_.on_trial) {
      options.progress = [&](const tune::TuneProgress& now) { events_.on_trial(run, now); };
    }
    tune::SearchOptions search{.seed = run.seed, .ahead = options.ahead, .first = {}};
    if (options.max_trials) search.budget = *options.max_trials;
    for (const std::string& text : request_.first) {
      const Result<tune::Point> point = parse_configuration(run.space, text);
      if (!point) return point.error();
      search.first.push_back(*point);
    }
    search.first.insert(search.first.end(), guided->begin(), guided->end());
    if (const auto trials = guidance_.trials(search.first.size())) options.max_trials = *trials;
    const Result<std::unique_ptr<tune::Strategy>> strategy =
        tune::make_strategy(guidance_.strategy(), run.space, search);
    if (!strategy) {
      return Error{fmt::format("--strategy: {}, or guided", strategy.error().message),
                   strategy.error().exit};
    }
    Result<tune::Tuned> tuned = tune::tune(**strategy, **lab, options);
    if (!tuned) return tuned.error();
    run.tuned = std::move(*tuned);
    // The session knows it as cuda:0; people as NVIDIA H200.
    for (const tune::Trial& trial : run.tuned.trials) {
      if (!trial.device.empty()) run.device = trial.device;
    }
    if (session_) {
      if (Result<void> done = session_->finish(run); !done) return done;
    }
    tuned_.runs.push_back(std::move(run));
    return {};
  }

  const TuneRequest& request_;
  const TuneEvents& events_;
  TuneTarget& target_;
  TunedKernel& tuned_;
  Guidance guidance_;
  std::optional<TuneSession> session_;
};

}  // namespace

Result<std::unique_ptr<TuneTarget>> make_target(const TuneRequest& request, TunedKernel& tuned,
                                                const Progress& progress) {
  const bool replay = request.device.starts_with(kReplayDevice);
  if (!request.input.ends_with(".toml") && !request.input.ends_with(".json")) {
    if (replay) return make_replay_target(request, std::nullopt, tuned.kernel);
    return make_shape_target(request, progress, tuned.kernel);
  }
  Result<Spec> spec = request.input.ends_with(".json") ? tune::read_t1_spec(request.input)
                                                       : tune::read_toml_spec(request.input);
  if (!spec) return spec.error();
  if (Result<void> fine = override_sizes(request, *spec); !fine) return fine.error();
  // The spec of a recorded space serves to predict; times are as they were recorded.
  if (replay) return make_replay_target(request, std::move(*spec), tuned.kernel);
  tuned.spec = std::move(*spec);
  tuned.kernel = tuned.spec.launches.front().kernel;
  return make_spec_target(request, tuned.spec);
}

double TunedRun::best_time_us() const {
  if (!tuned.best) return 0;
  if (tuned.final) {
    const tune::Finalist& winner = tuned.final->finalists[tuned.final->winner];
    if (!winner.times_us.empty()) return winner.median_us;
  }
  return tuned.trials[*tuned.best].time_us;
}

Result<TunedKernel> tune_kernel(const TuneRequest& wanted, const TuneEvents& events) {
  TuneRequest request = wanted;
  if (request.input.empty()) request.input = request.launch.source.file;
  if (request.launch.source.file.empty()) request.launch.source.file = request.input;
  if (request.seeds > 1 && !request.device.starts_with(kReplayDevice)) {
    return Error{"--seeds: only recorded spaces are searched several times: --device replay:FILE",
                 Exit::kUsage};
  }
  if (request.warm && request.device.starts_with(kReplayDevice)) {
    return Error{"--warm: a recorded space has the times with which it was recorded", Exit::kUsage};
  }
  if (request.resume && request.session.empty()) {
    return Error{"--resume: name the session that is to be continued with --session FILE",
                 Exit::kUsage};
  }
  if (Result<void> fine = check_seed_with(request); !fine) return fine.error();
  if (Result<void> fine = check_tune_outputs(request); !fine) return fine.error();
  TunedKernel tuned;
  tuned.strategy = request.strategy;
  tuned.warm = request.warm;
  const Result<std::unique_ptr<TuneTarget>> made = make_target(request, tuned, events.progress);
  if (!made) return made.error();
  if (Result<void> fine = check_emitted(request, tuned); !fine) return fine.error();
  TuneTarget& target = **made;
  Search search(request, events, target, tuned);
  if (is_one_of_many()) {
    const Result<void> done = tune_with_ranks(
        request, target, tuned,
        [&](const LabOfRun& lab_of, std::size_t width) { return search.run_all(lab_of, width); });
    if (!done) return done.error();
    if (tuned.serves) return tuned;
  } else {
    const auto begin = std::chrono::steady_clock::now();
    if (Result<void> opened = target.open(request.device); !opened) return opened.error();
    const std::chrono::duration<double> opening = std::chrono::steady_clock::now() - begin;
    tuned.opening_seconds = opening.count();
    if (!target.note().empty()) tuned.notes.push_back(target.note());
    const LabOfRun lab_of = [&](std::size_t run, const std::vector<tune::Trial>& known,
                                std::size_t ahead) { return target.lab(run, known, ahead); };
    if (Result<void> done = search.run_all(lab_of, target.width()); !done) return done.error();
  }
  if (Result<void> written = write_tune_outputs(request, tuned); !written) return written.error();
  return tuned;
}

}  // namespace burin::jobs
