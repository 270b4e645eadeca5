#include "emulate/timing/predict.h"

#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "emulate/timing/code.h"
#include "emulate/timing/hit_rates.h"
#include "emulate/timing/memory_system.h"
#include "emulate/timing/neighbours.h"
#include "emulate/timing/sections.h"
#include "emulate/timing/sm.h"
#include "emulate/timing/trace_source.h"

namespace burin {

namespace {

constexpr std::uint64_t kReplayed = 240'000;    // steps of one window, about
constexpr std::uint64_t kExecuted = 2'000'000;  // steps that are executed for one window, at most
constexpr std::uint64_t kLongBlock = 200'000;   // steps
constexpr double kLooks = 4e5;                  // lines looked up in the L2 cache for one window

constexpr double kEnough = 2.5;  // times its size goes through the L2 cache: then it is as it stays

// The blocks of the emulated SM: of all SMs with the most blocks the middle one, so that what
// happens at the edges of the data does not decide.
struct Share {
  std::uint64_t blocks = 0;  // of the grid
  std::uint64_t sms = 0;
  std::uint64_t own = 0;    // number of the SM
  std::uint64_t count = 0;  // its blocks

  Share(std::uint64_t grid, double sm_count)
      : blocks(grid), sms(std::min(grid, static_cast<std::uint64_t>(sm_count))) {
    count = (blocks + sms - 1) / sms;
    const std::uint64_t full = blocks % sms == 0 ? sms : blocks % sms;
    own = full / 2;
  }
  std::uint64_t block(std::uint64_t i) const { return own + i * sms; }
};

// A stretch of the SM's blocks that is replayed.
struct Window {
  std::uint64_t count = 0;  // blocks
  SmRun run;
  std::unique_ptr<Account> account;
  TrafficSum traffic;
  std::vector<MemorySystem::InstructionTraffic> by_instruction;
  std::array<double, kResources> busy{};
  double stretch = 1;  // cycles that a replayed one stands for

  double begin(std::uint64_t i) const { return run.blocks[i].begin * stretch; }
  double end() const { return run.end * stretch; }
  // Cycles from one block to the next, when the SM is full: blocks come in waves, so the last wave
  // is held against one a whole number of waves before.
  double step(std::uint64_t resident) const {
    const std::uint64_t waves = count / resident;
    if (waves < 2) return end() / static_cast<double>(count);
    const std::uint64_t apart = std::max<std::uint64_t>(1, waves - 2);
    double sum = 0;
    for (std::uint64_t k = 0; k < resident; ++k) {
      const std::uint64_t i = count - 1 - k;
      sum += begin(i) - begin(i - apart * resident);
    }
    return sum / static_cast<double>(resident * apart * resident);
  }
};

class Predictor {
 public:
  Predictor(const Kernel& kernel, const Launch& launch, const Machine& machine,
            const PredictOptions& options)
      : kernel_(kernel),
        launch_(launch),
        machine_(machine),
        options_(options),
        share_(launch.grid.total(), machine.sm.count),
        code_(timed_code(kernel, machine)) {}

  Result<Prediction> run();

 private:
  Result<void> trace_reference();
  Result<void> trace_blocks(std::uint64_t first, std::uint64_t count);
  BlockJob job(std::uint64_t i) const;
  const BlockTrace& trace_for(std::uint64_t i) const;
  const Sections& sections_for(const BlockTrace& trace) const;
  Window replay(std::uint64_t first, std::uint64_t count, bool cold);
  Result<double> work_elsewhere();
  void pass_over(std::uint64_t first, std::uint64_t until, double bytes);
  void summarize(Prediction& p, const std::vector<Window>& windows,
                 const std::vector<double>& stands_for, double sm_cycles) const;

  const Kernel& kernel_;
  const Launch& launch_;
  const Machine& machine_;
  const PredictOptions& options_;
  Share share_;
  std::vector<TimedOp> code_;
  Occupancy occupancy_;
  std::uint64_t resident_ = 1;
  std::unique_ptr<TraceSource> source_;
  std::vector<BlockTrace> traces_;      // the reference first
  std::vector<std::uint64_t> numbers_;  // of the SM's blocks that the others are; reference: none
  std::vector<Sections> sections_;
  StrideTable strides_;
  std::unique_ptr<MemorySystem> memory_;
};

Result<void> Predictor::trace_reference() {
  const Dims g = launch_.grid;
  const auto linear = [&](std::uint32_t x, std::uint32_t y, std::uint32_t z) {
    return x + std::uint64_t{g.x} * (y + std::uint64_t{g.y} * z);
  };
  const Dims cluster = cluster_of(launch_, *kernel_.function).value_or(Dims{});
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
  for (BlockTrace& t : *more) traces->push_back(std::move(t));
  std::vector<const BlockTrace*> others;
  for (std::size_t k = 1; k < traces->size(); ++k) others.push_back(&(*traces)[k]);
  strides_ = find_strides(kernel_.instructions.size(), (*traces)[0], others);
  traces_.push_back(std::move((*traces)[0]));
  numbers_.push_back(~std::uint64_t{0});
  return {};
}

// Executes the SM's own blocks of a window, as many as the limit allows, unless all blocks do the
// same and the reference can stand for them.
Result<void> Predictor::trace_blocks(std::uint64_t first, std::uint64_t count) {
  if (strides_.alike) return {};
  traces_.resize(1);
  numbers_.resize(1);
  const std::uint64_t each = std::max<std::uint64_t>(1, traces_[0].steps);
  const std::uint64_t most = std::clamp<std::uint64_t>(kExecuted / each, 2, count);
  std::vector<std::uint64_t> wanted;
  for (std::uint64_t k = 0; k < most; ++k) wanted.push_back(share_.block(first + k));
  Result<std::vector<BlockTrace>> traces = source_->trace(wanted);
  if (!traces) return traces.error();
  for (std::uint64_t k = 0; k < most; ++k) {
    traces_.push_back(std::move((*traces)[k]));
    numbers_.push_back(first + k);
  }
  return {};
}

const BlockTrace& Predictor::trace_for(std::uint64_t i) const {
  if (traces_.size() == 1) return traces_[0];
  for (std::size_t k = 1; k < numbers_.size(); ++k)
    if (numbers_[k] == i) return traces_[k];
  return traces_[1 + i % (traces_.size() - 1)];
}

const Sections& Predictor::sections_for(const BlockTrace& trace) const {
  return sections_[static_cast<std::size_t>(&trace - traces_.data())];
}

BlockJob Predictor::job(std::uint64_t i) const {
  BlockJob job;
  const BlockTrace& trace = trace_for(i);
  job.trace = &trace;
  job.sections = &sections_for(trace);
  job.own = step_between(trace.index, block_index(share_.block(i), launch_.grid));
  job.others.reserve(share_.sms);
  for (std::uint64_t g = 0; g < share_.sms; ++g) {
    const std::uint64_t block = i * share_.sms + g;
    if (g == share_.own || block >= share_.blocks) continue;
    if (g == (share_.own ^ 1)) job.pair = job.others.size();
    job.others.push_back(step_between(trace.index, block_index(block, launch_.grid)));
  }
  return job;
}

Window Predictor::replay(std::uint64_t first, std::uint64_t count, bool cold) {
  Window w;
  w.count = count;
  sections_.clear();
  const std::uint64_t target = std::max<std::uint64_t>(64, kReplayed / count);
  for (const BlockTrace& trace : traces_) {
    sections_.push_back(choose_sections(kernel_, trace, target));
  }
  std::vector<BlockJob> jobs;
  for (std::uint64_t i = first; i < first + count; ++i) jobs.push_back(job(i));
  if (!memory_) {
    double lines = 0;
    for (const BlockJob& j : jobs) lines += static_cast<double>(j.trace->lines.size());
    double looks = lines * static_cast<double>(share_.sms);
    if (count < share_.count) looks += kEnough * machine_.l2.size / kLineBytes;
    unsigned sample = 1;
    while (looks / sample > kLooks && sample < 64) sample *= 2;
    MemoryOptions options{.shared_bytes = machine_.l1.size - static_cast<double>(occupancy_.l1),
                          .sample = sample};
    options.l2_hit = options_.l2_hit.value_or(-1);
    if (!options_.line_l2_hit.empty()) {
      for (std::uint32_t i = 0; i < kernel_.instructions.size(); ++i) {
        options.l2_hit_of.push_back(
            static_cast<float>(given_l2_hit(kernel_, i, options_).value_or(-1)));
      }
    }
    memory_ = std::make_unique<MemorySystem>(machine_, strides_, std::move(options));
    if (options_.warm) {
      for (std::size_t k = 0; k < launch_.arguments.size(); ++k) {
        const Buffer* buffer = launch_.arguments[k].buffer();
        if (buffer != nullptr) memory_->fill_l2(source_->buffers()[k], buffer->size);
      }
    }
  }
  memory_->restart();
  w.account = std::make_unique<Account>(kernel_.instructions.size());
  double kept = 0;
  double steps = 0;
  for (const BlockJob& j : jobs) {
    for (const auto& sections : *j.sections)
      for (const Section& s : sections) kept += s.end - s.begin;
    steps += static_cast<double>(j.trace->steps);
  }
  Sm sm(machine_, code_, *memory_, *w.account,
        {.resident = static_cast<unsigned>(resident_),
         .dispatch_step = static_cast<double>(share_.sms) * machine_.dispatch.block_gap,
         .part = steps > 0 ? kept / steps : 1,
         .cold = cold});
  w.run = sm.run(jobs);
  w.traffic = memory_->take_traffic();
  w.by_instruction = memory_->take_by_instruction();
  w.busy = w.run.busy;
  memory_->take_busy(w.busy);
  if (w.run.end > 0) w.stretch = std::max(1.0, w.run.weighted / w.run.end);
  // No part of the SM can have worked longer than it took.
  for (const double cycles : w.busy) w.stretch = std::max(w.stretch, cycles / w.run.end);
  return w;
}

// Where blocks do different work: that of blocks from all over the grid, as a multiple of the work
// of those that are replayed.
Result<double> Predictor::work_elsewhere() {
  if (traces_.size() < 2) return 1.0;
  double replayed = 0;
  for (std::size_t k = 1; k < traces_.size(); ++k)
    replayed += static_cast<double>(traces_[k].steps);
  replayed /= static_cast<double>(traces_.size() - 1);
  if (replayed <= 0) return 1.0;
  const std::uint64_t most = std::min<std::uint64_t>(
      share_.blocks, std::clamp<std::uint64_t>(
                         kExecuted / 2 / std::max<std::uint64_t>(1, traces_[0].steps), 4, 48));
  std::vector<std::uint64_t> wanted;
  for (std::uint64_t k = 0; k < most; ++k) {
    wanted.push_back((2 * k + 1) * share_.blocks / (2 * most));
  }
  const Result<std::vector<BlockTrace>> sample = source_->trace(wanted);
  if (!sample) return sample.error();
  double steps = 0;
  for (const BlockTrace& t : *sample) steps += static_cast<double>(t.steps);
  return steps / static_cast<double>(most) / replayed;
}

// Leaves in the L2 cache what the blocks up to `until` leave there, no more of them than matter;
// `bytes` are new to it with each.
void Predictor::pass_over(std::uint64_t first, std::uint64_t until, double bytes) {
  const auto most =
      static_cast<std::uint64_t>(std::ceil(kEnough * machine_.l2.size / std::max(1.0, bytes))) + 1;
  if (until - first > most) first = until - most;
  for (std::uint64_t i = first; i < until; ++i) {
    const BlockJob j = job(i);
    for (const auto& steps : j.trace->warps) {
      const Asker asker{.others = j.others, .own = j.own};
      for (const TraceStep& step : steps) {
        if (step.request == kNoRequest) continue;
        const Request& r = j.trace->requests[step.request];
        if (r.kind != Request::Kind::kLocal) memory_->skip(step.instruction, *j.trace, r, asker);
      }
    }
  }
}

void Predictor::summarize(Prediction& p, const std::vector<Window>& windows,
                          const std::vector<double>& stands_for, double sm_cycles) const {
  p.costs.resize(kernel_.instructions.size());
  const double others = static_cast<double>(share_.blocks) / static_cast<double>(share_.count);
  double l1 = 0, l1_hits = 0, l2 = 0, l2_hits = 0;
  for (std::size_t k = 0; k < windows.size(); ++k) {
    const Window& w = windows[k];
    const double by = stands_for[k] / static_cast<double>(w.count);
    for (std::size_t i = 0; i < p.costs.size(); ++i) {
      const InstructionCost& from = w.account->costs()[i];
      InstructionCost& to = p.costs[i];
      to.issued += from.issued * by * others;
      for (std::size_t s = 0; s < kStalls; ++s) {
        to.stalls[s] += {from.stalls[s].active * by * others, from.stalls[s].latency * by * others};
      }
      to.unknown += from.unknown * by * others;
      to.passes += from.passes * by * others;
      to.ideal_passes += from.ideal_passes * by * others;
      to.sectors += w.by_instruction[i].sectors * by * others;
      to.l1_hits += w.by_instruction[i].l1_hits * by * others;
      to.l2_hits += w.by_instruction[i].l2_hits * by * others;
    }
    for (Blame b : w.account->blames()) {
      b.cycles.active *= by * others;
      b.cycles.latency *= by * others;
      const auto same = std::find_if(p.blames.begin(), p.blames.end(), [&](const Blame& x) {
        return x.cause == b.cause && x.waits == b.waits && x.stall == b.stall;
      });
      if (same != p.blames.end()) {
        same->cycles += b.cycles;
      } else {
        p.blames.push_back(b);
      }
    }
    for (std::size_t r = 0; r < kResources; ++r) p.busy[r] += w.busy[r] * by / sm_cycles;
    l1 += w.traffic.l1_sectors * by;
    l1_hits += w.traffic.l1_hits * by;
    l2 += w.traffic.all_l2_sectors * by;
    l2_hits += w.traffic.all_l2_hits * by;
    p.dram_read_bytes += w.traffic.dram_read * by;
    p.dram_write_bytes += w.traffic.dram_write * by;
    p.replayed += w.run.replayed;
    if (w.run.released != 0) {
      p.notes.push_back(
          fmt::format("{} waits at barriers were given up: their arrivals are not in the trace",
                      w.run.released));
    }
  }
  std::sort(p.blames.begin(), p.blames.end());
  double unknown = 0;
  for (const InstructionCost& c : p.costs) {
    p.issued += c.issued;
    for (std::size_t s = 0; s < kStalls; ++s) p.stalls[s] += c.stalls[s];
    unknown += c.unknown;
  }
  p.warp_cycles = p.issued;
  for (const StallCycles& s : p.stalls) p.warp_cycles += s.sum();
  p.instructions = p.issued;
  p.unknown_share = p.warp_cycles > 0 ? unknown / p.warp_cycles : 0;
  p.ipc = p.instructions / static_cast<double>(share_.sms) / sm_cycles;
  p.l1_hit_rate = l1 > 0 ? l1_hits / l1 : 0;
  p.l2_hit_rate = l2 > 0 ? l2_hits / l2 : 0;
  p.l2_bytes = l2 * 32;
}

Result<Prediction> Predictor::run() {
  Prediction p;
  const Function& f = *kernel_.function;
  const Dims cluster = cluster_of(launch_, f).value_or(Dims{});
  Result<Occupancy> occupancy =
      burin::occupancy(machine_, {.threads = launch_.block.total(),
                                  .registers = f.registers,
                                  .shared = f.shared_bytes + launch_.shared_bytes,
                                  .cluster = cluster.total()});
  if (!occupancy) return occupancy.error();
  occupancy_ = *occupancy;
  p.occupancy = occupancy_;
  resident_ = std::max<std::uint64_t>(1, occupancy_.blocks);
  Result<std::unique_ptr<TraceSource>> source = TraceSource::open(
      kernel_, launch_,
      {.trips = options_.trips,
       .unknown = options_.unknown,
       .threads = options_.threads,
       .most_instructions =
           options_.most_instructions != 0 ? options_.most_instructions : 400'000'000});
  if (!source) return source.error();
  source_ = std::move(*source);
  if (Result<void> done = trace_reference(); !done) return done.error();

  // The first blocks, from an empty GPU.
  const std::uint64_t n = share_.count;
  const std::uint64_t each = std::max<std::uint64_t>(1, traces_[0].steps);
  const std::uint64_t enough =
      std::clamp<std::uint64_t>(120'000 / each, 3 * resident_, 12 * resident_);
  std::vector<Window> windows;
  std::vector<double> stands_for;
  const std::uint64_t first = n <= enough + 2 * resident_ ? n : enough;
  if (Result<void> done = trace_blocks(0, first); !done) return done.error();
  windows.push_back(replay(0, first, true));
  stands_for.push_back(static_cast<double>(first));
  double sm_cycles = windows[0].end();
  double replayed_cycles = windows[0].run.end;

  if (first < n) {
    // Then some from the middle of the rest, with the L2 cache as it is by then.
    const std::uint64_t left = n - first;
    const std::uint64_t count = std::min(left, std::min(enough, 3 * resident_));
    const std::uint64_t at = first + (left - count) / 2;
    const double bytes = (windows[0].traffic.dram_read + windows[0].traffic.all_l2_written * 32) /
                         static_cast<double>(first);
    pass_over(first, at, bytes);
    if (Result<void> done = trace_blocks(at, count); !done) return done.error();
    windows.push_back(replay(at, count, false));
    stands_for.push_back(static_cast<double>(left));
    const Window& begin = windows[0];
    const Window& middle = windows[1];
    const double early = begin.step(resident_);
    const double late = middle.step(resident_);
    // The L2 cache takes what is written until it is full.
    const double full = bytes > 0 ? machine_.l2.size / bytes : 0;
    const double rest = static_cast<double>(left);
    const double before = std::clamp(full - static_cast<double>(first), 0.0, rest);
    sm_cycles += before * early + (rest - before) * late;
    stands_for[0] += before;
    stands_for[1] -= before;
    replayed_cycles += middle.run.end;
  }
  double work = 1;
  if (!strides_.alike && share_.blocks > share_.count) {
    const Result<double> elsewhere = work_elsewhere();
    if (!elsewhere) return elsewhere.error();
    work = *elsewhere;
    sm_cycles *= work;
    for (double& blocks : stands_for) blocks *= work;
    replayed_cycles *= std::min(1.0, work);
  }
  p.launch_cycles = machine_.dispatch.launch;
  p.cycles = sm_cycles + p.launch_cycles;
  p.time_us = machine_.seconds(p.cycles) * 1e6;
  p.waves = static_cast<double>(share_.blocks) / static_cast<double>(share_.sms * resident_);
  const double even = static_cast<double>(share_.blocks) / static_cast<double>(share_.sms);
  p.tail_share = n > resident_ ? (static_cast<double>(n) - even) / static_cast<double>(n) : 0;
  p.extrapolated_share = std::max(0.0, 1 - replayed_cycles / sm_cycles);
  p.executed = source_->executed();
  summarize(p, windows, stands_for, sm_cycles);
  return p;
}

}  // namespace

Result<Prediction> predict(const Kernel& kernel, const Launch& launch, const Machine& machine,
                           const PredictOptions& options) {
  return Predictor(kernel, launch, machine, options).run();
}

}  // namespace burin
