#include "timing/grid/replay.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "base/format.h"
#include "base/timings.h"
#include "timing/code/fixed_latency.h"
#include "timing/code/timed_code.h"
#include "timing/grid/grid_time.h"
#include "timing/grid/power_clock.h"
#include "timing/grid/replayed_window.h"
#include "timing/grid/unit_bounds.h"
#include "timing/memory/cache.h"
#include "timing/memory/memory_system.h"
#include "timing/result/certainty.h"
#include "timing/result/hit_rates.h"
#include "timing/sm/sm.h"

namespace burin::timing {

namespace {

constexpr double kLooks = 4e5;  // lines looked up in the L2 cache for one window
// Warps dealt out to find when the last of unequal blocks ends, in all draws and in one: fewer if
// only the time is asked for.
constexpr std::uint64_t kFewDrawn = GridTimeOptions{}.drawn_warps / 8;
constexpr std::uint64_t kFewDealt = GridTimeOptions{}.dealt_warps / 4;
// Part of the tail in which an SM has but its longest block left; in the rest, several of them run.
constexpr double kAloneInTail = 0.5;
constexpr double kEnough = 2.5;  // times its size goes through the L2 cache: then it is as it stays
// Share of the L2 cache that keeps data from launch to launch. Tensor operations that go through
// 50 MB again and again miss on an H200, as with a cache of 48 MB and not of 60 (PyTorch, x + y).
constexpr double kKeptInStream = 0.8;
// Trace steps that pass over the L2 cache between two windows: of small blocks that hardly add to
// it there may be billions.
constexpr double kMaxPassedSteps = 5e6;

// What the windows say about all blocks of the SM.
struct SmTime {
  std::vector<ReplayedWindow> windows;
  double cycles = 0;    // of all blocks
  double replayed = 0;  // of those in the windows
  double rest = 0;      // of those that the second window stands for
};

class Replay {
 public:
  Replay(const TracedLaunch& traced, const machine::Machine& machine, const PredictOptions& options,
         const ReplayChange& change)
      : traced_(traced),
        kernel_(*traced.kernel),
        share_(traced.share),
        whole_(clocked(change.machine != nullptr && change.region == nullptr ? *change.machine
                                                                             : machine)),
        inside_(change.machine != nullptr && change.region != nullptr
                    ? std::make_unique<machine::Machine>(clocked(*change.machine))
                    : nullptr),
        machines_(inside_ == nullptr ? MachineOf(whole_)
                                     : MachineOf(whole_, *inside_, *change.region)),
        machine_(machines_.whole()),
        options_(options),
        resident_(change.resident != 0 ? change.resident : traced.resident),
        path_(change.path),
        timeline_(options.timeline_intervals),
        record_(change.record),
        found_(change.found),
        time_only_(change.time_only || change.windows_only),
        windows_only_(change.windows_only),
        without_first_(change.without_first && traced.windows.size() > 1),
        attribute_stalls_(!time_only_),
        as_measured_(change.machine == nullptr && change.edits == nullptr && !time_only_),
        code_(changed_code(machine, change)),
        memory_(machines_, traced.strides, memory_options(change)) {
    if (found_ != nullptr) return;
    if (!options.recent.empty()) {
      fill_recent();
    } else if (options.warm) {
      fill_l2();
    } else if (options.in_stream) {
      memory_.soil_l2(0, static_cast<std::uint64_t>(machine_.l2.size));
    }
  }

  void fill_l2();
  void fill_recent();
  Prediction run();
  WindowEnds ends(std::span<const std::vector<BlockJob>> jobs);

 private:
  machine::Machine clocked(const machine::Machine& machine) const {
    return traced_.tensor_cores ? machine.at_clock(machine.sm.tensor_clock_mhz) : machine;
  }
  std::vector<TimedOp> changed_code(const machine::Machine& machine,
                                    const ReplayChange& change) const;
  MemoryOptions memory_options(const ReplayChange& change) const;
  std::uint64_t unknown_lines() const;
  using BeforeBlock = std::function<void(std::size_t)>;
  ReplayedWindow replay(std::span<const BlockJob> jobs, bool cold, bool is_last_window = false,
                        BeforeBlock before_block = {});
  SmTime replay_windows();
  void replay_rest(SmTime& time);
  double spread_uneven(SmTime& time, std::vector<Prediction::Window>& windows);
  ReplayedWindow replay_idle();
  BlockJob longest_job() const;
  SmPace pace_alone(double& longest_end);
  double steps_left() const;
  double last_block();
  double block_gap() const;  // cycles between two blocks started, whole GPU
  std::optional<std::uint32_t> fresh_parameters() const;
  std::uint64_t blocks_that_matter(double bytes, double steps) const;
  void pass_over(const TracedWindow& window, std::uint64_t first, std::uint64_t until);
  BeforeBlock pass_before_runs(const TracedWindow& window, double bytes);

  const TracedLaunch& traced_;
  const read::Kernel& kernel_;
  const SmShare& share_;
  const machine::Machine whole_;
  const std::unique_ptr<machine::Machine> inside_;  // the changed region's
  MachineOf machines_;
  const machine::Machine& machine_;  // the whole's
  const PredictOptions& options_;
  std::uint64_t resident_;
  PathSteps* path_;
  TimelineRecorder timeline_;
  std::vector<L2LookupLog>* record_;
  const std::vector<L2LookupLog>* found_;
  std::size_t replayed_ = 0;  // windows
  bool time_only_;
  bool windows_only_;
  bool without_first_;
  bool attribute_stalls_;  // where their warp-cycles go is wanted
  bool as_measured_;       // a prediction of the launch as it is, held to the bounds of its units
  std::vector<TimedOp> code_;
  MemorySystem memory_;
};

// A part of a range of bytes: those with a smaller number have a byte more where they cannot all
// have the same.
struct Part {
  std::uint64_t from, size;
};
Part part_of(std::uint64_t bytes, std::uint64_t part, std::uint64_t parts) {
  return {bytes / parts * part + std::min(part, bytes % parts),
          bytes / parts + (part < bytes % parts ? 1 : 0)};
}

// Leaves the launch's buffers in the L2 cache, as far as they fit. An earlier kernel has gone
// through all of them at the same time: what it used last is their ends. In a stream it has written
// others besides, a third of it all.
void Replay::fill_l2() {
  constexpr std::uint64_t kParts = 256;
  constexpr std::uint64_t kWritten = 3;                         // one byte in so many
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;  // address, bytes
  const std::vector<launch::Argument>& arguments = traced_.launch->arguments;
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    const launch::Buffer* buffer = arguments[k].buffer();
    if (buffer != nullptr) ranges.emplace_back(traced_.buffers[k], buffer->size);
  }
  for (const launch::PlacedBuffer& placed : traced_.launch->memory) {
    ranges.emplace_back(placed.address, placed.buffer.size);
  }
  std::uint64_t soiled = 0;
  for (std::uint64_t part = 0; part < kParts; ++part) {
    for (const auto& [address, bytes] : ranges) {
      const auto [from, size] = part_of(bytes, part, kParts);
      if (size != 0) memory_.fill_l2(address + from, size);
      if (options_.in_stream) memory_.soil_l2(soiled, size / kWritten);
      soiled += size / kWritten;
    }
  }
}

// Lets what earlier launches used pass through the L2 cache, the ranges of one launch side by side.
// A capture does not say what they wrote; half of it counts as written, as of a copy or an update
// in place. What was read has been read by SMs of both partitions.
void Replay::fill_recent() {
  constexpr std::uint64_t kParts = 96;
  constexpr std::uint64_t kWritten = 2;  // one part in so many
  const std::vector<launch::RecentUse>& recent = options_.recent;
  for (std::size_t first = 0; first < recent.size();) {
    std::size_t end = first;
    while (end < recent.size() && recent[end].launch == recent[first].launch) ++end;
    for (std::uint64_t part = 0; part < kParts; ++part) {
      for (std::size_t k = first; k < end; ++k) {
        const auto [from, size] = part_of(recent[k].bytes, part, kParts);
        const bool written = (part + k) % kWritten == 0;
        if (size != 0) memory_.pass_l2(recent[k].address + from, size, written);
      }
    }
    first = end;
  }
  const std::uint64_t unknown_bytes = unknown_lines() * kLineBytes;
  const bool fits = static_cast<double>(unknown_bytes) < machine_.l2.size / 2;
  const auto is_unknown = [](const LineUse& use) { return use.line() >= kUnknownLines; };
  if (options_.warm && fits && std::ranges::any_of(traced_.reference.lines, is_unknown)) {
    memory_.pass_l2(kUnknownLines * kLineBytes, unknown_bytes, false);
  }
}

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

// Unknown addresses lie in one of the launch's buffers; in the largest, for want of a better guess.
std::uint64_t Replay::unknown_lines() const {
  constexpr std::uint64_t kMaxLines = std::uint64_t{1} << 24;
  std::uint64_t largest = 0;
  for (const launch::Argument& argument : traced_.launch->arguments) {
    if (argument.buffer() != nullptr) largest = std::max(largest, argument.buffer()->size);
  }
  for (const launch::PlacedBuffer& placed : traced_.launch->memory) {
    largest = std::max(largest, placed.buffer.size);
  }
  return largest == 0 ? kMaxLines : std::clamp<std::uint64_t>(largest / kLineBytes, 1, kMaxLines);
}

MemoryOptions Replay::memory_options(const ReplayChange& change) const {
  const TracedWindow& window = traced_.windows[0];
  double lines = 0;
  for (const BlockJob& j : window.jobs) lines += static_cast<double>(j.trace->lines.size());
  double looks = lines * static_cast<double>(share_.sms);
  if (window.count < share_.count) looks += kEnough * machine_.l2.size / kLineBytes;
  unsigned sample = 1;
  while (looks / sample > kLooks && sample < 64) sample *= 2;
  MemoryOptions options{
      .shared_bytes = machine_.l1.size - static_cast<double>(traced_.occupancy.l1),
      .unknown_lines = unknown_lines(),
      .l2 = {.sample = sample,
             .kept = options_.recent.empty() ? 1 : kKeptInStream,
             .l2_hit = options_.l2_hit.value_or(-1),
             .l2_hit_of = {},
             .known = found_ != nullptr}};
  if (options_.line_l2_hit.empty() && change.edits == nullptr) return options;
  for (std::uint32_t i = 0; i < kernel_.instructions.size(); ++i) {
    const bool hit = change.edits != nullptr && (*change.edits)[i].l2_hit;
    options.l2.l2_hit_of.push_back(
        hit ? 1 : static_cast<float>(given_l2_hit(kernel_, i, options_).value_or(-1)));
  }
  return options;
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
  // No part of the SM can have worked longer than it took.
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

bool is_whole(const BlockJob& job) {
  return std::ranges::all_of(*job.sections, [](const std::vector<Section>& warp) {
    return std::ranges::all_of(warp, [](const Section& s) { return s.weight == 1; });
  });
}

// The share of its time in which no other warp was in a warp's way.
double unhindered(const Account& account) {
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

BlockJob Replay::longest_job() const {
  // Of several, the last.
  BlockJob job = *std::ranges::minmax_element(traced_.windows.back().jobs, {}, longest_warp).max;
  if (!traced_.longest.warps.empty()) {
    job.trace = &traced_.longest;
    job.sections = &traced_.longest_sections;
  }
  return job;
}

// Two blocks that have the SM to themselves: the longest tells the pace, the shortest what it takes
// besides.
SmPace Replay::pace_alone(double& longest_end) {
  const BlockJob long_job = longest_job();
  SmPace sm{.resident = resident_};
  if (windows_only_) {
    longest_end = replay({&long_job, 1}, false).end();
    return sm;
  }
  const bool before = std::exchange(attribute_stalls_, true);  // unhindered() needs them
  const ReplayedWindow alone = replay({&long_job, 1}, false);
  attribute_stalls_ = before;
  longest_end = alone.end();
  const BlockJob* least = &*std::ranges::min_element(traced_.windows.back().jobs, {}, longest_warp);
  sm.pace = std::max(1.0, alone.end() / longest_warp(long_job) * unhindered(*alone.account));
  if (!is_whole(*least)) return sm;
  const double warps = std::ceil(static_cast<double>(least->trace->warps.size()) /
                                 machine_.sm.schedulers);  // of a scheduler
  sm.start = std::max(
      0.0, replay({least, 1}, false).end() - std::max(sm.pace, warps) * longest_warp(*least));
  return sm;
}

// The share of what blocks do that is not left out.
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

// Cycles that the grid's last block takes more than another, when all others have ended.
double Replay::last_block() {
  const std::vector<BlockJob>& jobs = traced_.windows.back().jobs;
  const double other = replay({&jobs.back(), 1}, false).end();
  BlockJob job;
  job.trace = &traced_.last;
  job.sections = &traced_.last_sections;
  return std::max(0.0, replay({&job, 1}, false).end() - other);
}

// How many blocks decide what is in the L2 cache, as far as there is time for them. Each has so
// many steps, and `bytes` are new to the cache with it.
std::uint64_t Replay::blocks_that_matter(double bytes, double steps) const {
  const double blocks = std::min(std::ceil(kEnough * machine_.l2.size / std::max(1.0, bytes)),
                                 kMaxPassedSteps / std::max(1.0, steps));
  return static_cast<std::uint64_t>(blocks);
}

// Leaves in the L2 cache what the blocks from `first` up to `until` leave there.
void Replay::pass_over(const TracedWindow& window, std::uint64_t first, std::uint64_t until) {
  if (found_ != nullptr) return;
  for (std::uint64_t i = first; i < until; ++i) {
    const BlockJob j = traced_.job(window, i);
    for (const auto& steps : j.trace->warps) {
      const Requester requester{.others = j.others, .others_id = j.others_id, .own = j.own};
      for (const TraceStep& step : steps) {
        if (step.request == kNoRequest) continue;
        const Request& r = j.trace->requests[step.request];
        if (code_[step.instruction].share <= 0) continue;
        if (r.kind != Request::Kind::kLocal) {
          memory_.skip({step.instruction, *j.trace, r, requester});
        }
      }
    }
  }
  memory_.take_traffic();  // of blocks that the windows stand for
}

// The runs of a window lie far apart: each begins with what the blocks just before it leave in the
// L2 cache, a neighbouring plane of a grid for example.
Replay::BeforeBlock Replay::pass_before_runs(const TracedWindow& window, double bytes) {
  if (found_ != nullptr || window.stretch <= window.run) return {};
  const std::uint64_t runs = (window.count + window.run - 1) / window.run;
  double steps = 0;  // the reference may be a block that ends early
  for (const BlockJob& job : window.jobs) steps += static_cast<double>(job.trace->steps);
  steps /= static_cast<double>(window.count);
  const std::uint64_t most = std::min(window.stretch, blocks_that_matter(bytes, steps) / runs);
  return [this, &window, most](std::size_t job) {
    if (job % window.run != 0) return;
    const std::uint64_t at = window.number(job);
    memory_.skip_earlier([&] { pass_over(window, at - std::min(at, most), at); });
  };
}

SmTime Replay::replay_windows() {
  SmTime time;
  if (without_first_) {
    time.windows.resize(1);
    replayed_ = 1;
    time.windows.push_back(replay(traced_.windows[1].jobs, false));
    return time;
  }
  // The first blocks, from an empty GPU.
  const bool more = traced_.windows.size() > 1;
  time.windows.push_back(replay(traced_.windows[0].jobs, true, !more));
  ReplayedWindow& early = time.windows[0];
  early.stands_for = static_cast<double>(traced_.windows[0].count);
  time.cycles = early.end();
  time.replayed = early.run.end;
  if (more) replay_rest(time);
  return time;
}

// Some blocks from the middle of the rest, with the L2 cache as it is by then.
void Replay::replay_rest(SmTime& time) {
  const TracedWindow& window = traced_.windows[1];
  const std::uint64_t first = traced_.windows[0].count;
  std::vector<ReplayedWindow>& windows = time.windows;
  // Half of what is read lies in the other partition, and is held in both.
  const double held = machine_.l2.partitions > 1 ? 1.5 : 1;
  const double written = windows[0].traffic.all_l2_written * emulate::kSectorBytes;
  const double bytes = (held * windows[0].traffic.dram_read + written) / static_cast<double>(first);
  const auto steps = static_cast<double>(traced_.reference.steps);
  pass_over(traced_.windows[0],
            window.first - std::min(window.first - first, blocks_that_matter(bytes, steps) + 1),
            window.first);
  windows.push_back(replay(window.jobs, false, true, pass_before_runs(window, bytes)));
  const double early = windows[0].step(resident_);
  const double late = windows[1].step(resident_);
  // The L2 cache takes what is written until it is full. Where blocks do unequal work, those of
  // the first window are no measure for the others.
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

// Blocks that do nothing, as many as there are for each of the SMs that have work. They keep the
// units of all SMs busy.
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

// Where blocks do unequal work, the grid ends when the SM with the most to do does. Returns the
// share of the time in which others have nothing left to do. Adds the windows that stand for that,
// and for blocks that do nothing.
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
    // No SM issues more than one instruction of each scheduler in a cycle.
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
    windows[windows.size() - 2].share = kAloneInTail * grid.tail_share;
  }
  return grid.tail_share;
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
    // Blocks that do nothing are on all SMs.
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
    // As in spread_uneven(), where idle blocks come first.
    replayed_ = traced_.windows.size() + (traced_.works.has_idle() ? 1 : 0);
    const BlockJob longest = longest_job();
    all.ends.push_back(replay({&longest, 1}, false).end());
  }
  return all;
}

}  // namespace

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
