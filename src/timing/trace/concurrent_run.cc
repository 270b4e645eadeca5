#include "timing/trace/concurrent_run.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

#include "emulate/execute/spin.h"
#include "emulate/execute/step.h"
#include "read/isa/traits.h"
#include "timing/trace/access_passes.h"

namespace burin::timing {

namespace {

constexpr unsigned kMaxStepsPerTurn = 20'000;  // warp instructions of a warp in one turn
constexpr double kForever = 1e300;
// A load that a warp repeats at least kMinPolls times in a row, with at most kMaxPollSteps steps in
// between, is a poll: the warp continues when another warp writes to its line.
constexpr unsigned kMinPolls = 3;
constexpr unsigned kMaxPollSteps = 24;

bool in_loop(const read::Kernel& kernel, std::size_t instruction) {
  return kernel.blocks[kernel.block_of[instruction]].loop != read::kNoIndex;
}

bool uses_result(const read::Instruction& i) {
  for (const read::Operand& o : i.operands()) {
    if (o.written && o.is_register(read::RegisterFile::kGeneral) && o.index != read::kZeroRegister)
      return true;
  }
  return false;
}

// Whether other warps can observe the instruction's effect, or it observes theirs.
bool is_visible(const TimedOp& op) {
  return op.kind == TimedOp::Kind::kMemory || op.kind == TimedOp::Kind::kMembar;
}

std::ptrdiff_t ready_splits(const emulate::Warp& warp) {
  return std::count_if(warp.splits.begin(), warp.splits.end(), [](const emulate::Split& s) {
    return s.state == emulate::Split::State::kReady;
  });
}

}  // namespace

InterBlockSync inter_block_sync_of(const read::Kernel& kernel) {
  InterBlockSync found = InterBlockSync::kNone;
  for (std::size_t k = 0; k < kernel.instructions.size(); ++k) {
    const read::Instruction& i = kernel.instructions[k];
    if (!i.known()) continue;
    const std::string_view operation = i.modifier("operation");
    const bool swaps = operation.starts_with("CAS") || operation == "EXCH";
    if (read::is_returning_atomic(i) && read::may_be_global(i)) {
      if ((swaps || only_reads(i)) && in_loop(kernel, k)) return InterBlockSync::kAll;
      if (!swaps && uses_result(i)) found = std::max(found, InterBlockSync::kCounters);
    } else if (read::is_returning_atomic(i)) {  // an atomic in shared memory
      if (swaps && in_loop(kernel, k) && found == InterBlockSync::kNone)
        found = InterBlockSync::kOwnBlock;
    } else if (read::is_plain_load(i) && read::may_be_global(i)) {
      if (i.modifier("order").starts_with("STRONG") && in_loop(kernel, k))
        return InterBlockSync::kAll;
    }
  }
  return found;
}

ConcurrentRun::ConcurrentRun(emulate::Session& session, const std::vector<TimedOp>& code,
                             const machine::Machine& machine, ConcurrentOptions options)
    : session_(session),
      code_(code),
      machine_(machine),
      options_(options),
      quiet_(session.grid, *session.program, nullptr),
      shared_free_(options.sms) {
  tally_.counts.resize(session.program->ops.size());
}

void ConcurrentRun::enqueue(Runner& runner) {
  turns_.push({runner.clock, numbered_++, &runner});
}

// Prefetches the warp with the next turn: thousands of warps exceed the host's caches.
void ConcurrentRun::expect(const Runner& runner) {
  constexpr unsigned kLine = 64, kLines = 4;
  const auto* state = reinterpret_cast<const char*>(&runner.warp->splits);
  for (unsigned k = 0; k < kLines; ++k) __builtin_prefetch(state + k * kLine);
}

// Starts the next block on the SM; false if there is none.
bool ConcurrentRun::dispatch(std::uint64_t sm, double when) {
  if (next_ >= blocks_.size()) return false;
  auto block = std::make_unique<Resident>();
  block->sm = sm;
  block->cluster = (sm == options_.traced ? *heard_ : quiet_).begin(blocks_[next_]);
  if (sm == options_.traced) order_.push_back(blocks_[next_]);
  ++next_;
  const auto& warps = block->cluster->blocks[0]->warps;
  block->runners.resize(warps.size());
  block->alive = warps.size();
  for (std::size_t w = 0; w < warps.size(); ++w) {
    Runner& runner = block->runners[w];
    runner.warp = warps[w].get();
    runner.block = block.get();
    runner.clock = when + static_cast<double>(w) * machine_.dispatch.warp_gap;
    enqueue(runner);
  }
  block->at = residents_.size();
  residents_.push_back(std::move(block));
  return true;
}

void ConcurrentRun::end_block(Resident& block, double when) {
  result_.cycles = std::max(result_.cycles, when);
  result_.ends.push_back(result_.cycles);
  const std::uint64_t sm = block.sm;
  if (sm == options_.traced) builder_->block_ended(*block.cluster->blocks[0]);
  (sm == options_.traced ? *heard_ : quiet_).take_back(std::move(block.cluster));
  residents_.back()->at = block.at;
  std::swap(residents_[block.at], residents_.back());
  residents_.pop_back();
  dispatch(sm, when + machine_.dispatch.latency);
}

// Whether the line belongs to the other L2 partition than the SM.
bool ConcurrentRun::is_far(const Runner& runner, std::uint64_t line) const {
  return machine_.l2.partitions > 1 && partition_of(line) != runner.block->sm % 2;
}

double ConcurrentRun::load_end(const Runner& runner, double at) const {
  const emulate::Access& access = runner.warp->accesses[0];
  double end = at + machine_.l2.latency;
  for (emulate::Mask rest = access.lanes & ~access.unknown; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    if (!is_far(runner, access.address[lane] / kLineBytes)) continue;
    return end + machine_.l2.far_latency;
  }
  return end;
}

// Atomics on one line are serialised lane by lane.
double ConcurrentRun::atomic_end(const Runner& runner, double at) {
  double end = at;
  double far = -machine_.l2.far_latency;  // the latency is the mean of near and far accesses
  const emulate::Access& access = runner.warp->accesses[0];
  for (emulate::Mask rest = access.lanes & ~access.unknown; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    const std::uint64_t line = access.address[lane] / kLineBytes;
    double& free = lines_.of(line);
    free = std::max(free, at) + machine_.l2.atomic_gap;
    end = std::max(end, free);
    if (is_far(runner, line)) far = machine_.l2.far_latency;
  }
  return end + machine_.l2.atomic_latency + (machine_.l2.partitions > 1 ? far : 0);
}

// Requests to shared memory queue. Otherwise warps that retry until they succeed would stay in
// lockstep, and conflict more often than on a GPU.
double ConcurrentRun::shared_end(const Runner& runner, double at) {
  const emulate::Access& access = runner.warp->accesses[0];
  double& free = shared_free_[runner.block->sm];
  const double begin = std::max(at, free);
  double passes = bank_passes(access);
  if (access.atomic) passes += (most_at_one_address(access) - 1) * machine_.shared.atomic_gap;
  const double cycles = std::max(machine_.lsu.gap, passes * kLineBytes / machine_.shared.bandwidth);
  free = begin + cycles;
  return begin + cycles - machine_.lsu.gap +
         (access.atomic ? machine_.shared.atomic_latency : machine_.shared.latency);
}

// Updates when the warp may continue after the instruction that has just run.
void ConcurrentRun::book(Runner& runner, const TimedOp& op, double at) {
  const emulate::Warp& warp = *runner.warp;
  runner.clock = at + op.stall + static_cast<double>(warp.slept);
  double done = at + op.latency;
  if (op.fence && warp.exec != 0) {
    runner.clock =
        at + (std::exchange(runner.touched, false) ? machine_.l2.fence_used : machine_.l2.fence);
  } else if (op.kind == TimedOp::Kind::kMemory && warp.access_count > 0) {
    const emulate::Access& access = warp.accesses[0];
    if (access.space == read::Space::kShared) {
      done = shared_end(runner, at);
    } else {
      done = access.atomic ? atomic_end(runner, at) : load_end(runner, at);
      runner.touched = true;
    }
  }
  const auto set = [&](unsigned board, double when) {
    if (board < runner.boards.size()) runner.boards[board] = std::max(runner.boards[board], when);
  };
  set(op.write_barrier, done);
  set(op.read_barrier, at + machine_.lsu.release);
}

// Whether the warp only polls the value that it has just loaded. It then waits for a write.
bool ConcurrentRun::watch(Runner& runner) {
  const emulate::Warp& warp = *runner.warp;
  const emulate::Access& access = warp.accesses[0];
  const bool again = runner.polled == warp.pc && runner.since <= kMaxPollSteps;
  runner.polls = again ? runner.polls + 1 : 0;
  runner.polled = warp.pc;
  runner.since = 0;
  if (runner.polls < kMinPolls || access.lanes == 0 || ready_splits(warp) > 1) return false;
  for (emulate::Mask rest = access.lanes & ~access.unknown; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    std::vector<Runner*>& here = watchers_[access.address[lane] / kLineBytes];
    if (here.empty() || here.back() != &runner) here.push_back(&runner);
  }
  return true;
}

void ConcurrentRun::wake_watchers(const emulate::Warp& warp, double when) {
  if (watchers_.empty()) return;
  const emulate::Access& access = warp.accesses[0];
  for (emulate::Mask rest = access.lanes & ~access.unknown; rest != 0; rest &= rest - 1) {
    const auto at =
        watchers_.find(access.address[static_cast<unsigned>(std::countr_zero(rest))] / kLineBytes);
    if (at == watchers_.end()) continue;
    const std::vector<Runner*> woken = std::move(at->second);
    watchers_.erase(at);
    for (Runner* w : woken) {
      if (w->polls < kMinPolls) continue;  // already woken by another of its lines
      w->polls = 0;
      // On average, its next poll comes half an L2 latency later.
      w->clock = std::max(w->clock, when + machine_.l2.latency / 2);
      enqueue(*w);
    }
  }
}

// Wakes warps of the block that waited for this warp.
void ConcurrentRun::release_others(Runner& runner) {
  for (Runner& other : runner.block->runners) {
    if (!other.parked) continue;
    emulate::wake(*other.warp);
    if (ready_splits(*other.warp) == 0) continue;
    other.parked = false;
    other.clock = std::max(other.clock, runner.clock + machine_.barrier.latency);
    enqueue(other);
  }
}

// Runs the warp until its next observable operation is later than another warp's turn.
void ConcurrentRun::take_turn(Runner& runner) {
  emulate::Warp& warp = *runner.warp;
  emulate::Listener* listener = runner.block->sm == options_.traced ? builder_ : nullptr;
  emulate::wake(warp);
  for (unsigned count = 0; count < kMaxStepsPerTurn && !session_.grid.stopped; ++count) {
    const emulate::Split& split = warp.splits[warp.current];
    const TimedOp* op = split.state == emulate::Split::State::kReady && split.pc < code_.size()
                            ? &code_[split.pc]
                            : nullptr;
    double at = runner.clock;
    if (op != nullptr) {
      for (unsigned b = 0; b < runner.boards.size(); ++b) {
        if ((op->wait_mask >> b & 1) != 0) at = std::max(at, runner.boards[b]);
      }
      const double others = turns_.empty() ? kForever : turns_.top().when;
      if (is_visible(*op) && at > others) {
        runner.clock = at;
        return enqueue(runner);
      }
    }
    const emulate::StepResult result = emulate::step(warp, tally_, listener);
    if (listener == nullptr) {
      warp.copied.clear();
      warp.changed.clear();
    }
    if (result == emulate::StepResult::kWaiting) {
      runner.clock = at;
      runner.parked = true;
      return;
    }
    ++result_.executed;
    const TimedOp& ran = code_[warp.pc];
    book(runner, ran, at);
    ++runner.since;
    if (ran.kind == TimedOp::Kind::kMemory && warp.access_count > 0 &&
        warp.accesses[0].space == read::Space::kGlobal) {
      if (ran.strong) {
        if (watch(runner)) return;
      } else if (warp.accesses[0].store) {
        runner.polled = 0xffffffff;
        wake_watchers(warp, at);
      }
    }
    if (ran.kind == TimedOp::Kind::kBarrier || ran.kind == TimedOp::Kind::kExit ||
        result == emulate::StepResult::kEnded) {
      release_others(runner);
    }
    if (result == emulate::StepResult::kEnded) {
      if (--runner.block->alive == 0) end_block(*runner.block, runner.clock);
      return;
    }
  }
  enqueue(runner);
}

// No warp has a turn left, or all have taken too many. If they provably repeat themselves, the
// kernel never ends: blocks that have not begun never get a place on the GPU either.
void ConcurrentRun::stop_standstill() {
  std::optional<emulate::Spin> spin;
  const emulate::Warp* spinning = nullptr;
  for (const auto& block : residents_) {
    emulate::Listener* listener = block->sm == options_.traced ? builder_ : nullptr;
    for (Runner& runner : block->runners) {
      const emulate::Standstill still = emulate::standstill_of(*runner.warp, tally_, listener);
      if (!still.proven) return;
      if (spin || !still.spin) continue;
      spin = still.spin;
      spinning = runner.warp;
    }
  }
  if (!spin) return;
  session_.grid.stop({"the kernel never ends: " + emulate::describe(*spin, *spinning, tally_)});
}

ConcurrentResult ConcurrentRun::run(std::span<const std::uint64_t> blocks, TraceBuilder& builder) {
  blocks_ = blocks;
  builder_ = &builder;
  heard_ = std::make_unique<emulate::ClusterRunner>(session_.grid, *session_.program, &builder);
  for (std::uint64_t k = 0; k < options_.resident; ++k) {
    for (std::uint64_t sm = 0; sm < options_.sms; ++sm) dispatch(sm, 0);
  }
  while (!turns_.empty() && result_.executed < options_.most && !session_.grid.stopped) {
    Runner& runner = *turns_.top().runner;
    lines_.forget(turns_.top().when);
    turns_.pop();
    if (!turns_.empty()) expect(*turns_.top().runner);
    take_turn(runner);
  }
  if (!residents_.empty() && !session_.grid.stopped) stop_standstill();
  result_.complete = residents_.empty() && next_ == blocks_.size() && !session_.grid.stopped;
  std::vector<BlockTrace> traces = builder.take();
  for (const std::uint64_t block : order_) {
    const auto at = std::find_if(traces.begin(), traces.end(),
                                 [&](const BlockTrace& t) { return t.linear == block; });
    if (at == traces.end()) continue;
    result_.traces.push_back(std::move(*at));
  }
  return std::move(result_);
}

}  // namespace burin::timing
