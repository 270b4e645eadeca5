#include "emulate/timing/grid_time.h"

#include <algorithm>

#include "emulate/timing/makespan.h"

namespace burin {

namespace {

constexpr std::uint64_t kMostBlocks = 100'000;  // with more, no single one matters

// What the SM's blocks do, as they were replayed and continued.
std::vector<BlockWork> own_works(const TracedLaunch& traced) {
  std::vector<BlockWork> works;
  const std::uint64_t first = traced.windows[0].count;
  for (std::uint64_t i = 0; i < traced.share.count; ++i) {
    const TracedWindow& window = traced.windows[i < first ? 0 : traced.windows.size() - 1];
    works.push_back(work_of(traced.trace_of(window, i)));
  }
  return works;
}

double steps_in(const TracedWindow& window) {
  double steps = 0;
  for (const BlockJob& job : window.jobs) steps += static_cast<double>(job.trace->steps);
  return steps;
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
                   double pace) {
  GridTime grid;
  const std::vector<BlockWork> own = own_works(traced);
  double own_steps = 0;
  for (const BlockWork& work : own) own_steps += work.steps;
  if (own_steps <= 0) return grid;
  grid.work = traced.works.mean_steps() * static_cast<double>(own.size()) / own_steps;
  if (traced.share.blocks > kMostBlocks) {
    grid.longer = grid.work;
    return grid;
  }
  SmPace sm{.sms = 1, .resident = traced.resident, .rate = 0, .pace = pace};
  for (std::size_t k = 0; k < windows.size(); ++k) {
    sm.rate = std::max(sm.rate, steps_in(traced.windows[k]) / windows[k].end());
  }
  sm.spread = spread_of(traced.windows[0], windows[0]);
  const double seen = makespan(own, sm).end;
  std::vector<BlockWork> all;
  for (std::uint64_t b = 0; b < traced.share.blocks; ++b) all.push_back(traced.works.of(b));
  sm.sms = traced.share.sms;
  const GridEnd whole = makespan(all, sm);
  grid.longer = whole.end / seen;
  grid.tail_share = 1 - whole.first_idle / whole.end;
  return grid;
}

}  // namespace burin
