// The loop of a tuning run: the strategy asks for points, the lab measures them, each trial is
// recorded before the strategy is told of it.
//
//   Result<Tuned> tuned = tune(space, *strategy, lab, {.max_trials = 200});
//   if (tuned->best) describe(space, tuned->trials[*tuned->best].point) …
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "tune/finalists.h"
#include "tune/lab.h"
#include "tune/search/strategy.h"
#include "tune/trial.h"

namespace burin::tune {

struct TuneProgress {
  std::size_t trials = 0;
  std::optional<std::size_t> of{};  // known if the number of trials is limited
  const Trial* last = nullptr;
  const Trial* best = nullptr;  // null until a configuration works
  double seconds = 0;           // since the run started or was resumed
};

struct TuneOptions {
  std::optional<std::size_t> max_trials{};
  std::optional<double> max_seconds{};  // no new trial is started later
  std::size_t ahead = 1;   // as in SearchOptions; a session must be resumed with the same
  bool weigh_cost = true;  // the strategy is told what trials cost, and may prefer cheap ones

  std::vector<Trial> known{};                          // trials of an earlier part of this session
  std::function<Result<void>(const Trial&)> record{};  // called for each new trial as it ends
  std::function<void(const TuneProgress&)> progress{};
  std::function<bool()> interrupted{};  // asked often; true ends the run after the current trial

  std::size_t finalists = 5;      // the best so many are measured again; fewer than two: no final
  std::size_t rounds = 9;         // of the final
  double close = 0.05;            // and only those within 5 % of the best
  double close_if_disturbed = 1;  // or within 100 %, if the times of trials were disturbed
};

enum class Ended : std::uint8_t { kExhausted, kTrials, kSeconds, kInterrupted };
std::string_view describe(Ended ended);  // "every configuration was tried"

struct Tuned {
  std::vector<Trial> trials{};        // in the order in which the strategy asked for them
  std::optional<std::size_t> best{};  // the winner; none if nothing worked
  std::optional<Final> final{};
  Ended ended = Ended::kExhausted;
  double seconds = 0;      // of this run
  double lab_seconds = 0;  // of these, waiting for the lab: the rest is burin's own
};

// Ends with an Error if the lab is lost or a trial cannot be recorded; what was recorded stays.
Result<Tuned> tune(Strategy& strategy, Lab& lab, const TuneOptions& options);

}  // namespace burin::tune
