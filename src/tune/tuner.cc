#include "tune/tuner.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <map>

namespace burin::tune {
namespace {

using TunerClock = std::chrono::steady_clock;

double seconds_since(TunerClock::time_point start) {
  return std::chrono::duration<double>(TunerClock::now() - start).count();
}

class Tuner {
 public:
  Tuner(Strategy& strategy, Lab& lab, const TuneOptions& options)
      : strategy_(strategy), lab_(lab), options_(options) {
    for (const Trial& trial : options.known) known_.emplace(trial.point, &trial);
  }

  Result<Tuned> run() {
    for (;;) {
      ask();
      if (open_.empty()) break;
      if (!open_.front().trial) {
        if (Result<void> done = wait(); !done) return done.error();
      }
      tell();
    }
    tuned_.ended = stop_.value_or(Ended::kExhausted);
    if (Result<void> done = decide(); !done) return done.error();
    tuned_.seconds = seconds_since(start_);
    return std::move(tuned_);
  }

 private:
  struct Open {
    Point point;
    std::optional<Trial> trial{};
  };

  std::optional<Ended> why_stop() const {
    if (options_.interrupted && options_.interrupted()) return Ended::kInterrupted;
    if (options_.max_trials && asked_ >= *options_.max_trials) return Ended::kTrials;
    if (options_.max_seconds && seconds_since(start_) >= *options_.max_seconds) {
      return Ended::kSeconds;
    }
    return std::nullopt;
  }

  void ask() {
    while (!stop_ && open_.size() < options_.ahead) {
      stop_ = why_stop();
      if (stop_) return;
      std::optional<Point> point = strategy_.ask();
      if (!point) return;
      ++asked_;
      Open open{.point = std::move(*point)};
      if (const auto before = known_.find(open.point); before != known_.end()) {
        open.trial = *before->second;
      } else {
        const Trial* best = best_trial();
        lab_.submit(open.point,
                    best == nullptr ? TrialLimits{} : TrialLimits{.best_time_us = best->time_us});
      }
      open_.push_back(std::move(open));
    }
  }

  Result<void> wait() {
    const auto before = TunerClock::now();
    Result<Trial> trial = lab_.wait();
    tuned_.lab_seconds += seconds_since(before);
    if (!trial) return trial.error();
    if (options_.record) {
      if (Result<void> recorded = options_.record(*trial); !recorded) return recorded;
    }
    const auto open = std::ranges::find_if(
        open_, [&](const Open& o) { return !o.trial && o.point == trial->point; });
    if (open != open_.end()) open->trial = std::move(*trial);
    return {};
  }

  // One answer at a time, in the order of the questions: whether several are there at once depends
  // on the lab, and a run that is continued has them all.
  void tell() {
    if (!open_.front().trial) return;
    Trial trial = std::move(*open_.front().trial);
    open_.pop_front();
    strategy_.tell(trial.point, trial.objective,
                   options_.weigh_cost ? trial.compile_seconds + trial.measure_seconds : 0);
    tuned_.trials.push_back(std::move(trial));
    const Trial& last = tuned_.trials.back();
    if (last.status == Status::kOk &&
        (!tuned_.best || last.objective < tuned_.trials[*tuned_.best].objective)) {
      tuned_.best = tuned_.trials.size() - 1;
    }
    if (options_.progress) {
      options_.progress({.trials = tuned_.trials.size(),
                         .of = options_.max_trials,
                         .last = &last,
                         .best = best_trial(),
                         .seconds = seconds_since(start_)});
    }
  }

  // Measures the best ones again. What the final finds replaces the first impression.
  Result<void> decide() {
    if (options_.finalists < 2 || !tuned_.best || tuned_.ended == Ended::kInterrupted) return {};
    std::vector<std::size_t> order;
    const Trial& best = tuned_.trials[*tuned_.best];
    const bool disturbed = std::ranges::any_of(tuned_.trials, &Trial::disturbed);
    const double close = disturbed ? options_.close_if_disturbed : options_.close;
    for (std::size_t i = 0; i < tuned_.trials.size(); ++i) {
      const Trial& trial = tuned_.trials[i];
      if (trial.status == Status::kOk && trial.time_us <= best.time_us * (1 + close)) {
        order.push_back(i);
      }
    }
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return tuned_.trials[i].objective; });
    order.resize(std::min(order.size(), options_.finalists));
    if (order.size() < 2) return {};
    std::vector<Point> points;
    for (const std::size_t i : order) points.push_back(tuned_.trials[i].point);
    const auto before = TunerClock::now();
    Result<Final> final =
        hold_final(lab_, points, {.rounds = options_.rounds, .interrupted = options_.interrupted});
    tuned_.lab_seconds += seconds_since(before);
    if (!final) return final.error();
    tuned_.best = order[final->winner];
    tuned_.final = std::move(*final);
    return {};
  }

  const Trial* best_trial() const { return tuned_.best ? &tuned_.trials[*tuned_.best] : nullptr; }

  Strategy& strategy_;
  Lab& lab_;
  const TuneOptions& options_;
  std::map<Point, const Trial*> known_;
  std::deque<Open> open_;
  std::size_t asked_ = 0;
  std::optional<Ended> stop_;
  Tuned tuned_;
  TunerClock::time_point start_ = TunerClock::now();
};

}  // namespace

std::string_view describe(Ended ended) {
  switch (ended) {
    case Ended::kExhausted:
      return "every configuration was tried";
    case Ended::kTrials:
      return "the number of trials was reached";
    case Ended::kSeconds:
      return "the time was over";
    case Ended::kInterrupted:
      return "interrupted";
  }
  return "";
}

Result<Tuned> tune(Strategy& strategy, Lab& lab, const TuneOptions& options) {
  return Tuner(strategy, lab, options).run();
}

}  // namespace burin::tune
