#include "timing/grid/replay.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/format.h"
#include "base/timings.h"
#include "timing/code/fixed_latency.h"
#include "timing/grid/power_clock.h"
#include "timing/grid/replaying.h"
#include "timing/grid/unit_bounds.h"
#include "timing/result/certainty.h"
#include "timing/result/hit_rates.h"

namespace burin::timing {

std::vector<TimedOp> Replay::changed_code(const machine::Machine& machine,
                                          const ReplayChange& change) const {
  std::vector<TimedOp> code = timed_code(kernel_, machines_);
  if (change.edits != nullptr) edit_code(*change.edits, machines_, code);
  if (change.dependences != nullptr && (change.machine != nullptr || change.edits != nullptr)) {
    follow_latencies(*change.dependences, machine, code);
  }
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (change.region == nullptr || (*change.region)[i] != 0) code[i].slots *= change.issue_slots;
  }
  return code;
}

ReplayedWindow Replay::replay(std::span<const BlockJob> jobs, bool cold, bool is_last_window,
                              BeforeBlock before_block) {
  ReplayedWindow w;
  w.count = jobs.size();
  const std::size_t number = replayed_++;
  if (record_ != nullptr) record_->resize(std::max(record_->size(), number + 1));
  memory_.restart(record_ != nullptr ? &(*record_)[number] : nullptr,
                  found_ != nullptr ? &(*found_)[number] : nullptr, cold);
  w.account = std::make_unique<Account>(kernel_.instructions.size());
  Sm sm(machines_, code_, memory_, *w.account,
        {.resident = static_cast<unsigned>(resident_),
         .dispatch_step = static_cast<double>(share_.sms) * block_gap(),
         .cold = cold,
         .code_cached = options_.in_stream,
         .fresh_parameters = cold ? fresh_parameters() : std::nullopt,
         .attribute_stalls = attribute_stalls_,
         .path = is_last_window ? path_ : nullptr,
         .timeline = is_last_window && options_.timeline_intervals > 0 ? &timeline_ : nullptr,
         .before_block = std::move(before_block)});
  if (!jobs.empty()) {
    timeline_.set_warps_per_block(static_cast<std::uint32_t>(jobs[0].trace->warps.size()));
  }
  w.run = sm.run(jobs);
  w.traffic = memory_.take_traffic();
  w.by_instruction = memory_.take_by_instruction();
  w.busy = w.run.busy;
  memory_.take_busy(w.busy);
  if (w.run.end > 0) w.stretch = std::max(1.0, w.run.weighted / w.run.end);
  // No unit of the SM can be busy for longer than the SM's time.
  for (const double cycles : w.busy) w.stretch = std::max(w.stretch, cycles / w.run.end);
  return w;
}

// The first line of the constant cache after the one in which the parameters begin.
std::optional<std::uint32_t> Replay::fresh_parameters() const {
  if (!options_.in_stream) return std::nullopt;
  return kernel_.function->parameter_base / static_cast<std::uint32_t>(machine_.constant.line) + 1;
}

double Replay::block_gap() const {
  const std::uint64_t cluster =
      launch::cluster_of(*traced_.launch, *kernel_.function).value_or(launch::Dims{}).total();
  if (cluster < 2) return machine_.dispatch.block_gap;
  return std::max(machine_.dispatch.block_gap, machine_.cluster.gap / static_cast<double>(cluster));
}

SmTime Replay::replay_windows() {
  SmTime time;
  if (without_first_) {
    time.windows.resize(1);
    replayed_ = 1;
    time.windows.push_back(replay(traced_.windows[1].jobs, false));
    return time;
  }
  // Replays the first blocks, starting on an empty GPU.
  const bool more = traced_.windows.size() > 1;
  time.windows.push_back(replay(traced_.windows[0].jobs, true, !more));
  ReplayedWindow& early = time.windows[0];
  early.stands_for = static_cast<double>(traced_.windows[0].count);
  time.cycles = early.end();
  time.replayed = early.run.end;
  if (more) replay_rest(time);
  return time;
}

// Replays some blocks from the middle of the rest, with the L2 contents at that time.
void Replay::replay_rest(SmTime& time) {
  const TracedWindow& window = traced_.windows[1];
  const std::uint64_t first = traced_.windows[0].count;
  std::vector<ReplayedWindow>& windows = time.windows;
  // Half of the data read is in the other partition, and is cached in both.
  const double held = machine_.l2.partitions > 1 ? 1.5 : 1;
  const double written = windows[0].traffic.all_l2_written * emulate::kSectorBytes;
  const double bytes = (held * windows[0].traffic.dram_read + written) / static_cast<double>(first);
  const auto steps = static_cast<double>(traced_.reference.steps);
  pass_over(traced_.windows[0],
            window.first - std::min(window.first - first, blocks_filling_l2(bytes, steps) + 1),
            window.first);
  windows.push_back(replay(window.jobs, false, true, pass_before_runs(window, bytes)));
  const double early = windows[0].step(resident_);
  const double late = windows[1].step(resident_);
  // The L2 cache absorbs writes until it is full. If blocks do unequal work, those of the first
  // window are not representative.
  const double filled =
      std::max(bytes, written / static_cast<double>(first) / machine_.l2.max_dirty);
  const double full = filled > 0 && traced_.works.active_even() ? machine_.l2.size / filled : 0;
  const auto rest = static_cast<double>(share_.count - first);
  const double before = std::clamp(full - static_cast<double>(first), 0.0, rest);
  time.rest = (rest - before) * late;
  time.cycles += before * early + time.rest;
  windows[0].stands_for += before;
  windows[1].stands_for = rest - before;
  time.replayed += windows[1].run.end;
}

Prediction Replay::run() {
  SmTime time = replay_windows();
  Prediction p;
  p.occupancy = traced_.occupancy;
  const double rest_share = time.cycles > 0 ? time.rest / time.cycles : 0;
  p.windows.push_back({1 - rest_share, time.windows[0].smooth_end()});
  if (time.windows.size() > 1) p.windows.push_back({rest_share, time.windows[1].smooth_end()});
  const std::size_t of_trace = p.windows.size();
  p.timeline = timeline_.take();
  p.notes = traced_.notes;
  p.faults = traced_.faults;
  const bool waits = traced_.chain > time.cycles;
  if (waits) {
    p.notes.push_back(fmt::format("inter-block synchronisation takes {:.0f} % of the time",
                                  100 * (1 - time.cycles / traced_.chain)));
    time.cycles = traced_.chain;
  }
  p.launch_cycles = machine_.dispatch.launch;
  const double tail_share = traced_.works.even() ? 0 : spread_uneven(time, p.windows);
  if (!traced_.last.warps.empty()) {
    const double last = last_block();
    time.cycles += last;
    p.windows.push_back({last / time.cycles, last});
  }
  if (windows_only_) return p;
  double others = 0;
  for (std::size_t w = of_trace; w < p.windows.size(); ++w) others += p.windows[w].share;
  for (std::size_t w = 0; w < of_trace; ++w) p.windows[w].share *= std::max(0.0, 1 - others);
  p.cycles = time.cycles + p.launch_cycles;
  p.clock_mhz = machine_.sm.clock_mhz;
  p.time_us = machine_.seconds(p.cycles) * 1e6;
  const std::uint64_t n = share_.count;
  const auto blocks = static_cast<double>(share_.blocks);
  const auto sms = static_cast<double>(share_.sms);
  p.waves = static_cast<double>(traced_.launch->grid.total()) /
            (machine_.sm.count * static_cast<double>(resident_));
  const double even = blocks / sms;
  p.tail_share = n > resident_ ? (static_cast<double>(n) - even) / static_cast<double>(n) : 0;
  p.tail_share = std::max(p.tail_share, tail_share);
  p.extrapolated_share = std::max(0.0, 1 - time.replayed / time.cycles);
  p.executed = traced_.executed;
  sum_up(time.windows, blocks / static_cast<double>(n), sms, time.cycles, p);
  slow_by_power(kernel_, code_, machine_, p);
  if (as_measured_) {
    // Idle blocks run on all SMs.
    const double used =
        traced_.works.has_idle()
            ? std::min(machine_.sm.count, static_cast<double>(traced_.launch->grid.total()))
            : sms;
    raise_to_bound(unit_demand(p, code_, kernel_, machine_, used).largest(), machine_, p);
    p.certainty = certainty_of(p, machine_, waits);
  }
  if (!options_.warm) {
    p.dram_read_bytes += machine_.dispatch.launch_bytes +
                         read::kInstructionBytes * static_cast<double>(kernel_.instructions.size());
  }
  return p;
}

WindowEnds Replay::ends(std::span<const std::vector<BlockJob>> jobs) {
  WindowEnds all{.launch_cycles = machine_.dispatch.launch};
  attribute_stalls_ = false;
  for (std::size_t w = 0; w < jobs.size(); ++w) {
    replayed_ = w;
    all.ends.push_back(jobs[w].empty() ? 0 : replay(jobs[w], w == 0).smooth_end());
  }
  if (!traced_.works.even()) {
    // As in spread_uneven(), idle blocks come first.
    replayed_ = traced_.windows.size() + (traced_.works.has_idle() ? 1 : 0);
    const BlockJob longest = longest_job();
    all.ends.push_back(replay({&longest, 1}, false).end());
  }
  return all;
}

Prediction replay(const TracedLaunch& traced, const machine::Machine& machine,
                  const PredictOptions& options, const ReplayChange& change) {
  const Timed timed("replay");
  return Replay(traced, machine, options, change).run();
}

WindowEnds replay_ends(const TracedLaunch& traced, const machine::Machine& machine,
                       const PredictOptions& options, const ReplayChange& change,
                       std::span<const std::vector<BlockJob>> jobs) {
  const Timed timed("light replay");
  return Replay(traced, machine, options, change).ends(jobs);
}

}  // namespace burin::timing
