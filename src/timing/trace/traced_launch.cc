#include "timing/trace/traced_launch.h"

#include <array>
#include <cmath>
#include <numeric>

#include "base/hash.h"
#include "base/text.h"
#include "read/isa/traits.h"
#include "timing/trace/block_rows.h"
#include "timing/trace/check_blocks.h"
#include "timing/trace/idle_search.h"
#include "timing/trace/trace_source.h"

namespace burin::timing {

namespace {

constexpr std::uint64_t kReplayed = 240'000;    // steps of one window, about
constexpr std::uint64_t kExecuted = 2'000'000;  // steps that are executed for one window, at most
constexpr std::uint64_t kAligned = 250'000;     // … of blocks that differ only in where they begin
constexpr std::uint64_t kMin = 2;               // … blocks of it, however long they are
constexpr std::uint64_t kLongBlock = 200'000;   // steps
constexpr std::uint64_t kCounted = 3'200'000;   // … only to be counted
constexpr std::uint64_t kWarpsCounted = 2'400'000;  // … single warps of blocks
constexpr std::uint64_t kConfirmed = 500'000;       // … to see whether they all do the same
constexpr std::uint64_t kMaxCounted = 4096;         // blocks
constexpr std::uint64_t kMaxCountedHeavy = 32'768;  // … where few of them do most of the work
constexpr double kHeavyTailed = 0.1;                // error of the mean: then they do
constexpr double kMaxError = 0.1;  // of the mean of single warps; more where few of them do most
constexpr double kSure = 0.01;     // … of blocks: then single warps need not be asked
constexpr std::uint64_t kMaxConcurrentSteps = 12'000'000;  // … of all blocks, side by side
constexpr std::uint64_t kCounting = 20'000'000;  // … of a block that shares counters with others
constexpr std::uint64_t kChained = 4'000'000;    // … of the first blocks, that tell their pace
constexpr std::size_t kLinks = 100;              // blocks that must have ended for that
constexpr double kMore = 1.2;  // times the steps of the others: then the last block does more
// Limits of what is executed for a prediction, in warp instructions: a few seconds' worth.
constexpr std::uint64_t kMaxInstructions = 64'000'000;
constexpr std::uint64_t kMaxOfBlock = 16'000'000;

// How far the mean of a sample may be off, as a share of it: the standard error.
double error_of_mean(const std::vector<BlockWork>& works) {
  double sum = 0;
  double squares = 0;
  for (const BlockWork& work : works) {
    sum += work.steps;
    squares += work.steps * work.steps;
  }
  const auto n = static_cast<double>(works.size());
  return sum > 0 ? std::sqrt(std::max(0.0, squares / (sum * sum) - 1 / n)) : 0;
}

bool does_more(double steps, double others) {
  constexpr double kTimes = 2;
  return steps > kTimes * others;
}

// Whether an active block is worth telling from an idle one.
bool does_more(const BlockTrace& active, const BlockTrace& idle) {
  const auto of = [](std::uint64_t count) { return static_cast<double>(count); };
  return does_more(of(active.steps), of(idle.steps)) ||
         does_more(of(active.lines.size()), of(idle.lines.size()));
}

class Tracing {
 public:
  Tracing(TracedLaunch& to, const machine::Machine& machine, const PredictOptions& options)
      : to_(to),
        machine_(machine),
        options_(options),
        code_(timed_code(*to.kernel, machine)),
        sync_(inter_block_sync_of(*to.kernel)) {
    to_.tensor_cores = uses_tensor_cores(code_);
    // Blocks of clusters are run a cluster at a time.
    const std::uint64_t cluster =
        launch::cluster_of(*to.launch, *to.kernel->function).value_or(launch::Dims{}).total();
    clusters_ = cluster > 1;
    if (!clusters_) return;
    // They may take their work from a queue: then all clusters that run at once take from it.
    if (sync_ != InterBlockSync::kNone && sync_ != InterBlockSync::kOwnBlock) {
      takers_ = std::max<std::uint64_t>(
          1, std::min(to.share.blocks, to.share.sms * to.resident) / cluster);
    }
    sync_ = InterBlockSync::kNone;
  }

  Result<void> run();

 private:
  // Memory as it is when the launch begins. Each call executes at most `most` warp instructions
  // unless options say otherwise; 0: no limit of its own.
  Result<void> open(std::uint64_t most = 0);
  void leave();  // what is kept of it
  bool counters() const { return sync_ == InterBlockSync::kCounters; }
  // A block's trace does not hang on the others of its SM.
  bool goes_alone() const {
    return sync_ == InterBlockSync::kNone || sync_ == InterBlockSync::kAll;
  }
  Result<bool> trace_beginning();
  Result<bool> trace_waiting();
  Result<void> sample_works();
  void choose_sm();
  Result<void> trace_windows();
  Result<void> trace_reference();
  Result<void> set_idle_aside();
  Result<void> look_at_last();
  Result<void> sample_faces();
  Result<void> trace_active_reference();
  std::vector<std::uint64_t> numbers_of(std::vector<std::uint64_t> positions) const;
  Result<std::vector<BlockTrace>> trace_alone(std::vector<std::uint64_t> positions);
  Result<void> look_for_rows(launch::Dims from, std::vector<const BlockTrace*> others);
  Result<void> trace_window(std::uint64_t first, std::uint64_t count, std::uint64_t stretch = 0);
  double steps_each() const;
  Result<void> sample_work(std::uint64_t steps, std::uint64_t most = kMaxCounted);
  Result<void> sample_warps(std::uint64_t steps);
  Result<ConcurrentResult> run_together(std::uint64_t most);
  Result<bool> trace_concurrently();
  Result<bool> chain_first();
  Result<void> trace_last();
  Result<void> trace_longest();
  Result<std::vector<BlockTrace>> trace_own(const std::vector<std::uint64_t>& blocks);
  void make_jobs(TracedWindow& window);

  TracedLaunch& to_;
  const machine::Machine& machine_;
  const PredictOptions& options_;
  std::vector<TimedOp> code_;
  InterBlockSync sync_;
  bool clusters_ = false;
  std::uint64_t takers_ = 0;  // clusters that take work from a queue at once; 0: there is none
  bool has_faces_ = false;    // the last blocks along an axis may be of a kind of their own
  std::unique_ptr<TraceSource> source_;
  std::uint64_t spent_ = 0;           // warp instructions executed with earlier sources
  std::vector<BlockTrace> compared_;  // with the reference
  double work_error_ = 0;             // of the mean of to_.works, as a share
};

Result<void> Tracing::open(std::uint64_t most) {
  leave();
  const bool given = options_.most_instructions != 0;
  Result<std::unique_ptr<TraceSource>> source = TraceSource::open(
      *to_.kernel, *to_.launch,
      {.trips = options_.trips,
       .unknown = options_.unknown,
       .threads = options_.threads,
       .most_instructions = given        ? 0
                            : counters() ? kCounting
                                         : most,
       .most_in_all = given ? options_.most_instructions : kMaxInstructions,
       .most_of_block = given ? 0 : kMaxOfBlock,
       .most_bytes = options_.most_instructions > kMaxInstructions ? 0 : kMaxTraceBytes,
       .spent = spent_,
       .heartbeat = options_.heartbeat});
  if (!source) return source.error();
  source_ = std::move(*source);
  if (takers_ != 0) source_->share_counters(takers_, true);
  return {};
}

void Tracing::leave() {
  if (!source_) return;
  to_.executed += source_->executed();
  to_.buffers = source_->buffers();
  spent_ = source_->spent();
}

// The block in the middle of the grid, and a few others that tell how addresses go with the index.
Result<void> Tracing::trace_reference() {
  const launch::Dims g = to_.launch->grid;
  const auto linear = [&](std::uint32_t x, std::uint32_t y, std::uint32_t z) {
    return x + std::uint64_t{g.x} * (y + std::uint64_t{g.y} * z);
  };
  const launch::Dims cluster =
      launch::cluster_of(*to_.launch, *to_.kernel->function).value_or(launch::Dims{});
  const auto middle = [](std::uint32_t n, std::uint32_t each) { return n / 2 / each * each; };
  const std::uint32_t x = middle(g.x, cluster.x);
  const std::uint32_t y = middle(g.y, cluster.y);
  const std::uint32_t z = middle(g.z, cluster.z);
  const std::uint64_t reference = linear(x, y, z);
  Result<std::vector<BlockTrace>> traces = source_->trace(std::array{reference});
  if (!traces) return traces.error();
  const auto neighbour = [](std::uint32_t at, std::uint32_t n, std::uint32_t each) {
    return at + each < n - n % each && at + each < n ? at + each : at >= each ? at - each : at;
  };
  std::vector<std::uint64_t> wanted;
  const auto want = [&](std::uint64_t block) {
    const bool known =
        block == reference || std::find(wanted.begin(), wanted.end(), block) != wanted.end();
    if (!known) wanted.push_back(block);
  };
  want(linear(neighbour(x, g.x, cluster.x), y, z));
  want(linear(x, neighbour(y, g.y, cluster.y), z));
  want(linear(x, y, neighbour(z, g.z, cluster.z)));
  // Two that are elsewhere in the grid, to confirm, unless blocks are long.
  if ((*traces)[0].steps < kLongBlock) {
    for (const std::uint32_t part : {3u, 5u}) {
      want(linear(g.x / part / cluster.x * cluster.x, g.y / part / cluster.y * cluster.y,
                  g.z / part / cluster.z * cluster.z));
    }
  }
  Result<std::vector<BlockTrace>> more = source_->trace(wanted);
  if (!more) return more.error();
  compared_ = std::move(*more);
  std::vector<const BlockTrace*> others;
  for (const BlockTrace& t : compared_) others.push_back(&t);
  to_.reference = std::move((*traces)[0]);
  to_.strides = find_strides(to_.kernel->instructions.size(), g, to_.reference, others);
  if (cluster.total() == 1) {
    if (Result<void> done = look_for_rows({x, y, z}, others); !done) return done.error();
  }
  if (to_.reference.steps * (kMin + 1) <= kExecuted) compared_.clear();  // windows have their own
  return {};
}

// More blocks, where the addresses of a few do not follow from their indices: a program may number
// its blocks otherwise than the grid does.
Result<void> Tracing::look_for_rows(launch::Dims from, std::vector<const BlockTrace*> others) {
  constexpr std::size_t kMaxBlocks = 24;
  const std::uint64_t each = std::max<std::uint64_t>(1, to_.reference.steps);
  const std::size_t most = std::min<std::size_t>(kMaxBlocks, kLongBlock / each);
  const launch::Dims g = to_.launch->grid;
  const BlockNumbers as_launched{.grid = g};
  const bool explained = to_.strides.irregular() == 0 && to_.strides.exceptions == 0 &&
                         to_.strides.numbers == as_launched;
  if (explained || most < kMaxBlocks / 2 || g.z != 1) return {};
  std::vector<std::uint64_t> wanted = blocks_in_rows(g, from, most);
  std::erase_if(wanted, [&](std::uint64_t block) {
    return block == to_.reference.linear ||
           std::ranges::find(others, block, &BlockTrace::linear) != others.end();
  });
  const Result<std::vector<BlockTrace>> more = source_->trace(wanted);
  if (!more) return more.error();
  for (const BlockTrace& t : *more) others.push_back(&t);
  StrideTable again = find_strides(to_.kernel->instructions.size(), g, to_.reference, others);
  const bool refuted = again.irregular() > to_.strides.irregular();
  if (again.numbers != as_launched || refuted) to_.strides = std::move(again);
  return {};
}

// The numbers in the grid of blocks at these positions among the active ones.
std::vector<std::uint64_t> Tracing::numbers_of(std::vector<std::uint64_t> positions) const {
  if (!to_.works.has_idle()) return positions;
  const ActiveBlocks& active = to_.works.active();
  for (std::uint64_t& position : positions) position = active.block(active.known(position));
  return positions;
}

Result<std::vector<BlockTrace>> Tracing::trace_alone(std::vector<std::uint64_t> positions) {
  Result<std::vector<BlockTrace>> traces = source_->trace(numbers_of(positions));
  if (!traces || !to_.by_position) return traces;
  for (std::size_t k = 0; k < positions.size(); ++k) (*traces)[k].linear = positions[k];
  return traces;
}

// Where many blocks leave at once, the others are the ones that tell: the grid is taken to consist
// of them alone, and one idle block represents its kind.
Result<void> Tracing::set_idle_aside() {
  constexpr double kMinIdle = 0.25;  // share of the grid
  constexpr double kAsLight = 1.1;   // times the work of an idle block
  const bool possible = sync_ == InterBlockSync::kNone && !clusters_;
  const bool hint = is_idle(to_.reference);
  const bool alike =
      to_.works.even() && !does_more(static_cast<double>(to_.reference.steps), steps_each());
  if (!possible || (alike && !hint)) return {};
  BlockTrace idle = to_.reference;
  if (!hint) {
    Result<std::vector<BlockTrace>> lightest = source_->trace(std::array{to_.works.lightest()});
    if (!lightest) return lightest.error();
    idle = std::move((*lightest)[0]);
    if (!is_idle(idle)) return {};
  }
  const auto blocks = static_cast<double>(to_.launch->grid.total());
  ActiveBlocks active = find_active_blocks(*source_, to_.launch->grid.total(), idle);
  const double idle_share = static_cast<double>(active.idle()) / blocks;
  if (active.size() == 0 || active.idle() == 0 || (idle_share < kMinIdle && !hint)) return {};
  // Blocks of which some warps are idle are no blocks that do nothing.
  const double seen = to_.works.share_up_to(kAsLight * static_cast<double>(idle.steps));
  if (seen < idle_share - kMinIdle) return {};
  Result<std::vector<BlockTrace>> one = source_->trace(std::array{active.block(active.size() / 2)});
  if (!one) return one.error();
  if (!does_more((*one)[0], idle)) return {};
  std::vector<double> warps;
  for (const auto& steps : idle.warps) warps.push_back(static_cast<double>(steps.size()));
  to_.share = SmShare(active.size(), static_cast<double>(machine_.sm.count));
  to_.share.dealt = to_.resident;
  to_.works = WorkSample(std::move(active), work_of_warps(std::move(warps)), 1);
  to_.idle_sections = choose_sections(*to_.kernel, idle, kReplayed);
  to_.idle = std::move(idle);
  if (Result<void> done = trace_active_reference(); !done) return done.error();
  return sample_work(kConfirmed);
}

Result<void> Tracing::trace_active_reference() {
  std::vector<std::uint64_t> positions = reference_positions(to_.works.active(), to_.launch->grid);
  Result<std::vector<BlockTrace>> traces = trace_alone(positions);
  if (!traces) return traces.error();
  ActiveStrides found = find_active_strides(to_.kernel->instructions.size(), to_.launch->grid,
                                            to_.works.active(), *traces);
  to_.strides = std::move(found.table);
  to_.by_position = found.by_position;
  to_.reference = std::move((*traces)[0]);
  compared_.clear();
  return {};
}

// Executes the SM's own blocks of a window, as many as the limit allows, unless all blocks do the
// same and the reference can stand for them.
Result<void> Tracing::trace_window(std::uint64_t first, std::uint64_t count,
                                   std::uint64_t stretch) {
  TracedWindow& window = to_.windows.emplace_back();
  window.first = first;
  window.count = count;
  window.run = to_.resident;
  window.stretch = stretch;
  // Blocks that do the same may begin anywhere in a line, and then ask for other sectors.
  const bool alike = to_.strides.alike;
  const double limit = static_cast<double>(alike ? kAligned : kExecuted) / steps_each();
  if (!alike || (limit >= kMin && !to_.strides.whole_lines())) {
    const auto most = static_cast<std::uint64_t>(
        std::clamp(limit, static_cast<double>(kMin), static_cast<double>(count)));
    if (most == kMin && goes_alone() && !compared_.empty()) {
      // Those that were compared tell as much as any other two.
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

// Blocks of the SM: side by side, where they or their warps mind each other.
Result<std::vector<BlockTrace>> Tracing::trace_own(const std::vector<std::uint64_t>& blocks) {
  if (goes_alone()) return trace_alone(blocks);
  Result<ConcurrentResult> run = source_->run_concurrently(
      blocks, code_, machine_, {.resident = to_.resident, .most = 4 * kExecuted});
  if (run && run->complete) return std::move(run->traces);
  // They wait for others after all: as if they were alone, then. What they take from a queue stays
  // what is left for them.
  if (!counters()) sync_ = InterBlockSync::kNone;
  if (Result<void> done = open(); !done) return done.error();
  if (!counters()) return source_->trace(blocks);
  source_->share_counters(to_.share.sms);
  Result<std::vector<BlockTrace>> traces = source_->trace(blocks);
  source_->wind_counters(static_cast<double>(to_.share.sms));  // the other SMs took as much
  return traces;
}

// Blocks from the first on side by side, until they have done `most` steps.
Result<ConcurrentResult> Tracing::run_together(std::uint64_t most) {
  if (Result<void> done = open(); !done) return done.error();
  // A block takes a step at least.
  std::vector<std::uint64_t> blocks(std::min(to_.share.blocks, most));
  std::iota(blocks.begin(), blocks.end(), std::uint64_t{0});
  Result<ConcurrentResult> run = source_->run_concurrently(
      blocks, code_, machine_,
      {.sms = to_.share.sms, .resident = to_.resident, .traced = to_.share.own, .most = most});
  if (run && blocks.size() < to_.share.blocks) run->complete = false;
  return run;
}

// All blocks of the grid side by side. False where they turn out to do too much for that.
Result<bool> Tracing::trace_concurrently() {
  Result<ConcurrentResult> run = run_together(kMaxConcurrentSteps);
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

// The first blocks of a grid that does too much, side by side: the others go on at the pace at
// which these end. False where too few come to an end: they do too much, or wait for blocks behind
// them.
Result<bool> Tracing::chain_first() {
  const Result<ConcurrentResult> run = run_together(kChained);
  if (!run) return run.error();
  if (Result<void> done = open(); !done) return done.error();
  const std::size_t ended = run->ends.size();
  if (ended < kLinks) return false;
  // Those before have begun together.
  const std::size_t from =
      std::clamp<std::size_t>(to_.share.sms * to_.resident, ended / 3, 2 * ended / 3);
  const double pace = (run->ends.back() - run->ends[from]) / static_cast<double>(ended - 1 - from);
  to_.chain = run->ends.back() + pace * static_cast<double>(to_.share.blocks - ended);
  return true;
}

// The block that comes last to the counters: a program may let it finish what the others began.
Result<void> Tracing::trace_last() {
  const TracedWindow& window = to_.windows.back();
  const auto counted = static_cast<double>((window.first + window.count) * to_.share.sms);
  source_->wind_to_last(counted, static_cast<double>(to_.share.blocks));
  source_->share_counters(1);
  Result<std::vector<BlockTrace>> traces = source_->trace(std::array{to_.share.blocks - 1});
  if (!traces) return traces.error();
  BlockTrace& last = (*traces)[0];
  double steps = 0;
  for (const BlockTrace& trace : window.traces) steps += static_cast<double>(trace.steps);
  steps /= static_cast<double>(std::max<std::size_t>(1, window.traces.size()));
  if (static_cast<double>(last.steps) < kMore * steps) return {};
  to_.last_sections = choose_sections(*to_.kernel, last, kReplayed);
  to_.last = std::move(last);
  return {};
}

// A block of the longest kind, where that is a few blocks at the end of an axis: the SM's own need
// not have one.
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
  to_.longest_sections = choose_sections(*to_.kernel, (*traces)[0], kReplayed);
  to_.longest = std::move((*traces)[0]);
  return {};
}

// Blocks are all shortened by the same share, so that long ones stay longer than others.
void Tracing::make_jobs(TracedWindow& window) {
  for (std::uint64_t k = 0; k < window.count; ++k) {
    window.jobs.push_back(to_.job(window, window.number(k)));
  }
  double steps = 0;
  for (const BlockJob& job : window.jobs) steps += static_cast<double>(job.trace->steps);
  const double share = steps > 0 ? static_cast<double>(kReplayed) / steps : 1;
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

// Of a block: of the reference, as long as no others are known.
double Tracing::steps_each() const {
  return std::max(
      1.0, to_.works.empty() ? static_cast<double>(to_.reference.steps) : to_.works.mean_steps());
}

// How much blocks from all over the grid do.
Result<void> Tracing::sample_work(std::uint64_t steps, std::uint64_t most) {
  // A first sample tells what a block costs: the reference may be one of a kind.
  const double each = steps_each();
  // Long blocks are taken to be like the few that were compared, where those are alike.
  const bool has_idle = to_.works.has_idle();
  if (to_.strides.alike && static_cast<double>(steps) < 4 * each && !has_idle) return {};
  const std::uint64_t cells = std::clamp<std::uint64_t>(
      static_cast<std::uint64_t>(static_cast<double>(steps) / each), 4, most);
  WorkSample sample = has_idle ? WorkSample(to_.works.active(), to_.works.idle_work(), cells)
                               : WorkSample(to_.launch->grid, cells, has_faces_);
  const std::vector<std::uint64_t> blocks = sample.blocks();
  if (!to_.works.empty() && blocks == to_.works.blocks())
    return {};  // of long blocks: as few again
  Result<std::vector<BlockWork>> works = source_->count(numbers_of(blocks));
  if (!works) return works.error();
  work_error_ = error_of_mean(*works);
  sample.set(std::move(*works));
  to_.works = std::move(sample);
  return {};
}

// Where blocks have many warps, few of them can be executed, and the mean of their works tells
// little: single warps of many more blocks tell it.
Result<void> Tracing::sample_warps(std::uint64_t steps) {
  const std::uint64_t warps = to_.reference.warps.size();
  const bool alone = to_.kernel->function->barriers == 0 && sync_ == InterBlockSync::kNone;
  if (warps < 2 || !alone || work_error_ < kSure || to_.works.has_idle()) return {};
  const double each = steps_each() / static_cast<double>(warps);
  WorkSample sample(
      to_.launch->grid,
      std::clamp<std::uint64_t>(static_cast<std::uint64_t>(static_cast<double>(steps) / each), 4,
                                kMaxCounted));
  Result<std::vector<BlockWork>> works =
      source_->count(sample.blocks(), static_cast<std::uint32_t>(warps));
  if (!works) return works.error();
  const double error = error_of_mean(*works);
  sample.set(std::move(*works));
  if (error < std::min(work_error_, kMaxError)) {
    to_.works.scale(sample.mean_steps() / to_.works.mean_steps());
  }
  return {};
}

// The reference; or all blocks side by side, where they wait for each other and do little enough:
// true then, as nothing is left to trace.
Result<bool> Tracing::trace_beginning() {
  const bool waits = sync_ == InterBlockSync::kAll;
  if (Result<void> done = open(waits ? kChained : 0); !done) return done.error();
  if (counters()) source_->share_counters(std::min(to_.share.blocks, to_.share.sms * to_.resident));
  to_.windows.reserve(2);  // jobs point into them
  Result<void> reference = trace_reference();
  if (!reference && counters()) {
    sync_ = InterBlockSync::kNone;
    if (Result<void> done = open(); !done) return done.error();
    // Without the counters, what they give is Unknown: the first Error tells more.
    if (Result<void> again = trace_reference(); again) reference = again;
  }
  if (!reference && waits) {
    // A block that waits for all others, as at a barrier of the grid, never ends alone.
    to_.strides.of.resize(to_.kernel->instructions.size());
    to_.strides.numbers.grid = to_.launch->grid;
    const Result<bool> done = trace_concurrently();
    if (!done || *done) return done;
    reference = trace_reference();  // it does much, then; trace_concurrently has opened memory anew
  } else if (waits) {
    if (Result<void> done = open(); !done) return done.error();
  }
  if (!reference) return reference.error();
  return sync_ == InterBlockSync::kAll ? trace_waiting() : Result<bool>(false);
}

// Blocks that wait for each other, though one ends alone. True where all are traced.
Result<bool> Tracing::trace_waiting() {
  const auto all = static_cast<double>(to_.reference.steps) * static_cast<double>(to_.share.blocks);
  if (all < static_cast<double>(kMaxConcurrentSteps)) {
    const Result<bool> done = trace_concurrently();
    if (!done || *done) return done;
  }
  const Result<bool> chained = chain_first();
  if (!chained) return chained.error();
  if (!*chained) {
    to_.notes.push_back(
        "blocks may wait for each other, but are too large to run concurrently: inter-block "
        "synchronisation is not in the predicted time");
  }
  return false;
}

// How much blocks do, and whether one can stand for all.
Result<void> Tracing::sample_works() {
  if (Result<void> done = sample_work(kConfirmed); !done) return done.error();
  if (Result<void> done = set_idle_aside(); !done) return done.error();
  if (counters()) {
    // Who takes work from a queue takes what is left: blocks end together.
    to_.works = {};
    source_->share_counters(to_.share.sms);
    source_->wind_counters(0);
  }
  if (counters() || sync_ == InterBlockSync::kOwnBlock) to_.strides.alike = false;
  if (Result<void> done = look_at_last(); !done) return done.error();
  if (!to_.works.active_even() || has_faces_) {
    to_.strides.alike = false;  // though the few that were compared may have done the same
    if (Result<void> done = sample_work(kCounted); !done) return done.error();
    if (work_error_ > kHeavyTailed) {
      if (Result<void> done = sample_work(kCounted, kMaxCountedHeavy); !done) return done.error();
    }
    if (has_faces_) {
      if (Result<void> done = sample_faces(); !done) return done.error();
    }
    if (Result<void> done = sample_warps(kWarpsCounted); !done) return done.error();
  }
  return {};
}

// Whether the last block of the grid does much more than others: it is the last along each axis.
// Less, at the end of the data, does not matter.
Result<void> Tracing::look_at_last() {
  const std::uint64_t last = to_.launch->grid.total() - 1;
  if (sync_ != InterBlockSync::kNone || clusters_ || to_.works.has_idle() || last == 0) return {};
  const Result<std::vector<BlockWork>> work = source_->count(std::array{last});
  if (!work) return work.error();
  has_faces_ = does_more((*work)[0].steps, steps_each());
  return {};
}

Result<void> Tracing::sample_faces() {
  Result<std::vector<BlockWork>> works = source_->count(to_.works.face_blocks());
  if (!works) return works.error();
  to_.works.set_faces(std::move(*works));
  return {};
}

// Where all blocks run at once, and their work is unequal, the launch takes as long as the SM with
// the longest block: that is the one to emulate. How long the light blocks of another SM take says
// little about heavy ones.
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

// The first blocks, and some of the rest.
Result<void> Tracing::trace_windows() {
  choose_sm();
  const std::uint64_t n = to_.share.count;
  const std::uint64_t resident = to_.resident;
  // Blocks of unequal work take more of them to tell.
  const bool even = to_.works.active_even();
  const auto enough = static_cast<std::uint64_t>(
      std::clamp((even ? 120'000 : 400'000) / steps_each(), static_cast<double>(3 * resident),
                 static_cast<double>((even ? 12 : 24) * resident)));
  const std::uint64_t first = n <= enough + 2 * resident ? n : enough;
  if (Result<void> done = trace_window(0, first); !done) return done.error();
  if (first >= n) return {};
  const std::uint64_t left = n - first;
  // Blocks of unequal work from all over the rest, others from its middle.
  const std::uint64_t count = std::min(left, even ? std::min(enough, 3 * resident) : enough);
  const std::uint64_t at = even ? first + (left - count) / 2 : first;
  const std::uint64_t runs = (count + resident - 1) / resident;
  if (counters()) source_->wind_counters(static_cast<double>(at) / static_cast<double>(first));
  return trace_window(at, count, even ? 0 : left / runs);
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

}  // namespace

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
  // The blocks of a cluster keep their places in it.
  traced->share.dealt = cluster.total() > 1 ? traced->share.count : traced->resident;
  traced->faults = check_blocks(kernel, launch, options.trips);
  if (Result<void> done = Tracing(*traced, machine, options).run(); !done) return done.error();
  return traced;
}

}  // namespace burin::timing
