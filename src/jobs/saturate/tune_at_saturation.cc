#include "jobs/saturate/tune_at_saturation.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "base/format.h"
#include "jobs/tune/outputs.h"
#include "jobs/tune/ranks.h"
#include "jobs/tune/spec_compiler.h"
#include "model/saturate/ladder.h"

namespace burin::jobs {
namespace {

using tune::Trial;

constexpr std::size_t kWholeSpace = 1'000'000;  // trials, of which a rung keeps a share

// NAME=VALUE of every number of a size, as --size takes them.
std::vector<std::string> size_options(const formula::Names& size) {
  std::vector<std::string> options;
  for (const auto& [name, value] : size) {
    if (const std::optional<std::int64_t> number = formula::integer(value)) {
      options.push_back(fmt::format("{}={}", name, *number));
    }
  }
  return options;
}

// As --first takes it.
std::string first_option(const tune::Space& space, const tune::Point& point) {
  std::string text;
  for (std::size_t i = 0; i < space.dimensions(); ++i) {
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", space.parameters()[i].name,
                        formula::plain_text(space.value(point, i)));
  }
  return text;
}

double trial_time_us(const Trial& trial) {
  if (trial.times_us.empty()) return trial.time_us;
  return std::accumulate(trial.times_us.begin(), trial.times_us.end(), 0.0);
}

double kernel_time_us(const TunedKernel& tuned) {
  double sum = 0;
  for (const TunedRun& run : tuned.runs) {
    for (const Trial& trial : run.tuned.trials) sum += trial_time_us(trial);
    if (!run.tuned.final) continue;
    for (const tune::Finalist& finalist : run.tuned.final->finalists) {
      sum += std::accumulate(finalist.times_us.begin(), finalist.times_us.end(), 0.0);
    }
  }
  return sum;
}

class LadderSearch {
 public:
  LadderSearch(const SaturateRequest& request, const TuneEvents& events, TunedAtSaturation& result)
      : request_(request), tune_(request.tune), events_(events), result_(result) {}

  Result<void> run() {
    Result<SaturatedKernel> curve = saturate_kernel(request_, events_.progress);
    if (!curve) return curve.error();
    result_.curve = std::move(*curve);
    const model::LadderOptions options{.finalists = std::max<std::size_t>(1, tune_.finalists)};
    const std::vector<model::Rung> rungs = planned_rungs(options);
    if (Result<void> done = search(rungs.front().size); !done) return done;
    // A search with a budget tries fewer configurations than the space has.
    const std::size_t tried = climbs_.size();
    for (std::size_t i = 1; i < rungs.size(); ++i) {
      if (tune_.interrupted && tune_.interrupted()) break;
      const std::size_t share = (rungs[i].configurations * tried + kWholeSpace - 1) / kWholeSpace;
      const std::vector<std::string> survivors =
          survivors_of(std::max(share, options.finalists), result_.curve.target_work);
      if (survivors.empty()) break;
      if (Result<void> done = climb(rungs[i].size, survivors); !done) return done;
    }
    return {};
  }

  void set_savings() {
    model::Savings& savings = result_.savings;
    savings.curve_us = result_.curve.kernel_time_us();
    if (result_.rungs.empty()) return;
    savings.tuning_us = kernel_time_us(result_.rungs.front());
    const double search_us = savings.tuning_us;
    for (std::size_t i = 1; i < result_.rungs.size(); ++i) {
      (i + 1 < result_.rungs.size() ? savings.tuning_us : savings.verification_us) +=
          kernel_time_us(result_.rungs[i]);
    }
    std::vector<model::TimedAtBoth> both;
    for (const auto& [text, climb] : climbs_) {
      if (climb.rungs.size() > 1 &&
          climb.rungs.back().work >= result_.curve.target_work * (1 - 1e-9)) {
        both.push_back({climb.rungs.front().time_us, climb.rungs.back().time_us});
      }
    }
    const std::optional<double> factor = model::target_factor(both);
    if (!factor) return;
    savings.target_us = search_us * *factor;
    result_.savings_known = true;
  }

 private:
  // Rungs for a search of kWholeSpace trials; the last one is the target.
  std::vector<model::Rung> planned_rungs(const model::LadderOptions& options) const {
    const SaturatedKernel& curve = result_.curve;
    const std::optional<std::int64_t> start = curve.start(options);
    std::size_t first = 0;
    while (first + 1 < curve.sizes.size() &&
           (!start || curve.sizes[first].size < static_cast<double>(*start))) {
      ++first;
    }
    const std::vector<double> times =
        model::times_over_sizes(curve.sizes, curve.base().samples, curve.base().found.fit);
    return model::plan_ladder(times, first, kWholeSpace, {.step = options.step, .finalists = 1});
  }

  // A run of burin tune at one size, without files.
  TuneRequest at_size(std::size_t size) const {
    TuneRequest request = tune_;
    request.exports.clear();
    request.emits.clear();
    request.sizes = size_options(
        result_.curve.size_at(static_cast<std::int64_t>(result_.curve.sizes[size].size)));
    return request;
  }

  Result<void> add(const TuneRequest& request, std::size_t size) {
    Result<TunedKernel> tuned = tune_kernel(request, events_);
    if (!tuned) return tuned.error();
    for (const TunedRun& run : tuned->runs) {
      for (const Trial& trial : run.tuned.trials) {
        model::Climb& climb = climbs_[first_option(run.space, trial.point)];
        if (trial.status != tune::Status::kOk) {
          climb.rungs.clear();
          continue;
        }
        climb.rungs.push_back({.work = result_.curve.sizes[size].work, .time_us = trial.time_us});
      }
    }
    result_.rungs.push_back(std::move(*tuned));
    return {};
  }

  Result<void> search(std::size_t size) {
    TuneRequest request = at_size(size);
    if (size + 1 < result_.curve.sizes.size()) request.finalists = 0;
    return add(request, size);
  }

  Result<void> climb(std::size_t size, const std::vector<std::string>& survivors) {
    TuneRequest request = at_size(size);
    request.first = survivors;
    request.strategy = "random";
    request.seed_with = "none";
    request.budget = survivors.size();
    request.resume = tune_.resume || !tune_.session.empty();
    if (size + 1 < result_.curve.sizes.size()) request.finalists = 0;
    return add(request, size);
  }

  // Of the last rung's trials, as --first takes them. Those that restrictions forbid at larger
  // sizes are refused there: the space of the target decides.
  std::vector<std::string> survivors_of(std::size_t count, double target_work) const {
    std::vector<std::string> texts;
    std::vector<model::Climb> climbs;
    for (const TunedRun& run : result_.rungs.back().runs) {
      for (const Trial& trial : run.tuned.trials) {
        std::string text = first_option(run.space, trial.point);
        if (!is_valid_at_target(run.space, trial.point)) continue;
        climbs.push_back(climbs_.at(text));
        texts.push_back(std::move(text));
      }
    }
    std::vector<std::string> chosen;
    for (const std::size_t i : model::choose_survivors(climbs, target_work, count)) {
      chosen.push_back(texts[i]);
    }
    return chosen;
  }

  bool is_valid_at_target(const tune::Space& space, const tune::Point& point) const {
    if (!target_space_) {
      tune::Spec spec = result_.rungs.front().spec;
      spec.sizes = {result_.curve.target_size};
      Result<tune::Space> there = space_of(spec, 0);
      target_space_ = there ? std::move(*there) : space;
    }
    return target_space_->contains(point);
  }

  const SaturateRequest& request_;
  const TuneRequest& tune_;
  const TuneEvents& events_;
  TunedAtSaturation& result_;
  std::map<std::string, model::Climb> climbs_;  // by configuration
  mutable std::optional<tune::Space> target_space_;
};

// All trials are exported; the constants for the application are those of the target.
Result<void> write_outputs(const TuneRequest& request, TunedAtSaturation& result) {
  TunedKernel all = result.rungs.front();
  for (std::size_t i = 1; i < result.rungs.size(); ++i) {
    all.runs.insert(all.runs.end(), result.rungs[i].runs.begin(), result.rungs[i].runs.end());
  }
  TuneRequest exports = request;
  exports.emits.clear();
  if (Result<void> done = write_tune_outputs(exports, all); !done) return done;
  result.written = all.written;
  if (result.winner() == nullptr) return {};
  TuneRequest emits = request;
  emits.exports.clear();
  TunedKernel& last = result.rungs.back();
  if (Result<void> done = write_tune_outputs(emits, last); !done) return done;
  result.written.insert(result.written.end(), last.written.begin(), last.written.end());
  return {};
}

}  // namespace

const TunedRun* TunedAtSaturation::winner() const {
  if (rungs.empty() || rungs.back().runs.empty()) return nullptr;
  const TunedRun& last = rungs.back().runs.front();
  const auto size = last.size.find(curve.varied);
  if (last.best() == nullptr || size == last.size.end()) return nullptr;
  return formula::integer(size->second) == curve.target ? &last : nullptr;
}

Result<TunedAtSaturation> tune_at_saturation(const SaturateRequest& wanted,
                                             const TuneEvents& events) {
  SaturateRequest request = wanted;
  if (is_one_of_many()) {
    return Error{
        "--at-saturation: run it without mpirun, or tune at the size that `burin saturate` names "
        "with --size",
        Exit::kUsage};
  }
  if (request.tune.input.empty()) request.tune.input = request.tune.launch.source.file;
  if (Result<void> fine = check_tune_outputs(request.tune); !fine) return fine.error();
  TunedAtSaturation result;
  LadderSearch search(request, events, result);
  if (Result<void> done = search.run(); !done) return done.error();
  search.set_savings();
  if (Result<void> done = write_outputs(request.tune, result); !done) return done.error();
  return result;
}

}  // namespace burin::jobs
