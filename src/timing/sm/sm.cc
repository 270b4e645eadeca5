#include "timing/sm/sm.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "base/format.h"
#include "timing/sm/sm_state.h"

namespace burin::timing {

namespace {

// Skipped lines that L1 may still hold, as a multiple of its size.
constexpr std::uint64_t kLinesInL1 = 4;

double replayed_share(const BlockJob& job) {
  double kept = 0;
  for (const std::vector<Section>& sections : *job.sections) {
    for (const Section& s : sections) kept += s.end - s.begin;
  }
  return job.trace->steps > 0 ? kept / static_cast<double>(job.trace->steps) : 1;
}

double mean_of_last(std::vector<double>& ends, std::size_t count) {
  count = std::min(count, ends.size());
  if (count == 0) return 0;
  std::ranges::nth_element(ends, ends.begin() + static_cast<std::ptrdiff_t>(count) - 1,
                           std::greater<>());
  return std::reduce(ends.begin(), ends.begin() + static_cast<std::ptrdiff_t>(count)) /
         static_cast<double>(count);
}

}  // namespace

Sm::Sm(const MachineOf& machines, const std::vector<TimedOp>& code, MemorySystem& memory,
       Account& account, SmOptions options)
    : state_(std::make_unique<State>(machines, code, memory, account, options)) {}
Sm::~Sm() = default;

void Sm::State::start_warp(BlockState& block, std::size_t w, double begin) {
  TimedWarp& warp = block.warps[w];
  const BlockTrace& trace = *block.job->trace;
  warp.block = &block;
  warp.steps = trace.warps[w].data();
  warp.sections = &(*block.job->sections)[w];
  warp.age = started++;
  warp.requester = {
      .others = block.job->others,
      .others_id = block.job->others_id,
      .own = block.job->own,
      .pair = block.job->pair < block.job->others.size() ? &block.job->others[block.job->pair]
                                                         : nullptr,
      .local_base =
          kLocalLines + ((block.number % options.resident) * trace.warps.size() + w) * 65536,
      .job = static_cast<std::uint32_t>(block.number)};
  warp.scheduler = static_cast<unsigned>((block.first_scheduler + w) % schedulers.size());
  Scheduler& scheduler = schedulers[warp.scheduler];
  warp.from = cycle_of(begin);
  warp.step = path_now;
  warp.since = warp.from;
  warp.ready = warp.from;
  if (warp.sections->empty() || trace.warps[w].empty()) {
    --block.alive;
    return;
  }
  warp.at = (*warp.sections)[0].begin;
  warp.weight = (*warp.sections)[0].weight;
  if (leave_out(warp) && !advance(warp)) {
    --block.alive;
    return;
  }
  scheduler.add(warp);
  prepare(warp, warp.from - 1, nullptr, false);
  note_next(warp);
  scheduler.next = std::min(scheduler.next, warp.ready);
}

void Sm::State::start_block(double now) {
  if (options.before_block) options.before_block(next_job);
  const BlockTrace& trace = *jobs[next_job].trace;
  const double part = replayed_share(jobs[next_job]);
  const double begin = std::max(now, next_dispatch);
  // The first blocks of a kernel start one after another; later ones when earlier blocks end.
  const double later = options.cold ? 0 : options.dispatch_step;
  next_dispatch = begin + std::max(later, machine.dispatch.sm_gap) * part;
  auto block = std::make_unique<BlockState>();
  block->job = &jobs[next_job];
  block->number = next_job++;
  block->times.begin = begin;
  block->part = part;
  block->phases.resize(trace.arrivals.size());
  for (std::size_t b = 0; b < trace.arrivals.size(); ++b) {
    block->phases[b].resize(trace.arrivals[b].size());
  }
  block->warps.resize(trace.warps.size());
  block->alive = trace.warps.size();
  block->first_scheduler = places.take(trace.warps.size(), schedulers.size());
  BlockState& kept = *block;
  blocks.push_back(std::move(block));
  for (std::size_t w = 0; w < kept.warps.size(); ++w) {
    start_warp(kept, w, begin + static_cast<double>(w + 1) * machine.dispatch.warp_gap * part);
  }
}

void Sm::State::end_block(BlockState& block, double now) {
  // Ended blocks are registered one by one, and then free their places.
  const double counted = std::max(now, next_count);
  block.times.end = now;
  block.times.drained = std::max(counted, block.stores_done);
  if (result.blocks.size() <= block.number) result.blocks.resize(block.number + 1);
  result.blocks[block.number] = block.times;
  next_count = counted + options.dispatch_step * block.part;
  result.busy[static_cast<std::size_t>(machine::Resource::kDispatch)] += next_count - counted;
  result.end = std::max(result.end, block.times.drained);
  free_places.push(counted + machine.dispatch.latency * block.part);
  std::erase_if(blocks, [&](const auto& b) { return b.get() == &block; });
}

// Blocks start in order: a block whose schedulers have no room delays the others.
void Sm::State::fill_places(double now) {
  const auto slots = static_cast<std::size_t>(machine.limit.warps) / schedulers.size();
  const auto has_room = [&](std::size_t warps) {
    return places.has_room(warps, schedulers.size(), slots,
                           [&](std::size_t s) { return schedulers[s].warps.size(); });
  };
  while (!free_places.empty() && next_job < jobs.size() &&
         has_room(jobs[next_job].trace->warps.size())) {
    const double free = free_places.front();
    free_places.pop();
    start_block(std::max(now, free));
  }
}

void Sm::State::arrive_at(TimedWarp& warp, std::uint32_t step, double now) {
  const BlockTrace& trace = *warp.block->job->trace;
  for (const PhaseUse& use : trace.phases_of(trace.requests[warp.steps[step].request])) {
    if (use.arrives) arrive(*warp.block, use, now, warp.steps[step].instruction);
  }
}

// Updates caches and barriers as if the steps up to the warp's section had been replayed.
void Sm::State::skip(TimedWarp& warp, std::uint32_t from, std::uint32_t to, double now) {
  const BlockTrace& trace = *warp.block->job->trace;
  for (const std::uint32_t k : (*warp.sections)[warp.section].arrivals) arrive_at(warp, k, now);
  // The other warps would have advanced as far, so L1 keeps only this warp's share of the last
  // lines.
  std::size_t warps = 0;
  for (const Scheduler& s : schedulers) warps += s.warps.size();
  const std::uint64_t share = memory.l1_lines() / std::max<std::size_t>(1, warps);
  std::uint64_t lines = 0;
  const auto back_from = [&](std::uint32_t k, std::uint64_t most) {
    while (k > from && lines <= most) {
      --k;
      if (warp.steps[k].request != kNoRequest) lines += trace.requests[warp.steps[k].request].lines;
    }
    return k;
  };
  const std::uint32_t kept = back_from(to, share);
  // What L1 holds depends on its latest lines only; L2 sees them all, unless its lookups are known.
  if (memory.lookups_known()) from = back_from(kept, kLinesInL1 * share);
  for (std::uint32_t k = from; k < to; ++k) {
    const TraceStep& step = warp.steps[k];
    if (step.request == kNoRequest || left_out(code[step.instruction], warp, k)) continue;
    memory.skip({step.instruction, trace, trace.requests[step.request], warp.requester});
  }
  for (std::uint32_t k = from; k < to; ++k) {
    const TraceStep& step = warp.steps[k];
    if (step.request == kNoRequest) continue;
    memory.let_pass({step.instruction, trace, trace.requests[step.request], warp.requester},
                    k >= kept);
  }
}

// Whether the warp's current step is not replayed. Its barrier arrivals still count.
bool Sm::State::leave_out(TimedWarp& warp) {
  const TraceStep& step = warp.steps[warp.at];
  if (!left_out(code[step.instruction], warp, warp.at)) return false;
  if (step.request == kNoRequest) return true;
  arrive_at(warp, warp.at, static_cast<double>(warp.from));
  return true;
}

// Advances to the next replayed step; false if there is none.
bool Sm::State::advance(TimedWarp& warp) {
  if (!step_on(warp)) return false;
  warp.after = warp.steps[warp.at].instruction;
  while (leave_out(warp)) {
    if (!step_on(warp)) return false;
  }
  return true;
}

bool Sm::State::step_on(TimedWarp& warp) {
  const std::vector<Section>& sections = *warp.sections;
  if (++warp.at < sections[warp.section].end) return true;
  const std::uint32_t end = sections[warp.section].end;
  if (++warp.section == sections.size()) return false;
  const Section& next = sections[warp.section];
  if (next.begin > end) skip(warp, end, next.begin, static_cast<double>(warp.from));
  warp.at = next.begin;
  warp.weight = next.weight;
  return true;
}

// Called if nothing can issue: releases a warp that waits for an event missing from the trace.
bool Sm::State::release_one_warp() {
  for (auto& block : blocks) {
    for (TimedWarp& warp : block->warps) {
      if (!warp.parked) continue;
      for (auto& phases : block->phases)
        for (PhaseState& phase : phases) std::erase(phase.waiting, &warp);
      wake(warp, static_cast<double>(warp.ready), Account::kNobody, PathStep::kNone);
      ++result.released;
      return true;
    }
  }
  return false;
}

// Reports a time beyond the limit, which means that the model never issues an instruction.
void Sm::State::fail(const Scheduler& s) const {
  const TimedWarp& first = *std::ranges::min_element(s.warps, {}, &WarpView::ready)->warp;
  throw std::logic_error(fmt::format("the timing model never issues the instruction at {:#x}",
                                     16 * first.steps[first.at].instruction));
}

SmRun Sm::run(std::span<const BlockJob> jobs) {
  State& s = *state_;
  s.jobs = jobs;
  s.next_dispatch = s.options.first_dispatch;
  while (s.next_job < jobs.size() && s.blocks.size() < s.options.resident) {
    s.start_block(s.options.first_dispatch);
  }
  for (;;) {
    Scheduler* soonest = &s.schedulers[0];
    for (Scheduler& scheduler : s.schedulers)
      if (scheduler.next < soonest->next) soonest = &scheduler;
    if (soonest->next == kNever) {
      if (!s.release_one_warp()) break;
      continue;
    }
    if (static_cast<double>(soonest->next) > kMaxCycle) s.fail(*soonest);
    s.look(*soonest);
  }
  double weight = 1;
  double sum = 0;
  double issued_at = 0;
  std::vector<double> until{0};  // weighted ends of the bins
  for (std::size_t k = 0; k < s.bins.size(); ++k) {
    const State::Bin& bin = s.bins[k];
    if (bin.issued > 0) weight = bin.weight / bin.issued;
    const double from = static_cast<double>(k) * State::kBin;
    const double cycles =
        weight * std::clamp(s.result.end - from, 0.0, static_cast<double>(State::kBin));
    issued_at += bin.weight * (until.back() + 0.5 * cycles);
    sum += bin.weight;
    until.push_back(until.back() + cycles);
  }
  s.result.weighted = until.back();
  std::vector<double> drained;  // weighted; time after the last bin has no weight
  for (BlockTimes& times : s.result.blocks) {
    const double bins = times.end / State::kBin;
    const auto k = std::min(static_cast<std::size_t>(bins), until.size() - 1);
    const double next = until[std::min(k + 1, until.size() - 1)];
    times.weighted_end = std::lerp(until[k], next, bins - static_cast<double>(k));
    const double before = std::min(times.drained, s.result.end);
    const auto bin = std::min(static_cast<std::size_t>(before / State::kBin), s.bins.size());
    const double from = static_cast<double>(bin) * State::kBin;
    const double share = (before - from) / std::min<double>(State::kBin, s.result.end - from);
    drained.push_back(bin < s.bins.size() ? std::lerp(until[bin], until[bin + 1], share)
                                          : until.back() + before - from);
  }
  const bool few = jobs.size() <= 2 * std::size_t{s.options.resident};
  s.result.smooth_end =
      few || sum <= 0 ? mean_of_last(drained, s.options.resident) : 2 * issued_at / sum;
  return std::move(s.result);
}

}  // namespace burin::timing
