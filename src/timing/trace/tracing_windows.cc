// Tracing: the blocks of one SM, in windows of those that are replayed.
#include <algorithm>
#include <numeric>

#include "timing/trace/tracing.h"

namespace burin::timing {

namespace {

// Executed steps of blocks that differ only in where they begin.
constexpr std::uint64_t kMaxAlignmentSteps = 250'000;
// Times the steps of the others, for the last block to do more.
constexpr double kMinLastExcess = 1.2;

}  // namespace

// Executes the SM's own blocks of a window, as many as the limit allows, unless all blocks do the
// same and the reference can represent them.
Result<void> Tracing::trace_window(std::uint64_t first, std::uint64_t count,
                                   std::uint64_t stretch) {
  TracedWindow& window = to_.windows.emplace_back();
  window.first = first;
  window.count = count;
  window.run = to_.resident;
  window.stretch = stretch;
  // Blocks that do the same may have different alignments in a line, and then request other
  // sectors.
  const bool alike = to_.strides.alike;
  const double limit =
      static_cast<double>(alike ? kMaxAlignmentSteps : kMaxWindowSteps) / steps_each();
  if (!alike || (limit >= kMinWindowBlocks && !to_.strides.whole_lines())) {
    const auto most = static_cast<std::uint64_t>(
        std::clamp(limit, static_cast<double>(kMinWindowBlocks), static_cast<double>(count)));
    if (most == kMinWindowBlocks && goes_alone() && !compared_.empty()) {
      // The compared blocks are as informative as any other two.
      window.traces = {to_.reference, std::move(compared_[0])};
      compared_.clear();
    } else {
      std::vector<std::uint64_t> wanted;
      for (std::uint64_t k = 0; k < most; ++k) wanted.push_back(to_.share.block(window.number(k)));
      Result<std::vector<BlockTrace>> traces = trace_own(wanted);
      if (!traces) return traces.error();
      window.traces = std::move(*traces);
    }
  }
  make_jobs(window);
  return {};
}

// Traces blocks of the SM, concurrently if they or their warps synchronise.
Result<std::vector<BlockTrace>> Tracing::trace_own(const std::vector<std::uint64_t>& blocks) {
  if (goes_alone()) return trace_alone(blocks);
  Result<ConcurrentResult> run = source_->run_concurrently(
      blocks, code_, machine_, {.resident = to_.resident, .most = 4 * kMaxWindowSteps});
  if (run && run->complete) return std::move(run->traces);
  // They do wait for other blocks, so they are traced one by one. What they take from a queue is
  // what remains for them.
  if (!counters()) sync_ = InterBlockSync::kNone;
  if (Result<void> done = open(); !done) return done.error();
  if (!counters()) return source_->trace(blocks);
  source_->share_counters(to_.share.sms);
  Result<std::vector<BlockTrace>> traces = source_->trace(blocks);
  source_->advance_counters(
      static_cast<double>(to_.share.sms));  // the other SMs took the same amount
  return traces;
}

// All blocks are shortened by the same factor, so that long blocks stay longer than others.
void Tracing::make_jobs(TracedWindow& window) {
  for (std::uint64_t k = 0; k < window.count; ++k) {
    window.jobs.push_back(to_.job(window, window.number(k)));
  }
  double steps = 0;
  for (const BlockJob& job : window.jobs) steps += static_cast<double>(job.trace->steps);
  const double share = steps > 0 ? static_cast<double>(kWindowSteps) / steps : 1;
  const auto sections_of = [&](const BlockTrace& trace) {
    const auto target = static_cast<std::uint64_t>(share * static_cast<double>(trace.steps));
    return choose_sections(*to_.kernel, trace, std::max<std::uint64_t>(64, target));
  };
  const bool alike = window.traces.empty();
  if (alike) window.sections.push_back(sections_of(to_.reference));
  for (const BlockTrace& trace : window.traces) window.sections.push_back(sections_of(trace));
  for (BlockJob& job : window.jobs) {
    job.sections =
        &window.sections[alike ? 0 : static_cast<std::size_t>(job.trace - window.traces.data())];
  }
}

// If all blocks run at once with unequal work, the launch takes as long as the SM with the longest
// block, so that SM is emulated. The time of another SM's light blocks says little about heavy
// ones.
void Tracing::choose_sm() {
  SmShare& share = to_.share;
  if (to_.works.active_even() || !goes_alone() || clusters_ || share.count > to_.resident) return;
  const std::uint64_t full = share.blocks - (share.count - 1) * share.sms;  // SMs with `count`
  double most = 0;
  for (std::uint64_t sm = 0; sm < full; ++sm) {
    double longest = 0;
    for (std::uint64_t k = 0; k < share.count; ++k) {
      longest = std::max(longest, to_.works.of_active(sm + k * share.sms).longest);
    }
    if (longest > most) share.own = sm;
    most = std::max(most, longest);
  }
}

// Traces the first blocks, and some of the rest.
Result<void> Tracing::trace_windows() {
  choose_sm();
  const std::uint64_t n = to_.share.count;
  const std::uint64_t resident = to_.resident;
  // Blocks of unequal work need a larger sample.
  const bool even = to_.works.active_even();
  const auto enough = static_cast<std::uint64_t>(
      std::clamp((even ? 120'000 : 400'000) / steps_each(), static_cast<double>(3 * resident),
                 static_cast<double>((even ? 12 : 24) * resident)));
  const std::uint64_t first = n <= enough + 2 * resident ? n : enough;
  if (Result<void> done = trace_window(0, first); !done) return done.error();
  if (first >= n) return {};
  const std::uint64_t left = n - first;
  // Blocks of unequal work are taken from all over the rest, others from its middle.
  const std::uint64_t count = std::min(left, even ? std::min(enough, 3 * resident) : enough);
  const std::uint64_t at = even ? first + (left - count) / 2 : first;
  const std::uint64_t runs = (count + resident - 1) / resident;
  if (counters()) source_->advance_counters(static_cast<double>(at) / static_cast<double>(first));
  return trace_window(at, count, even ? 0 : left / runs);
}

// Traces the last block to reach the counters: a program may let it finish the work of the others.
Result<void> Tracing::trace_last() {
  const TracedWindow& window = to_.windows.back();
  const auto counted = static_cast<double>((window.first + window.count) * to_.share.sms);
  source_->advance_counters_to_last(counted, static_cast<double>(to_.share.blocks));
  source_->share_counters(1);
  Result<std::vector<BlockTrace>> traces = source_->trace(std::array{to_.share.blocks - 1});
  if (!traces) return traces.error();
  BlockTrace& last = (*traces)[0];
  double steps = 0;
  for (const BlockTrace& trace : window.traces) steps += static_cast<double>(trace.steps);
  steps /= static_cast<double>(std::max<std::size_t>(1, window.traces.size()));
  if (static_cast<double>(last.steps) < kMinLastExcess * steps) return {};
  to_.last_sections = choose_sections(*to_.kernel, last, kWindowSteps);
  to_.last = std::move(last);
  return {};
}

// Traces a block of the longest kind if only a few blocks at the end of an axis are of that kind,
// since the SM's own blocks may not include one.
Result<void> Tracing::trace_longest() {
  if (!has_faces_ || to_.works.active_even()) return {};
  std::size_t own = 0;
  for (const TracedWindow& window : to_.windows) {
    for (const BlockTrace& trace : window.traces) {
      for (const auto& steps : trace.warps) own = std::max(own, steps.size());
    }
  }
  const std::uint64_t block = to_.works.longest();
  if (!does_more(to_.works.of_active(block).longest, static_cast<double>(own))) return {};
  Result<std::vector<BlockTrace>> traces = trace_alone({block});
  if (!traces) return traces.error();
  to_.longest_sections = choose_sections(*to_.kernel, (*traces)[0], kWindowSteps);
  to_.longest = std::move((*traces)[0]);
  return {};
}

}  // namespace burin::timing
