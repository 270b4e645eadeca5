#include "emulate/timing/grid_time.h"

#include <algorithm>

#include "emulate/timing/makespan.h"

namespace burin {

namespace {

constexpr std::uint64_t kMostDealt = 100'000;  // are dealt out; of more, some on fewer SMs

// Blocks to the SMs that take clusters, until the others have their turn: 72 to 98, seen on an H200
// (the source "places" of its machine file).
constexpr std::uint64_t kTurn = 91;

std::vector<BlockWork> works_in(const TracedWindow& window) {
  std::vector<BlockWork> works;
  for (const BlockJob& job : window.jobs) works.push_back(work_of(*job.trace));
  return works;
}

double steps_in(const std::vector<BlockWork>& works) {
  double steps = 0;
  for (const BlockWork& work : works) steps += work.steps;
  return steps;
}

// Instructions per cycle while the SM is full: from the first block's end to the last one's begin.
double full_rate(const std::vector<BlockWork>& works, const ReplayedWindow& replayed) {
  double from = 1e300;
  double to = 0;
  for (const BlockTimes& times : replayed.run.blocks) {
    from = std::min(from, times.end);
    to = std::max(to, times.begin);
  }
  if (to <= from) return steps_in(works) / replayed.end();
  double steps = 0;
  for (std::size_t k = 0; k < works.size(); ++k) {
    const BlockTimes& times = replayed.run.blocks[k];
    const double inside = std::min(to, times.end) - std::max(from, times.begin);
    if (inside > 0) steps += works[k].steps * inside / (times.end - times.begin);
  }
  return steps / ((to - from) * replayed.stretch);
}

// How much the times of blocks that do the same differ, as a share: half of the range.
double spread_of(const TracedWindow& window, const ReplayedWindow& replayed) {
  double least = 1e300;
  double most = 0;
  for (std::size_t k = 0; k < window.jobs.size(); ++k) {
    const BlockTimes& times = replayed.run.blocks[k];
    const double longest = std::max(1.0, work_of(*window.jobs[k].trace).longest);
    least = std::min(least, (times.end - times.begin) / longest);
    most = std::max(most, (times.end - times.begin) / longest);
  }
  return most > 0 ? std::min(0.3, (most - least) / (most + least)) : 0;
}

}  // namespace

BlockWork work_of(const BlockTrace& trace) {
  BlockWork work{.steps = static_cast<double>(trace.steps), .longest = 0};
  for (const auto& steps : trace.warps) {
    work.longest = std::max(work.longest, static_cast<double>(steps.size()));
  }
  return work;
}

GridTime grid_time(const TracedLaunch& traced, const std::vector<ReplayedWindow>& windows,
                   const Machine& machine, double pace) {
  SmPace sm{.sms = 1, .resident = traced.resident, .rate = 0, .pace = pace};
  double steps = 0;   // of the SM, as the windows tell them
  double blocks = 0;  // … likewise
  std::vector<std::vector<BlockWork>> seen;
  for (std::size_t k = 0; k < windows.size(); ++k) {
    seen.push_back(works_in(traced.windows[k]));
    steps += steps_in(seen[k]) * windows[k].stands_for / static_cast<double>(seen[k].size());
    blocks += windows[k].stands_for;
  }
  sm.rate = std::min(full_rate(seen.back(), windows.back()), machine.sm.schedulers);
  GridTime grid;
  if (steps <= 0) return grid;
  grid.work = traced.works.mean_steps() * blocks / steps;
  sm.spread = spread_of(traced.windows[0], windows[0]);
  double took = 0;
  double reckoned = 0;
  for (std::size_t k = 0; k < windows.size(); ++k) {
    const double times = windows[k].stands_for / static_cast<double>(seen[k].size());
    took += windows[k].end() * times;
    reckoned += makespan(seen[k], sm).end * times;
  }
  const std::uint64_t one_in =
      std::min((traced.share.blocks + kMostDealt - 1) / kMostDealt, traced.share.sms);
  std::vector<BlockWork> all;
  for (std::uint64_t b = 0; b < traced.share.blocks; b += one_in) all.push_back(traced.works.of(b));
  sm.sms = traced.share.sms / one_in;
  // SMs that take no clusters stand apart.
  const auto sms = static_cast<std::uint64_t>(machine.sm.count);
  if (machine.cluster.sms > 0 && sm.sms == sms) {
    sm.apart = sms - static_cast<std::uint64_t>(machine.cluster.sms);
    sm.turn = kTurn;
  }
  const GridEnd whole = makespan(all, sm);
  grid.cycles = whole.end * took / reckoned;
  grid.tail_share = 1 - whole.first_idle / whole.end;
  return grid;
}

}  // namespace burin
