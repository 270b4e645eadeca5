// Replay: blocks that do unequal work.
#include <algorithm>
#include <cmath>
#include <utility>

#include "timing/grid/replaying.h"

namespace burin::timing {

namespace {

// Reduced limits on the warps dealt out for unequal blocks, in all draws and in one draw, if only
// the time is needed.
constexpr std::uint64_t kFewDrawn = GridTimeOptions{}.drawn_warps / 8;
constexpr std::uint64_t kFewDealt = GridTimeOptions{}.dealt_warps / 4;
// Fraction of the tail in which only the SM's longest block runs; in the rest, several blocks run.
constexpr double kLongestAloneShare = 0.5;

bool is_whole(const BlockJob& job) {
  return std::ranges::all_of(*job.sections, [](const std::vector<Section>& warp) {
    return std::ranges::all_of(warp, [](const Section& s) { return s.weight == 1; });
  });
}

// The share of warp time without contention from other warps.
double share_without_contention(const Account& account) {
  double all = account.issued();
  for (const launch::StallCycles& stall : account.stalls()) all += stall.sum();
  const auto of = [&](launch::Stall stall) {
    return account.stalls()[static_cast<std::size_t>(stall)].sum();
  };
  return all > 0
             ? 1 - (of(launch::Stall::kNotSelected) + of(launch::Stall::kMathPipeThrottle)) / all
             : 1;
}

double longest_warp(const BlockJob& job) {
  return std::max(1.0, work_of(*job.trace).longest);
}

}  // namespace

BlockJob Replay::longest_job() const {
  // If several are equally long, the last one.
  BlockJob job = *std::ranges::minmax_element(traced_.windows.back().jobs, {}, longest_warp).max;
  if (!traced_.longest.warps.empty()) {
    job.trace = &traced_.longest;
    job.sections = &traced_.longest_sections;
  }
  return job;
}

// Replays two blocks alone on the SM: the longest gives the pace, the shortest the start time.
SmPace Replay::pace_alone(double& longest_end) {
  const BlockJob long_job = longest_job();
  SmPace sm{.resident = resident_};
  if (windows_only_) {
    longest_end = replay({&long_job, 1}, false).end();
    return sm;
  }
  const bool before =
      std::exchange(attribute_stalls_, true);  // share_without_contention() needs them
  const ReplayedWindow alone = replay({&long_job, 1}, false);
  attribute_stalls_ = before;
  longest_end = alone.end();
  const BlockJob* least = &*std::ranges::min_element(traced_.windows.back().jobs, {}, longest_warp);
  sm.pace = std::max(
      1.0, alone.end() / longest_warp(long_job) * share_without_contention(*alone.account));
  if (!is_whole(*least)) return sm;
  const double warps = std::ceil(static_cast<double>(least->trace->warps.size()) /
                                 machine_.sm.schedulers);  // per scheduler
  sm.start = std::max(
      0.0, replay({least, 1}, false).end() - std::max(sm.pace, warps) * longest_warp(*least));
  return sm;
}

// The share of the blocks' steps that is not left out.
double Replay::steps_left() const {
  double all = 0;
  double left = 0;
  for (const BlockJob& job : traced_.windows.back().jobs) {
    for (const auto& steps : job.trace->warps) {
      all += static_cast<double>(steps.size());
      for (const TraceStep& step : steps) left += code_[step.instruction].share;
    }
  }
  return all > 0 ? left / all : 1;
}

// Additional cycles of the grid's last block over another block, after all others have ended.
double Replay::last_block() {
  const std::vector<BlockJob>& jobs = traced_.windows.back().jobs;
  const double other = replay({&jobs.back(), 1}, false).end();
  BlockJob job;
  job.trace = &traced_.last;
  job.sections = &traced_.last_sections;
  return std::max(0.0, replay({&job, 1}, false).end() - other);
}

// Replays the idle blocks: as many as there are per SM with work. They keep the units of all SMs
// busy.
ReplayedWindow Replay::replay_idle() {
  ReplayedWindow w = replay(traced_.idle_jobs(), false);
  w.stands_for = static_cast<double>(traced_.works.active().idle()) *
                 static_cast<double>(share_.count) / static_cast<double>(share_.blocks);
  const double sms = std::min(machine_.sm.count, static_cast<double>(traced_.launch->grid.total()));
  for (std::size_t r = 0; r < machine::kResources; ++r) {
    if (is_shared(static_cast<machine::Resource>(r))) continue;
    w.busy[r] *= static_cast<double>(share_.sms) / sms;
  }
  return w;
}

// If blocks do unequal work, the grid ends with the SM that has the most work. Returns the share of
// the time in which other SMs are idle. Adds the windows that represent this tail and the idle
// blocks.
double Replay::spread_uneven(SmTime& time, std::vector<Prediction::Window>& windows) {
  std::optional<ReplayedWindow> idle;
  if (traced_.works.has_idle()) idle = replay_idle();
  double longest_end = 0;
  const SmPace pace = pace_alone(longest_end);
  windows.push_back({0, longest_end});
  windows.push_back({0, idle ? idle->smooth_end() : 0});
  if (windows_only_) return 0;
  GridTimeOptions options{.idle_block = idle ? idle->mean_duration() : 0};
  if (time_only_) {
    options.drawn_warps = kFewDrawn;
    options.dealt_warps = kFewDealt;
  }
  const GridTime grid = grid_time(traced_, time.windows, machine_, pace, block_gap(), options);
  if (!traced_.works.active_even()) {
    // An SM issues at most one instruction per scheduler and cycle.
    const double steps = traced_.works.mean_steps() * steps_left() *
                         static_cast<double>(share_.blocks) / static_cast<double>(share_.sms);
    for (ReplayedWindow& w : time.windows) w.stands_for *= grid.work;
    time.cycles = std::max({grid.cycles, steps / machine_.sm.schedulers, busiest(time.windows)});
  }
  if (idle) {
    time.windows.push_back(std::move(*idle));
    time.cycles = std::max(time.cycles + grid.idle_cycles, busiest(time.windows));
    windows.back().share = std::min(1.0, grid.idle_cycles / time.cycles);
  }
  if (!traced_.works.active_even()) {
    windows[windows.size() - 2].share = kLongestAloneShare * grid.tail_share;
  }
  return grid.tail_share;
}

}  // namespace burin::timing
