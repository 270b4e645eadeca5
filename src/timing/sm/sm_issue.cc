// Sm: which warp a scheduler issues from, when, and why the others wait.
#include <algorithm>
#include <bit>
#include <utility>

#include "base/hash.h"
#include "timing/sm/sm_state.h"

namespace burin::timing {

// When a warp may issue at the target of a branch.
double Sm::State::branch_end(const TimedOp& op, double issued, const machine::Machine& own) {
  if (op.indirect) {
    return indirect_calls.take(issued, own.issue.indirect_gap) + own.issue.indirect;
  }
  return issued + (op.call ? own.issue.call : op.joins ? own.issue.rejoin : own.issue.branch);
}

// Computes when the warp may issue its current step, and records the reasons for the wait.
void Sm::State::prepare(TimedWarp& warp, std::int64_t now, const TimedOp* before, bool branched) {
  const std::uint32_t instruction = warp.steps[warp.at].instruction;
  const TimedOp& op = code[instruction];
  const machine::Machine& own = machines.of(instruction);
  const double issued = static_cast<double>(now) - warp.late;
  warp.stretch_count = 0;
  warp.ready = std::max(warp.from, now + 1);
  warp.exact = 0;
  if (before != nullptr) {
    warp.wait(issued + before->stall + warp.behind, launch::Stall::kWait, warp.previous);
    if (branched) {
      warp.wait(branch_end(*before, issued, machines.of(warp.previous)),
                launch::Stall::kBranchResolving, warp.previous);
    }
  }
  if (op.fetch_line != std::exchange(warp.line, op.fetch_line) && !op.fetched) {
    const double there =
        fetch.instruction(warp.scheduler, op.fetch_line, static_cast<double>(warp.ready), own);
    if (there > static_cast<double>(warp.ready)) {
      warp.wait(there, launch::Stall::kNoInstruction, instruction);
    }
  }
  if (op.constant != 0xffffffff) {
    const double there = fetch.constant(op.constant, static_cast<double>(now + 1), own);
    if (there > static_cast<double>(now + 1))
      warp.wait(there, launch::Stall::kImcMiss, instruction);
  }
  if (op.indexed_bank && warp.steps[warp.at].request != kNoRequest) {
    const Request& request = warp.block->job->trace->requests[warp.steps[warp.at].request];
    const auto line = static_cast<std::uint32_t>(
        ((std::uint64_t{*op.indexed_bank} << 16) + request.first_address) /
        static_cast<std::uint64_t>(own.constant.line));
    const double there =
        fetch.indexed_constant(warp.scheduler, line, static_cast<double>(now + 1), own);
    if (there > static_cast<double>(now + 1)) {
      warp.wait(there, launch::Stall::kImcMiss, instruction);
    }
  }
  if (op.kind == TimedOp::Kind::kExit) {
    warp.wait(warp.stores_sent, launch::Stall::kDrain, warp.stores_sent_by);
  }
  for (unsigned b = 0; b < kScoreboards; ++b) {
    if ((op.wait_mask >> b & 1) == 0) continue;
    const TimedWarp::Scoreboard& s = warp.scoreboards[b];
    warp.wait(s.release,
              s.is_long ? launch::Stall::kLongScoreboard : launch::Stall::kShortScoreboard, s.cause,
              s.step);
  }
  if (op.kind == TimedOp::Kind::kDepbar && op.scoreboard < kScoreboards) {
    const TimedWarp::Scoreboard& s = warp.scoreboards[op.scoreboard];
    if (s.setters > op.left) {
      const std::size_t last = (s.setters - 1 - op.left) % kHistory;
      warp.wait(s.upto[last],
                s.is_long ? launch::Stall::kLongScoreboard : launch::Stall::kShortScoreboard,
                s.upto_cause[last], s.step);
    }
  }
  if (op.kind == TimedOp::Kind::kProductWait && warp.groups > op.left) {
    const std::size_t last = (warp.groups - 1 - op.left) % kHistory;
    warp.wait(warp.group_done[last], launch::Stall::kGmma, warp.group_end[last]);
  }
}

launch::Stall Sm::State::throttle(const TimedOp& op) const {
  if (op.unit == Unit::kXu) return launch::Stall::kMioThrottle;
  if (op.unit == Unit::kLsu)
    return op.queue_global ? launch::Stall::kLgThrottle : launch::Stall::kMioThrottle;
  if (op.unit == Unit::kNone) return launch::Stall::kDispatch;
  return launch::Stall::kMathPipeThrottle;
}

std::uint32_t Sm::State::holder(const Scheduler& s, const TimedOp& op) const {
  return s.holder[static_cast<std::size_t>(shared_unit(op.unit))];
}

// A pseudo-random number for a warp and cycle, the same in every run.
static std::uint64_t draw(const WarpView& warp, std::int64_t cycle) {
  const std::uint64_t x = fibonacci_hash(warp.age) + static_cast<std::uint64_t>(cycle);
  return x * kSplitmixMultiplier >> 20 & 0x3ff;
}

// Whether the first warp's block is older. Warps of the same block are ordered randomly.
static bool older_block(const WarpView& one, const WarpView& other, std::int64_t cycle) {
  if (one.block == other.block) return draw(one, cycle) > draw(other, cycle);
  return one.block < other.block;
}

// Starts another stall of a ready warp at `now`, and adds its previous stall to the sums.
void Sm::State::mark(const Scheduler& s, TimedWarp& w, std::int64_t now, launch::Stall stall,
                     std::uint32_t cause) {
  if (!w.marked) {
    w.marked = true;
    w.mark = w.ready;
  } else if (now > w.mark) {
    TimedWarp::Sum& sum = w.sums[static_cast<std::size_t>(w.mark_stall)];
    sum.cycles += static_cast<double>(now - w.mark);
    if (s.last_issue >= w.mark) sum.active += 1;
    sum.cause = w.mark_cause;
    w.sums_used |= 1u << static_cast<unsigned>(w.mark_stall);
    w.mark = now;
  }
  w.mark_stall = stall;
  w.mark_cause = cause;
}

// Whether the policy prefers the first of two warps that could both issue.
bool Sm::State::is_better(const Scheduler& s, const WarpView& one, const WarpView& other,
                          std::int64_t now) const {
  if (machine.issue.policy == machine::IssuePolicy::kRoundRobin) {
    // The first warp after the one that issued last.
    const std::uint64_t last = s.last == nullptr ? 0 : s.last->age;
    return one.age - last - 1 < other.age - last - 1;
  }
  if (other.warp == s.last) return false;
  if (one.warp == s.last) return true;
  switch (machine.issue.policy) {
    case machine::IssuePolicy::kGreedyOldestBlock:
      return older_block(one, other, now);
    case machine::IssuePolicy::kGreedyAny:
      return draw(one, now) > draw(other, now);
    case machine::IssuePolicy::kGreedyYoungest:
      return one.age > other.age;
    default:
      return one.age < other.age;
  }
}

// Marks what each ready warp waits for: those that could issue for the warp that issues, the others
// for their units.
void Sm::State::mark_ready(Scheduler& s, std::int64_t now) {
  for (std::size_t g = 0; g < s.groups.size(); ++g) {
    const WarpGroup& group = s.groups[g];
    for (WarpBits left = group.ready; left != 0; left &= left - 1) {
      TimedWarp& w = *s.warps[g * kWarpBits + first_of(left)].warp;
      const TimedOp& op = code[w.steps[w.at].instruction];
      if (!w.marked) mark(s, w, w.ready, throttle(op), holder(s, op));
      if ((group.able & left & -left) == 0) {
        mark(s, w, now, throttle(op), holder(s, op));
      } else {
        mark(s, w, now, launch::Stall::kNotSelected, Account::kNobody);
      }
    }
  }
}

// Finds the warp that issues at s.next, if any, and sets the next cycle to examine.
void Sm::State::look(Scheduler& s) {
  const std::int64_t now = s.next;
  if (s.slot > static_cast<double>(now)) {
    if (options.attribute_stalls) {
      for (const WarpView& w : s.warps) {
        if (w.ready <= now) mark(s, *w.warp, now, launch::Stall::kDispatch, s.holds_slots);
      }
    }
    s.next = cycle_of(s.slot);
    return;
  }
  // If stalls are not recorded, the common case is that the same warp issues again, without a
  // search.
  if (!options.attribute_stalls && s.last != nullptr && s.warps[s.last->place].ready <= now &&
      machine.issue.policy != machine::IssuePolicy::kRoundRobin &&
      s.free[s.warps[s.last->place].port] <= static_cast<double>(now)) {
    s.next = now + 1;
    issue(s, *s.last, now);
    return;
  }
  s.find_ready(now);
  double soonest_free = 2 * kMaxCycle;  // of the units that the other ready warps wait for
  for (WarpGroup& group : s.groups) {
    group.able = 0;
    for (std::size_t port = 0; port < kPorts; ++port) {  // without branches: they are unpredictable
      const WarpBits there = group.ready & group.at_port[port];
      const bool taken = s.free[port] > static_cast<double>(now);
      group.able |= taken ? 0 : there;
      const double free = taken && there != 0 ? s.free[port] : soonest_free;
      soonest_free = std::min(soonest_free, free);
    }
  }
  if (options.attribute_stalls) mark_ready(s, now);
  s.next = s.next_ready;
  if (soonest_free < 2 * kMaxCycle) {
    s.next = std::min(s.next, std::max(now + 1, cycle_of(soonest_free)));
  }
  const std::size_t none = s.warps.size();
  std::size_t best = none;
  for (std::size_t g = 0; g < s.groups.size(); ++g) {
    for (WarpBits left = s.groups[g].able; left != 0; left &= left - 1) {
      const std::size_t place = g * kWarpBits + first_of(left);
      if (best == none || is_better(s, s.warps[place], s.warps[best], now)) best = place;
    }
  }
  if (best == none) return;
  s.groups[best / kWarpBits].able &= ~(WarpBits{1} << best % kWarpBits);
  std::uint32_t others = 0;  // ports of the warps that could issue, but for the best
  for (const WarpGroup& group : s.groups) {
    for (std::size_t port = 0; group.able != 0 && port < kPorts; ++port) {
      others |= std::uint32_t{(group.able & group.at_port[port]) != 0} << port;
    }
  }
  // What the others wait for may be another instruction's doing from the next cycle on.
  if (options.attribute_stalls) s.next = now + 1;
  issue(s, *s.warps[best].warp, now);
  // They need not be looked at before there is room for them.
  for (; others != 0; others &= others - 1) {
    const double free = s.free[static_cast<std::size_t>(std::countr_zero(others))];
    s.next = std::min(s.next, std::max(now + 1, cycle_of(free)));
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
    if (options.timeline != nullptr) record_interval(warp, at, until, stretch.stall, stretch.cause);
    at = until;
  }
  for (unsigned bits = warp.sums_used; bits != 0; bits &= bits - 1) {
    const auto k = static_cast<std::size_t>(__builtin_ctz(bits));
    TimedWarp::Sum& sum = warp.sums[k];
    account.stall(step.instruction, static_cast<launch::Stall>(k), sum.cycles, sum.active,
                  sum.cause, warp.weight);
    const auto cycles = static_cast<std::int64_t>(sum.cycles);
    if (options.timeline != nullptr) {
      record_interval(warp, at, at + cycles, static_cast<launch::Stall>(k), sum.cause);
    }
    at += cycles;
    sum = {};
  }
  // The remainder has no known reason; it should be empty.
  if (at < now) {
    account.stall(step.instruction, launch::Stall::kMisc, static_cast<double>(now - at), 0,
                  Account::kNobody, warp.weight);
  }
  warp.sums_used = 0;
  warp.marked = false;
  account.issue(step.instruction, warp.weight);
  if (options.timeline != nullptr) record_interval(warp, now, now + 1, {}, Account::kNobody, true);
  const double cycles = static_cast<double>(now + 1 - warp.from) * warp.weight;
  if (step.unknown != 0) account.unknown(step.instruction, cycles);
}

void Sm::State::record_interval(const TimedWarp& warp, std::int64_t from, std::int64_t until,
                                launch::Stall stall, std::uint32_t cause, bool is_issue) {
  options.timeline->add({.from = from,
                         .until = until,
                         .warp = static_cast<std::uint32_t>(warp.age),
                         .instruction = warp.steps[warp.at].instruction,
                         .cause = cause,
                         .stall = stall,
                         .scheduler = static_cast<std::uint8_t>(warp.scheduler),
                         .is_issue = is_issue});
}

// The last reason for the delay of the instruction: the warp's own last wait or, if it was ready
// earlier, the busy unit or the scheduler that issued from another warp.
void Sm::State::record_step(Scheduler& s, TimedWarp& warp, const TimedOp& op, std::int64_t now) {
  const auto unit = static_cast<std::size_t>(shared_unit(op.unit));
  PathStep path{.at = now,
                .instruction = warp.steps[warp.at].instruction,
                .before = warp.step,
                .stall = launch::Stall::kWait,
                .weight = static_cast<float>(warp.weight)};
  if (now > warp.ready) {
    const bool taken = cycle_of(s.free[port_of(op)]) == now && op.unit != Unit::kNone;
    const bool read = cycle_of(s.slot) == now;
    path.stall = taken  ? throttle(op)
                 : read ? launch::Stall::kDispatch
                        : launch::Stall::kNotSelected;
    path.before = taken ? s.holder_step[unit] : s.step;
  } else if (warp.stretch_count > 0) {
    const Stretch& last = warp.stretches[warp.stretch_count - 1];
    path.stall = last.stall;
    path.before = last.step;
  }
  path_now = static_cast<std::uint32_t>(options.path->size());
  options.path->push_back(path);
  warp.step = s.step = s.holder_step[unit] = path_now;
}

void Sm::State::issue(Scheduler& s, TimedWarp& warp, std::int64_t now) {
  const TraceStep& step = warp.steps[warp.at];
  const TimedOp& op = code[step.instruction];
  ++result.replayed;
  if (options.attribute_stalls) {
    book(s, warp, now);
    s.record.issued(now);
  }
  warp.from = now + 1;
  const auto bin = static_cast<std::size_t>(now / kBin);
  if (bin >= bins.size()) bins.resize(bin + 1);
  bins[bin].issued += 1;
  bins[bin].weight += warp.weight;
  if (options.path != nullptr) record_step(s, warp, op, now);
  const double could = std::max({warp.exact, s.free[port_of(op)], s.slot});
  const auto cycle = static_cast<double>(now);
  warp.late = could > cycle - 1 ? cycle - could : 0;
  s.slot = cycle - warp.late + op.slots;
  s.last_issue = now;
  if (op.slots > 1) s.holds_slots = step.instruction;
  s.last = op.yield ? nullptr : &warp;
  warp.ready = now + 1;
  warp.parked = false;
  warp.released = 0;
  double operands = 0;
  const double done = execute(s, warp, step, op, cycle - warp.late, operands);
  // Register banks may lag a little; beyond that, nothing issues past an instruction that waits for
  // its operands.
  const double read = *std::ranges::max_element(s.reading) - machine.issue.register_slack;
  if (read > s.slot) {
    s.slot = read;
    s.holds_slots = s.reader;
  }
  const double released = warp.released;
  const auto set = [&](unsigned b, double when) {
    if (b >= kScoreboards) return;
    TimedWarp::Scoreboard& board = warp.scoreboards[b];
    if (when >= board.release) {
      board.release = when;
      board.cause = step.instruction;
      board.step = warp.step;
      board.is_long = op.long_scoreboard;
    }
    const std::size_t place = board.setters++ % kHistory;
    board.upto[place] = board.release;
    board.upto_cause[place] = board.cause;
  };
  set(op.write_barrier, done);
  set(op.read_barrier, operands);
  const bool parked = warp.parked;
  warp.previous = step.instruction;
  const double weight = warp.weight;
  const std::size_t section = warp.section;
  const bool goes_on = advance(warp);
  if (warp.section != section) {
    result.warp_cycles += static_cast<double>(now + 1 - warp.since) * weight;
    warp.since = now + 1;
  }
  if (!goes_on) {
    BlockState& block = *warp.block;
    block.stores_done = std::max(block.stores_done, warp.stores_done);
    s.remove(warp);
    if (s.last == &warp) s.last = nullptr;
    if (--block.alive == 0) end_block(block, static_cast<double>(now + 1));
    fill_places(static_cast<double>(now + 1));
    return;
  }
  prepare(warp, now, &op, op.kind == TimedOp::Kind::kBranch && warp.after != step.instruction + 1u);
  if (op.kind == TimedOp::Kind::kMembar) warp.wait(done, launch::Stall::kMembar, step.instruction);
  if (released > cycle + 1) {
    warp.wait(released, warp.parked_stall, step.instruction, warp.released_by);
  }
  warp.parked = parked;
  note_next(warp);
  if (!parked) s.next = std::min(s.next, std::max(now + 1, warp.ready));
}

}  // namespace burin::timing
