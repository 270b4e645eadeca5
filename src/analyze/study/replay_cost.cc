// Study: the time of its replays on this computer, estimated from instruction counts.
#include <algorithm>

#include "analyze/study/study.h"

namespace burin::analyze {

namespace {

// Seconds on a 2.4 GHz core. They need not be exact: they decide how many replays are affordable.
constexpr double kStart = 0.04;        // to read the file and the machine
constexpr double kExecuted = 0.06e-6;  // per executed instruction
constexpr double kReplayed = 0.28e-6;  // per replayed instruction
constexpr double kDealt = 0.8e-6;      // per warp that is dealt out, in a grid of unequal blocks
constexpr double kMaxDealt = 25'000;   // maximum number of such warps
constexpr double kWithStalls = 2.7;    // factor for attributing stalls

double steps_of(const std::vector<timing::BlockJob>& jobs) {
  double steps = 0;
  for (const timing::BlockJob& job : jobs) {
    for (const auto& sections : *job.sections) {
      for (const timing::Section& s : sections) steps += s.end - s.begin;
    }
  }
  return steps;
}

}  // namespace

double Study::replay_seconds() const {
  double replay = kReplayed * static_cast<double>(base_.replayed);
  if (!traced_->works.even()) {
    const double warps = static_cast<double>(traced_->launch->grid.total()) *
                         static_cast<double>(traced_->reference.warps.size());
    replay += kDealt * std::min(kMaxDealt, warps);
  }
  return replay;
}

double Study::predict_seconds() const {
  return kStart + kExecuted * static_cast<double>(base_.executed) + kWithStalls * replay_seconds();
}

double Study::replay_cost() const {
  double part = 1;
  if (without_first()) {
    const double rest = steps_of(traced_->windows[1].jobs);
    part = rest / (rest + steps_of(traced_->windows[0].jobs));
  }
  return part * replay_seconds() / predict_seconds();
}

double Study::light_replay_cost() const {
  double steps = 0;
  for (const std::vector<timing::BlockJob>& jobs : light().jobs()) steps += steps_of(jobs);
  return kReplayed * steps / predict_seconds();
}

double Study::spent() const {
  return 1 + static_cast<double>(whole_replays_) * replay_cost() +
         (light_replays_ > 0 ? static_cast<double>(light_replays_) * light_replay_cost() : 0);
}

}  // namespace burin::analyze
