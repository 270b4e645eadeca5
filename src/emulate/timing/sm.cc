#include "emulate/timing/sm.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "emulate/timing/fetch.h"

namespace burin {

namespace {

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
constexpr unsigned kScoreboards = 6;
constexpr unsigned kHistory =
    16;  // setters of a scoreboard, or product groups, that are told apart
constexpr double kReadWindow = 3;  // cycles in which an instruction's registers are read

std::int64_t cycle_of(double time) {
  return static_cast<std::int64_t>(std::ceil(time));
}

struct BlockState;

// A stretch of a warp's waiting, whose end was known when it began.
struct Stretch {
  std::int64_t until = 0;
  Stall stall = Stall::kWait;
  std::uint32_t cause = Account::kNobody;
};

struct TimedWarp {
  BlockState* block = nullptr;
  unsigned scheduler = 0;
  std::uint64_t age = 0;  // order of start

  const TraceStep* steps = nullptr;
  const std::vector<Section>* sections = nullptr;
  std::size_t section = 0;
  std::uint32_t at = 0;
  double weight = 1;
  std::uint32_t previous = Account::kNobody;  // instruction issued last
  std::uint32_t line = 0xffffffff;            // of the instruction cache, likewise

  std::int64_t from = 0;   // its cycles are booked up to here
  std::int64_t ready = 0;  // nothing of its own keeps it from issuing then
  bool parked = false;     // … it waits for others, until they come
  Stall parked_stall = Stall::kBarrier;
  std::array<Stretch, 8> stretches{};
  unsigned stretch_count = 0;

  // While it is ready and does not issue: why, since when, and what has come together.
  bool marked = false;
  std::int64_t mark = 0;
  Stall mark_stall = Stall::kNotSelected;
  std::uint32_t mark_cause = Account::kNobody;
  struct Sum {
    double cycles = 0;
    double active = 0;
    std::uint32_t cause = Account::kNobody;
  };
  std::array<Sum, kStalls> sums{};
  std::uint32_t sums_used = 0;  // bits

  struct Scoreboard {
    double release = 0;
    std::uint32_t cause = Account::kNobody;
    bool is_long = false;
    std::uint32_t setters = 0;
    std::array<double, kHistory> upto{};  // when all setters up to this one are released
  };
  std::array<Scoreboard, kScoreboards> scoreboards{};
  double copies_done = 0;
  double stores_done = 0;
  double products_done = 0;
  std::uint32_t groups = 0;
  std::array<double, kHistory> group_done{};
  double weighted = 0;  // cycles so far
  Asker asker;

  void wait(std::int64_t until, Stall stall, std::uint32_t cause) {
    if (until <= ready) return;
    ready = until;
    stretches[stretch_count++] = {until, stall, cause};
  }
};

struct PhaseState {
  std::uint32_t arrived = 0;
  double when = 0;
  std::uint32_t last = Account::kNobody;  // the instruction that came last
  std::vector<TimedWarp*> waiting;
};

struct BlockState {
  const BlockJob* job = nullptr;
  std::size_t number = 0;
  std::vector<TimedWarp> warps;
  std::size_t alive = 0;
  std::vector<std::vector<PhaseState>> phases;
  double stores_done = 0;
  BlockTimes times;
};

// The places of a queue in front of a unit, given back in order.
struct Queue {
  std::vector<double> taken;
  std::size_t next = 0;

  explicit Queue(double places)
      : taken(std::max<std::size_t>(1, static_cast<std::size_t>(places))) {}
  double free() const { return taken[next]; }
  void put(double when) {
    taken[next] = when;
    next = (next + 1) % taken.size();
  }
};

struct Scheduler {
  std::vector<TimedWarp*> warps;
  std::int64_t next = kNever;  // when to look again
  std::int64_t last_issue = -1;
  TimedWarp* last = nullptr;
  std::array<double, kUnits> unit{};  // when each is free
  double fma_lite = 0;
  std::array<std::uint32_t, kUnits> holder{};  // the instruction that took it last
  std::array<double, 2> bank{};
  double ports = 0;
  double agu = 0;
  Queue mio;
  Queue global;
  IssueRecord record;

  explicit Scheduler(double places) : mio(places), global(places) {}
};

}  // namespace

struct Sm::State {
  const Machine& machine;
  const std::vector<TimedOp>& code;
  MemorySystem& memory;
  Account& account;
  SmOptions options;
  Fetch fetch;
  std::vector<Scheduler> schedulers;
  std::vector<std::unique_ptr<BlockState>> blocks;  // resident
  std::span<const BlockJob> jobs;
  std::size_t next_job = 0;
  double next_dispatch = 0;
  std::uint64_t started = 0;
  std::uint64_t resident_warps = 0;
  SmRun result;

  State(const Machine& m, const std::vector<TimedOp>& c, MemorySystem& mem, Account& a, SmOptions o)
      : machine(m),
        code(c),
        memory(mem),
        account(a),
        options(o),
        fetch(m, c.empty() ? 1 : c.back().fetch_line + 1, o.cold) {
    for (unsigned s = 0; s < static_cast<unsigned>(m.sm.schedulers); ++s) {
      schedulers.emplace_back(m.lsu.queue + 1);
    }
  }

  void start_block(double now);
  void start_warp(BlockState& block, std::size_t w, double begin);
  void end_block(BlockState& block, double now);
  bool advance(TimedWarp& warp);
  void skip(TimedWarp& warp, std::uint32_t from, std::uint32_t to, double now);
  void prepare(TimedWarp& warp, std::int64_t now, const TimedOp* before, bool branched);
  double unit_free(const Scheduler& s, const TimedOp& op) const;
  Stall throttle(const TimedOp& op) const;
  std::uint32_t holder(const Scheduler& s, const TimedOp& op) const;
  void look(Scheduler& s);
  void issue(Scheduler& s, TimedWarp& warp, std::int64_t now);
  void book(Scheduler& s, TimedWarp& warp, std::int64_t now);
  double execute(Scheduler& s, TimedWarp& warp, const TraceStep& step, const TimedOp& op,
                 std::int64_t now, double& operands);
  void use_phases(TimedWarp& warp, const Request& request, double when, std::int64_t now,
                  std::uint32_t instruction, bool named);
  void arrive(BlockState& block, const PhaseUse& use, double when, std::uint32_t instruction);
  void wake(TimedWarp& warp, double when, std::uint32_t cause);
  bool release_somebody();
};

Sm::Sm(const Machine& machine, const std::vector<TimedOp>& code, MemorySystem& memory,
       Account& account, SmOptions options)
    : state_(std::make_unique<State>(machine, code, memory, account, options)) {}
Sm::~Sm() = default;

void Sm::State::start_warp(BlockState& block, std::size_t w, double begin) {
  TimedWarp& warp = block.warps[w];
  const BlockTrace& trace = *block.job->trace;
  warp.block = &block;
  warp.steps = trace.warps[w].data();
  warp.sections = &(*block.job->sections)[w];
  warp.age = started++;
  warp.asker = {.others = block.job->others,
                .own = block.job->own,
                .local_base = (std::uint64_t{1} << 40) +
                              ((block.number % options.resident) * trace.warps.size() + w) * 65536};
  std::size_t best = 0;
  for (std::size_t s = 1; s < schedulers.size(); ++s)
    if (schedulers[s].warps.size() < schedulers[best].warps.size()) best = s;
  warp.scheduler = static_cast<unsigned>(best);
  warp.from = cycle_of(begin);
  warp.ready = warp.from;
  if (warp.sections->empty() || trace.warps[w].empty()) {
    --block.alive;
    return;
  }
  warp.at = (*warp.sections)[0].begin;
  warp.weight = (*warp.sections)[0].weight;
  schedulers[best].warps.push_back(&warp);
  prepare(warp, warp.from - 1, nullptr, false);
  schedulers[best].next = std::min(schedulers[best].next, warp.ready);
}

void Sm::State::start_block(double now) {
  const double begin = std::max(now, next_dispatch);
  next_dispatch = begin + std::max(options.dispatch_step, machine.dispatch.sm_gap);
  auto block = std::make_unique<BlockState>();
  block->job = &jobs[next_job];
  block->number = next_job++;
  block->times.begin = begin;
  const BlockTrace& trace = *block->job->trace;
  block->phases.resize(trace.arrivals.size());
  for (std::size_t b = 0; b < trace.arrivals.size(); ++b) {
    block->phases[b].resize(trace.arrivals[b].size());
  }
  block->warps.resize(trace.warps.size());
  block->alive = trace.warps.size();
  BlockState& kept = *block;
  blocks.push_back(std::move(block));
  for (std::size_t w = 0; w < kept.warps.size(); ++w) {
    start_warp(kept, w, begin + static_cast<double>(w + 1) * machine.dispatch.warp_gap);
  }
  result.busy[static_cast<std::size_t>(Resource::kDispatch)] += next_dispatch - begin;
}

void Sm::State::end_block(BlockState& block, double now) {
  block.times.end = now;
  if (result.blocks.size() <= block.number) result.blocks.resize(block.number + 1);
  result.blocks[block.number] = block.times;
  result.end = std::max({result.end, now, block.stores_done});
  std::erase_if(blocks, [&](const auto& b) { return b.get() == &block; });
  if (next_job < jobs.size()) start_block(now + machine.dispatch.latency);
}

// Caches and barriers as if the steps had been replayed.
void Sm::State::skip(TimedWarp& warp, std::uint32_t from, std::uint32_t to, double now) {
  const BlockTrace& trace = *warp.block->job->trace;
  for (std::uint32_t k = from; k < to; ++k) {
    const TraceStep& step = warp.steps[k];
    if (step.request == kNoRequest) continue;
    const Request& r = trace.requests[step.request];
    memory.skip(step.instruction, trace, r, warp.asker);
    for (const PhaseUse& use : trace.phases_of(r)) {
      if (use.arrives) arrive(*warp.block, use, now, step.instruction);
    }
  }
}

// To the next step; false where there is none.
bool Sm::State::advance(TimedWarp& warp) {
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

// Works out when the warp may issue the step it is at, and books why it waits until then.
void Sm::State::prepare(TimedWarp& warp, std::int64_t now, const TimedOp* before, bool branched) {
  const std::uint32_t instruction = warp.steps[warp.at].instruction;
  const TimedOp& op = code[instruction];
  warp.stretch_count = 0;
  warp.ready = std::max(warp.from, now + 1);
  if (before != nullptr) {
    if (branched) {
      warp.wait(now + before->stall, Stall::kWait, warp.previous);
      warp.wait(now + static_cast<std::int64_t>(machine.issue.branch), Stall::kBranchResolving,
                warp.previous);
    } else {
      warp.wait(now + before->stall, Stall::kWait, warp.previous);
    }
  }
  if (op.fetch_line != warp.line) {
    warp.line = op.fetch_line;
    const double there =
        fetch.instruction(warp.scheduler, op.fetch_line, static_cast<double>(warp.ready));
    warp.wait(cycle_of(there), Stall::kNoInstruction, instruction);
  }
  if (op.constant != 0xffffffff) {
    const double there = fetch.constant(op.constant, static_cast<double>(now + 1));
    warp.wait(cycle_of(there), Stall::kImcMiss, instruction);
  }
  for (unsigned b = 0; b < kScoreboards; ++b) {
    if ((op.wait_mask >> b & 1) == 0) continue;
    const TimedWarp::Scoreboard& s = warp.scoreboards[b];
    warp.wait(cycle_of(s.release), s.is_long ? Stall::kLongScoreboard : Stall::kShortScoreboard,
              s.cause);
  }
  if (op.kind == TimedOp::Kind::kDepbar && op.scoreboard < kScoreboards) {
    const TimedWarp::Scoreboard& s = warp.scoreboards[op.scoreboard];
    if (s.setters > op.left) {
      warp.wait(cycle_of(s.upto[(s.setters - 1 - op.left) % kHistory]),
                s.is_long ? Stall::kLongScoreboard : Stall::kShortScoreboard, s.cause);
    }
  }
  if (op.kind == TimedOp::Kind::kProductWait && warp.groups > op.left) {
    warp.wait(cycle_of(warp.group_done[(warp.groups - 1 - op.left) % kHistory]), Stall::kGmma,
              warp.previous);
  }
}

double Sm::State::unit_free(const Scheduler& s, const TimedOp& op) const {
  double free = 0;
  switch (op.unit) {
    case Unit::kNone:
    case Unit::kBulk:
      break;
    case Unit::kFma:
      free = s.unit[static_cast<std::size_t>(Unit::kFmaHeavy)];
      if (machine.issue.fma_units > 1) free = std::min(free, s.fma_lite);
      break;
    case Unit::kXu:
      free = s.mio.free();
      break;
    case Unit::kLsu:
      free = op.queue_global ? s.global.free() : s.mio.free();
      break;
    default:
      free = s.unit[static_cast<std::size_t>(op.unit)];
  }
  return std::max(free, s.ports);
}

Stall Sm::State::throttle(const TimedOp& op) const {
  if (op.unit == Unit::kXu) return Stall::kMioThrottle;
  if (op.unit == Unit::kLsu) return op.queue_global ? Stall::kLgThrottle : Stall::kMioThrottle;
  if (op.unit == Unit::kNone) return Stall::kDispatch;
  return Stall::kMathPipeThrottle;
}

std::uint32_t Sm::State::holder(const Scheduler& s, const TimedOp& op) const {
  const Unit unit = op.unit == Unit::kFma ? Unit::kFmaHeavy : op.unit;
  return s.holder[static_cast<std::size_t>(unit)];
}

// Finds the warp that issues at s.next, if any, and when to look again.
void Sm::State::look(Scheduler& s) {
  const std::int64_t now = s.next;
  std::int64_t next = kNever;
  TimedWarp* best = nullptr;
  for (TimedWarp* w : s.warps) {
    if (w->parked) continue;
    if (w->ready > now) {
      next = std::min(next, w->ready);
      continue;
    }
    const TimedOp& op = code[w->steps[w->at].instruction];
    if (!w->marked) {
      w->marked = true;
      w->mark = w->ready;
      w->mark_stall = throttle(op);
      w->mark_cause = holder(s, op);
    }
    if (now > w->mark) {
      TimedWarp::Sum& sum = w->sums[static_cast<std::size_t>(w->mark_stall)];
      sum.cycles += static_cast<double>(now - w->mark);
      if (s.last_issue >= w->mark) sum.active += 1;
      sum.cause = w->mark_cause;
      w->sums_used |= 1u << static_cast<unsigned>(w->mark_stall);
      w->mark = now;
    }
    const double free = unit_free(s, op);
    if (free > static_cast<double>(now)) {
      w->mark_stall = throttle(op);
      w->mark_cause = holder(s, op);
      next = std::min(next, std::max(now + 1, cycle_of(free)));
      continue;
    }
    w->mark_stall = Stall::kNotSelected;
    w->mark_cause = Account::kNobody;
    next = now + 1;
    if (best == nullptr) {
      best = w;
      continue;
    }
    switch (machine.issue.policy) {
      case IssuePolicy::kGreedyYoungest:
        if (best != s.last && (w == s.last || w->age > best->age)) best = w;
        break;
      case IssuePolicy::kGreedyOldest:
        if (best != s.last && (w == s.last || w->age < best->age)) best = w;
        break;
      case IssuePolicy::kRoundRobin: {
        // The first behind the one that issued last.
        const std::uint64_t last = s.last == nullptr ? 0 : s.last->age;
        const auto behind = [&](const TimedWarp* x) { return x->age - last - 1; };
        if (behind(w) < behind(best)) best = w;
        break;
      }
    }
  }
  s.next = next;
  if (best != nullptr) {
    s.next = now + 1;
    issue(s, *best, now);
  }
}

void Sm::State::book(Scheduler& s, TimedWarp& warp, std::int64_t now) {
  const TraceStep& step = warp.steps[warp.at];
  std::int64_t at = warp.from;
  for (unsigned k = 0; k < warp.stretch_count; ++k) {
    const Stretch& stretch = warp.stretches[k];
    if (stretch.until <= at) continue;
    const std::int64_t until = std::min(stretch.until, now);
    account.stall(step.instruction, stretch.stall, static_cast<double>(until - at),
                  static_cast<double>(s.record.between(at, until)), stretch.cause, warp.weight);
    at = until;
  }
  for (unsigned bits = warp.sums_used; bits != 0; bits &= bits - 1) {
    const auto k = static_cast<std::size_t>(__builtin_ctz(bits));
    TimedWarp::Sum& sum = warp.sums[k];
    account.stall(step.instruction, static_cast<Stall>(k), sum.cycles, sum.active, sum.cause,
                  warp.weight);
    at += static_cast<std::int64_t>(sum.cycles);
    sum = {};
  }
  // What is left had no name: it should be nothing.
  if (at < now) {
    account.stall(step.instruction, Stall::kMisc, static_cast<double>(now - at), 0,
                  Account::kNobody, warp.weight);
  }
  warp.sums_used = 0;
  warp.marked = false;
  account.issue(step.instruction, warp.weight);
  const double cycles = static_cast<double>(now + 1 - warp.from) * warp.weight;
  warp.weighted += cycles;
  if (step.unknown != 0) account.unknown(step.instruction, cycles);
  warp.from = now + 1;
}

void Sm::State::arrive(BlockState& block, const PhaseUse& use, double when,
                       std::uint32_t instruction) {
  PhaseState& phase = block.phases[use.barrier][use.phase];
  ++phase.arrived;
  if (when >= phase.when) {
    phase.when = when;
    phase.last = instruction;
  }
  if (phase.arrived < block.job->trace->arrivals[use.barrier][use.phase]) return;
  std::vector<TimedWarp*> waiting;
  waiting.swap(phase.waiting);
  for (TimedWarp* w : waiting) wake(*w, phase.when, phase.last);
}

void Sm::State::wake(TimedWarp& warp, double when, std::uint32_t cause) {
  warp.parked = false;
  warp.wait(std::max(warp.ready, cycle_of(when)), warp.parked_stall, cause);
  Scheduler& s = schedulers[warp.scheduler];
  s.next = std::min(s.next, warp.ready);
}

void Sm::State::use_phases(TimedWarp& warp, const Request& request, double when, std::int64_t now,
                           std::uint32_t instruction, bool named) {
  BlockState& block = *warp.block;
  const BlockTrace& trace = *block.job->trace;
  const double latency = named ? machine.barrier.latency : machine.bulk.mbarrier;
  for (const PhaseUse& use : trace.phases_of(request)) {
    if (use.arrives) arrive(block, use, when + latency, instruction);
  }
  for (const PhaseUse& use : trace.phases_of(request)) {
    if (!use.waits) continue;
    PhaseState& phase = block.phases[use.barrier][use.phase];
    warp.parked_stall = named ? Stall::kBarrier : Stall::kLongScoreboard;
    if (phase.arrived >= trace.arrivals[use.barrier][use.phase]) {
      // Booked by prepare() of the next step, which starts from `ready`.
      warp.stores_done = std::max(warp.stores_done, 0.0);
      warp.parked = false;
      warp.ready = std::max(warp.ready, cycle_of(phase.when));
      warp.previous = instruction;
    } else {
      phase.waiting.push_back(&warp);
      warp.parked = true;
    }
  }
  (void)now;
}

// Sends the instruction on its way: when its result is there, and when its registers are read.
double Sm::State::execute(Scheduler& s, TimedWarp& warp, const TraceStep& step, const TimedOp& op,
                          std::int64_t now, double& operands) {
  const auto t = static_cast<double>(now);
  const double weight = warp.weight;
  const auto busy = [&](Resource r, double cycles) {
    result.busy[static_cast<std::size_t>(r)] += cycles * weight / machine.sm.schedulers;
  };
  const BlockTrace& trace = *warp.block->job->trace;
  const Request* request = step.request == kNoRequest ? nullptr : &trace.requests[step.request];
  busy(Resource::kIssue, 1);
  operands = t + 4;
  double done = t + op.latency;
  switch (op.unit) {
    case Unit::kFma: {
      double& heavy = s.unit[static_cast<std::size_t>(Unit::kFmaHeavy)];
      double& unit = machine.issue.fma_units > 1 && s.fma_lite < heavy ? s.fma_lite : heavy;
      unit = std::max(unit, t) + op.gap;
      busy(Resource::kFma, op.gap / machine.issue.fma_units);
      s.holder[static_cast<std::size_t>(Unit::kFmaHeavy)] = step.instruction;
      break;
    }
    case Unit::kXu: {
      double& unit = s.unit[static_cast<std::size_t>(Unit::kXu)];
      const double begin = std::max(unit, t);
      unit = begin + op.gap;
      s.mio.put(begin);
      s.holder[static_cast<std::size_t>(Unit::kXu)] = step.instruction;
      busy(op.resource, op.gap);
      operands = begin + 4;
      done = begin + op.latency;
      break;
    }
    case Unit::kLsu: {
      s.holder[static_cast<std::size_t>(Unit::kLsu)] = step.instruction;
      MemorySystem::Answer answer{t, t + 4, t + op.latency};
      const double sent = std::max(t, s.agu);
      if (op.kind == TimedOp::Kind::kMatrixLoad) {
        const unsigned passes = std::max<unsigned>(static_cast<unsigned>(op.gap),
                                                   request == nullptr ? 1 : request->wavefronts);
        answer = memory.shared(sent, passes, op.latency, weight);
      } else if (op.kind != TimedOp::Kind::kMemory) {
        answer = memory.shared(sent, 0, op.latency, weight);
        if (op.gap > machine.lsu.gap) answer.taken += op.gap - machine.lsu.gap;
      } else if (request == nullptr) {
        answer = memory.shared(sent, 0, machine.lsu.release, weight);
      } else if (request->kind == Request::Kind::kShared) {
        const bool atomic = request->atomic;
        const double passes = request->wavefronts +
                              (atomic ? (request->collisions - 1) * machine.shared.atomic_gap : 0);
        answer =
            memory.shared(sent, static_cast<unsigned>(std::max(1.0, passes)),
                          atomic ? machine.shared.atomic_latency : machine.shared.latency, weight);
        if (request->bytes > 4) answer.done += request->bytes == 8 ? 2 : 6;
      } else {
        answer = memory.access(sent, step.instruction, trace, *request, warp.asker, weight);
        if (request->store) warp.stores_done = std::max(warp.stores_done, answer.done);
        if (request->kind == Request::Kind::kCopy) {
          warp.copies_done = std::max(warp.copies_done, answer.done);
        }
      }
      s.agu = std::max(sent, answer.taken) + machine.lsu.issue_gap;
      (op.queue_global ? s.global : s.mio).put(answer.taken);
      operands = answer.operands;
      done = answer.done;
      if (request != nullptr) {
        InstructionCost& cost = account.costs()[step.instruction];
        cost.passes += weight * request->wavefronts;
        const double lanes = request->lanes;
        cost.ideal_passes += weight * std::max(1.0, std::ceil(lanes * request->bytes / kLineBytes));
      }
      break;
    }
    case Unit::kBulk: {
      if (request == nullptr) break;
      const MemorySystem::Answer answer =
          memory.bulk(t, step.instruction, trace, *request, warp.asker, weight);
      operands = answer.operands;
      done = answer.done;
      if (request->store) warp.stores_done = std::max(warp.stores_done, done);
      break;
    }
    case Unit::kNone:
      break;
    default: {
      double& unit = s.unit[static_cast<std::size_t>(op.unit)];
      const double begin = std::max(unit, t);
      unit = begin + op.gap;
      s.holder[static_cast<std::size_t>(op.unit)] = step.instruction;
      busy(op.resource, op.gap);
      done = begin + op.latency;
      if (op.kind == TimedOp::Kind::kProduct) {
        done = unit + op.latency;
        warp.products_done = std::max(warp.products_done, done);
        if (op.ends_products) {
          warp.group_done[warp.groups++ % kHistory] = warp.products_done;
        }
      }
    }
  }
  // Registers are read two at a time, one from each bank.
  if (op.unit != Unit::kNone && op.unit != Unit::kBulk) {
    for (unsigned b = 0; b < 2; ++b) {
      if (op.bank_reads[b] == 0) continue;
      s.bank[b] = std::max(s.bank[b], t) + op.bank_reads[b] / machine.issue.register_ports;
      if (s.bank[b] > t + kReadWindow) s.ports = std::max(s.ports, s.bank[b] - kReadWindow + 1);
    }
  }
  if (op.kind == TimedOp::Kind::kCopyCommit) done = std::max(t, warp.copies_done);
  if (op.kind == TimedOp::Kind::kMembar) done = std::max(t + op.latency, warp.stores_done);
  if (request != nullptr && request->phases != 0) {
    const bool named =
        request->kind == Request::Kind::kBarrier && op.resource == Resource::kBarrier;
    use_phases(warp, *request, request->kind == Request::Kind::kBulk ? done : t, now,
               step.instruction, named);
    busy(Resource::kBarrier, machine.barrier.gap);
  }
  return done;
}

void Sm::State::issue(Scheduler& s, TimedWarp& warp, std::int64_t now) {
  const TraceStep& step = warp.steps[warp.at];
  const TimedOp& op = code[step.instruction];
  ++result.replayed;
  book(s, warp, now);
  s.record.issued(now);
  s.last_issue = now;
  s.last = op.yield ? nullptr : &warp;
  warp.ready = now + 1;
  warp.parked = false;
  double operands = 0;
  const double done = execute(s, warp, step, op, now, operands);
  const std::int64_t released = warp.ready;  // by a barrier that was complete
  const auto set = [&](unsigned b, double when) {
    if (b >= kScoreboards) return;
    TimedWarp::Scoreboard& board = warp.scoreboards[b];
    if (when >= board.release) {
      board.release = when;
      board.cause = step.instruction;
      board.is_long = op.long_scoreboard;
    }
    board.upto[board.setters++ % kHistory] = board.release;
  };
  set(op.write_barrier, done);
  set(op.read_barrier, operands);
  const bool parked = warp.parked;
  warp.previous = step.instruction;
  if (!advance(warp)) {
    BlockState& block = *warp.block;
    block.stores_done = std::max(block.stores_done, warp.stores_done);
    block.times.weighted = std::max(block.times.weighted, warp.weighted);
    std::erase(s.warps, &warp);
    if (s.last == &warp) s.last = nullptr;
    if (--block.alive == 0) end_block(block, static_cast<double>(now + 1));
    return;
  }
  const std::uint32_t after = warp.steps[warp.at].instruction;
  prepare(warp, now, &op, op.kind == TimedOp::Kind::kBranch && after != step.instruction + 1u);
  if (op.kind == TimedOp::Kind::kMembar)
    warp.wait(cycle_of(done), Stall::kMembar, step.instruction);
  if (released > now + 1) warp.wait(released, warp.parked_stall, step.instruction);
  warp.parked = parked;
  if (!parked) s.next = std::min(s.next, std::max(now + 1, warp.ready));
}

// Nothing can issue any more: somebody waits for what the trace does not have.
bool Sm::State::release_somebody() {
  for (auto& block : blocks) {
    for (TimedWarp& warp : block->warps) {
      if (!warp.parked) continue;
      for (auto& phases : block->phases)
        for (PhaseState& phase : phases) std::erase(phase.waiting, &warp);
      wake(warp, static_cast<double>(warp.ready), Account::kNobody);
      ++result.released;
      return true;
    }
  }
  return false;
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
      if (!s.release_somebody()) break;
      continue;
    }
    s.look(*soonest);
  }
  return std::move(s.result);
}

}  // namespace burin
