#include "timing/trace/traced_launch.h"

#include <numeric>

#include "base/text.h"
#include "read/isa/traits.h"
#include "timing/trace/check_blocks.h"
#include "timing/trace/tracing.h"

namespace burin::timing {

namespace {

constexpr std::uint64_t kMaxConcurrentSteps = 12'000'000;  // steps of all blocks, run concurrently
// Steps of a block that shares counters with others.
constexpr std::uint64_t kMaxCounterSteps = 20'000'000;
// Steps of the first blocks, which show the pace.
constexpr std::uint64_t kMaxFirstSteps = 4'000'000;
constexpr std::size_t kMinEndedBlocks = 100;  // ended blocks that are needed for the pace
// Limits on execution for a prediction, in warp instructions: a few seconds.
constexpr std::uint64_t kMaxInstructions = 64'000'000;
constexpr std::uint64_t kMaxOfBlock = 16'000'000;

}  // namespace

Result<void> Tracing::open(std::uint64_t most) {
  leave();
  const bool given = options_.most_instructions != 0;
  Result<std::unique_ptr<TraceSource>> source = TraceSource::open(
      *to_.kernel, *to_.launch,
      {.trips = options_.trips,
       .unknown = options_.unknown,
       .threads = options_.threads,
       .most_instructions = given        ? 0
                            : counters() ? kMaxCounterSteps
                                         : most,
       .most_in_all = given ? options_.most_instructions : kMaxInstructions,
       .most_of_block = given ? 0 : kMaxOfBlock,
       .most_bytes = options_.most_instructions > kMaxInstructions ? 0 : kMaxTraceBytes,
       .spent = spent_,
       .heartbeat = options_.heartbeat});
  if (!source) return source.error();
  source_ = std::move(*source);
  if (concurrent_clusters_ != 0) source_->share_counters(concurrent_clusters_, true);
  return {};
}

void Tracing::leave() {
  if (!source_) return;
  to_.executed += source_->executed();
  to_.buffers = source_->buffers();
  spent_ = source_->spent();
}

// Runs the first blocks concurrently, for at most `most` steps.
Result<ConcurrentResult> Tracing::run_blocks_concurrently(std::uint64_t most) {
  if (Result<void> done = open(); !done) return done.error();
  // A block takes at least one step.
  std::vector<std::uint64_t> blocks(std::min(to_.share.blocks, most));
  std::iota(blocks.begin(), blocks.end(), std::uint64_t{0});
  Result<ConcurrentResult> run = source_->run_concurrently(
      blocks, code_, machine_,
      {.sms = to_.share.sms, .resident = to_.resident, .traced = to_.share.own, .most = most});
  if (run && blocks.size() < to_.share.blocks) run->complete = false;
  return run;
}

// Runs all blocks of the grid concurrently. Returns false if they have too much work for that.
Result<bool> Tracing::trace_concurrently() {
  Result<ConcurrentResult> run = run_blocks_concurrently(kMaxConcurrentSteps);
  if (!run) return run.error();
  if (!run->complete || run->traces.empty()) {
    if (Result<void> done = open(); !done) return done.error();
    return false;
  }
  TracedWindow& window = to_.windows.emplace_back();
  window.traces = std::move(run->traces);
  window.count = window.traces.size();
  window.as_run = true;
  to_.share.count = window.count;
  to_.chain = run->cycles;
  to_.strides.alike = false;
  make_jobs(window);
  return true;
}

// Runs the first blocks of a large grid concurrently and extrapolates the time from the pace at
// which they end. Returns false if too few end: they have too much work, or wait for later blocks.
Result<bool> Tracing::time_first_blocks() {
  const Result<ConcurrentResult> run = run_blocks_concurrently(kMaxFirstSteps);
  if (!run) return run.error();
  if (Result<void> done = open(); !done) return done.error();
  const std::size_t ended = run->ends.size();
  if (ended < kMinEndedBlocks) return false;
  // Earlier blocks started at the same time, so their ends do not show the pace.
  const std::size_t from =
      std::clamp<std::size_t>(to_.share.sms * to_.resident, ended / 3, 2 * ended / 3);
  const double pace = (run->ends.back() - run->ends[from]) / static_cast<double>(ended - 1 - from);
  to_.chain = run->ends.back() + pace * static_cast<double>(to_.share.blocks - ended);
  return true;
}

// Traces the reference, or all blocks concurrently if they wait for each other and have little
// work. Returns true in the latter case, since nothing is left to trace.
Result<bool> Tracing::trace_beginning() {
  const bool waits = sync_ == InterBlockSync::kAll;
  if (Result<void> done = open(waits ? kMaxFirstSteps : 0); !done) return done.error();
  if (counters()) source_->share_counters(std::min(to_.share.blocks, to_.share.sms * to_.resident));
  to_.windows.reserve(2);  // jobs point into them
  Result<void> reference = trace_reference();
  if (!reference && counters()) {
    sync_ = InterBlockSync::kNone;
    if (Result<void> done = open(); !done) return done.error();
    // Without counters their values are Unknown, so the first Error is more informative.
    if (Result<void> again = trace_reference(); again) reference = again;
  }
  if (!reference && waits) {
    // A block that waits for all others, for example at a grid barrier, never ends alone.
    to_.strides.of.resize(to_.kernel->instructions.size());
    to_.strides.numbers.grid = to_.launch->grid;
    const Result<bool> done = trace_concurrently();
    if (!done || *done) return done;
    reference = trace_reference();  // trace_concurrently has reopened the memory
  } else if (waits) {
    if (Result<void> done = open(); !done) return done.error();
  }
  if (!reference) return reference.error();
  return sync_ == InterBlockSync::kAll ? trace_waiting() : Result<bool>(false);
}

// For blocks that wait for each other, though one ends alone. Returns true if all were traced.
Result<bool> Tracing::trace_waiting() {
  const auto all = static_cast<double>(to_.reference.steps) * static_cast<double>(to_.share.blocks);
  if (all < static_cast<double>(kMaxConcurrentSteps)) {
    const Result<bool> done = trace_concurrently();
    if (!done || *done) return done;
  }
  const Result<bool> chained = time_first_blocks();
  if (!chained) return chained.error();
  if (!*chained) {
    to_.notes.push_back(
        "blocks may wait for each other, but are too large to run concurrently: inter-block "
        "synchronisation is not in the predicted time");
  }
  return false;
}

Result<void> Tracing::run() {
  const Result<bool> whole = trace_beginning();
  if (!whole) return whole.error();
  if (!*whole) {
    if (Result<void> done = sample_works(); !done) return done.error();
    if (Result<void> done = trace_windows(); !done) return done.error();
    if (Result<void> done = trace_longest(); !done) return done.error();
    if (counters()) {
      if (Result<void> done = trace_last(); !done) return done.error();
    }
  }
  if (const std::vector<std::string> calls = source_->system_calls(); !calls.empty()) {
    to_.notes.push_back("the time in " + list_of(calls, calls.size()) +
                        ", which the driver provides, is not in the predicted time");
  }
  leave();
  return {};
}

Result<std::unique_ptr<TracedLaunch>> trace_launch(const read::Kernel& kernel,
                                                   const launch::Launch& launch,
                                                   const machine::Machine& machine,
                                                   const machine::Occupancy& occupancy,
                                                   const PredictOptions& options) {
  auto traced = std::make_unique<TracedLaunch>();
  traced->kernel = &kernel;
  traced->launch = &launch;
  const launch::Dims cluster =
      launch::cluster_of(launch, *kernel.function).value_or(launch::Dims{});
  traced->share =
      SmShare(launch.grid.total(), cluster.total() > 2 ? machine.cluster.sms : machine.sm.count);
  traced->occupancy = occupancy;
  traced->resident = std::max<std::uint64_t>(1, occupancy.blocks);
  // The blocks of a cluster keep their ranks.
  traced->share.dealt = cluster.total() > 1 ? traced->share.count : traced->resident;
  traced->faults = check_blocks(kernel, launch, options.trips);
  if (Result<void> done = Tracing(*traced, machine, options).run(); !done) return done.error();
  return traced;
}

}  // namespace burin::timing
