#include "timing/grid/grid_time.h"

#include <algorithm>
#include <cmath>

namespace burin::timing {

namespace {

constexpr std::uint64_t kMaxDraws = 4;

// Limits on the variation of pace between warps. If all blocks begin together, the variation is
// fitted to their end times.
constexpr double kMinSpread = 0.02;
constexpr double kMaxSpread = 0.5;

// End times of blocks, weighted by the number of blocks that each represents.
struct Ends {
  double mean = 0;
  double last = 0;
};

// The replayed blocks and their end times.
class OwnBlocks {
 public:
  OwnBlocks(const TracedLaunch& traced, const std::vector<ReplayedWindow>& windows)
      : windows_(windows) {
    for (std::size_t k = 0; k < windows.size(); ++k) {
      std::vector<BlockWork>& works = works_.emplace_back();
      for (const BlockJob& job : traced.windows[k].jobs) works.push_back(work_of(*job.trace));
      const ReplayedWindow& window = windows[k];
      const double each = window.stands_for / static_cast<double>(works.size());
      for (const BlockWork& work : works) steps_ += each * work.steps;
      const double stretch = each * window.end() / std::max(1.0, window.run.weighted);
      for (const BlockTimes& times : window.run.blocks) took_.mean += stretch * times.weighted_end;
      took_.last += each * window.end();
      blocks_ += window.stands_for;
    }
  }

  double steps() const { return steps_; }    // of the SM's share of the grid
  double blocks() const { return blocks_; }  // blocks of the SM's share of the grid
  bool alone() const { return works_.size() == 1 && works_[0].size() == 1; }
  bool one_wave(std::uint64_t resident) const { return works_[0].size() <= resident; }
  const Ends& took() const { return took_; }
  Ends reckoned(const SmPace& sm) const {
    Ends sum;
    for (std::size_t k = 0; k < works_.size(); ++k) {
      std::vector<const BlockWork*> works;
      for (const BlockWork& work : works_[k]) works.push_back(&work);
      const GridEnd end = makespan(works, sm);
      sum.mean += end.mean_end * windows_[k].stands_for;
      sum.last += end.end * windows_[k].stands_for / static_cast<double>(works.size());
    }
    return sum;
  }

 private:
  const std::vector<ReplayedWindow>& windows_;
  std::vector<std::vector<BlockWork>> works_;  // by window
  double steps_ = 0;
  double blocks_ = 0;
  Ends took_;
};

// Solves function(x) = value for a rising function, with x between low and high.
template <typename Function>
double solve(double low, double high, double value, Function function) {
  if (function(low) >= value) return low;
  for (int k = 0; k < 16 && high > low * 1.004; ++k) {
    const double middle = std::sqrt(low * high);
    (function(middle) < value ? low : high) = middle;
  }
  return high;
}

// The share of the time in which the busiest unit of the SM is busy.
double busiest_share(const ReplayedWindow& window) {
  double most = 0;
  for (std::size_t r = 0; r < machine::kResources; ++r) {
    if (!is_shared(static_cast<machine::Resource>(r))) most = std::max(most, window.busy[r]);
  }
  return std::min(1.0, most / std::max(1.0, window.end()));
}

// Fits rate and pace to a block that ran alone on the SM, which does not show contention. The rate
// is the one that saturates the busiest unit, and the pace follows from the block's time.
void fit_alone(const OwnBlocks& own, double busiest, SmPace& sm) {
  constexpr double kMaxFactor = 1000;
  const auto schedulers = static_cast<double>(sm.schedulers);
  sm.rate = std::min(schedulers, own.steps() / own.took().mean / std::max(0.01, busiest));
  sm.pace = solve(sm.pace, kMaxFactor * sm.pace, own.took().mean, [&](double pace) {
    sm.pace = pace;
    return own.reckoned(sm).mean;
  });
}

// Fits the rate to the mean end of the SM's blocks, and the spread to the end of the last block.
void fit(const OwnBlocks& own, const std::vector<ReplayedWindow>& windows, SmPace& sm) {
  constexpr double kMaxCycles = 1000;  // for an instruction of the SM
  const double least = 1 / static_cast<double>(sm.schedulers);
  const auto fit_rate = [&] {
    sm.rate = 1 / solve(least, kMaxCycles, own.took().mean, [&](double cycles) {
                sm.rate = 1 / cycles;
                return own.reckoned(sm).mean;
              });
  };
  sm.spread = kMinSpread;
  if (own.alone()) return fit_alone(own, busiest_share(windows[0]), sm);
  fit_rate();
  if (!own.one_wave(sm.resident)) return;
  sm.spread = solve(kMinSpread, kMaxSpread, own.took().last, [&](double spread) {
    sm.spread = spread;
    return own.reckoned(sm).last;
  });
  fit_rate();
}

// One in `one_in` of the active blocks, in grid order. With `idle`, the idle blocks between them
// are included.
std::vector<const BlockWork*> blocks_in_order(const TracedLaunch& traced, std::uint64_t one_in,
                                              const BlockWork* idle) {
  std::vector<const BlockWork*> works;
  const auto add_idle = [&](std::uint64_t until) {
    while (idle != nullptr && works.size() * one_in < until) works.push_back(idle);
  };
  for (std::uint64_t p = 0; p < traced.share.blocks; p += one_in) {
    if (idle != nullptr) add_idle(traced.works.active().block(p));
    works.push_back(&traced.works.of_active(p));
  }
  add_idle(traced.launch->grid.total());
  return works;
}

// Deals out all blocks to all SMs. Very large grids use a part of the blocks on fewer SMs; even
// larger ones a part of the blocks of one SM, each of which represents several.
GridEnd deal_out(const TracedLaunch& traced, const machine::Machine& machine, double block_gap,
                 SmPace sm, const GridTimeOptions& options, const BlockWork* idle = nullptr) {
  const std::uint64_t blocks =
      traced.works.has_idle() ? traced.launch->grid.total() : traced.share.blocks;
  const std::uint64_t warps = blocks * traced.reference.warps.size();
  const std::uint64_t all_sms = idle != nullptr
                                    ? std::min(blocks, static_cast<std::uint64_t>(machine.sm.count))
                                    : traced.share.sms;
  const std::uint64_t most = options.dealt_warps;
  const std::uint64_t one_in = std::min((warps + most - 1) / most, traced.share.sms);
  const std::uint64_t stands_for = std::max<std::uint64_t>(1, warps / one_in / most);
  const std::vector<const BlockWork*> works = blocks_in_order(traced, one_in * stands_for, idle);
  sm.sms = all_sms / one_in;
  sm.gap = block_gap * static_cast<double>(one_in);
  // SMs that take no clusters form a separate group.
  const auto sms = static_cast<std::uint64_t>(machine.sm.count);
  if (machine.cluster.sms > 0 && sm.sms == sms) {
    sm.apart = sms - std::min(sms, static_cast<std::uint64_t>(machine.cluster.sms));
    sm.turn = static_cast<std::uint64_t>(machine.cluster.turn);
  }
  const std::uint64_t ways =
      std::clamp<std::uint64_t>(options.drawn_warps / (warps / one_in), 1, kMaxDraws);
  GridEnd mean;
  for (sm.chance = 0; sm.chance < ways; ++sm.chance) {
    const GridEnd one = makespan(works, sm);
    mean.end += one.end * static_cast<double>(stands_for) / static_cast<double>(ways);
    mean.first_idle += one.first_idle * static_cast<double>(stands_for) / static_cast<double>(ways);
  }
  return mean;
}

}  // namespace

BlockWork work_of(const BlockTrace& trace) {
  std::vector<double> warps;
  for (const auto& steps : trace.warps) warps.push_back(static_cast<double>(steps.size()));
  return work_of_warps(std::move(warps));
}

GridTime grid_time(const TracedLaunch& traced, const std::vector<ReplayedWindow>& windows,
                   const machine::Machine& machine, SmPace sm, double block_gap,
                   const GridTimeOptions& options) {
  const OwnBlocks own(traced, windows);
  GridTime grid;
  if (own.steps() <= 0) return grid;
  grid.work = traced.works.mean_steps() * own.blocks() / own.steps();
  sm.schedulers = static_cast<std::uint64_t>(machine.sm.schedulers);
  sm.slots = static_cast<std::uint64_t>(machine.limit.warps) / sm.schedulers;
  sm.gap = block_gap * static_cast<double>(traced.share.sms);
  sm.sm_gap = machine.dispatch.sm_gap;
  sm.latency = machine.dispatch.latency;
  fit(own, windows, sm);
  const GridEnd all = deal_out(traced, machine, block_gap, sm, options);
  grid.cycles = all.end * own.took().mean / own.reckoned(sm).mean;
  grid.tail_share = 1 - all.first_idle / all.end;
  if (!traced.works.has_idle()) return grid;
  BlockWork idle = traced.works.idle_work();
  idle.cycles = std::max(1.0, options.idle_block - sm.start);
  const GridEnd with_idle = deal_out(traced, machine, block_gap, sm, options, &idle);
  grid.idle_cycles = std::max(0.0, with_idle.end - all.end);
  grid.tail_share = 1 - with_idle.first_idle / with_idle.end;
  return grid;
}

}  // namespace burin::timing
