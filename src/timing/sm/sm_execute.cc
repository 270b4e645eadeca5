// The effects of an issue: the unit or queue that the instruction takes, when its result is ready,
// and which warps it releases.
#include "timing/sm/sm_state.h"

namespace burin::timing {

void Sm::State::arrive(BlockState& block, const PhaseUse& use, double when,
                       std::uint32_t instruction) {
  PhaseState& phase = block.phases[use.barrier][use.phase];
  ++phase.arrived;
  if (when >= phase.when) {
    phase.when = when;
    phase.last = instruction;
    phase.step = path_now;
  }
  if (phase.arrived < block.job->trace->arrivals[use.barrier][use.phase]) return;
  std::vector<TimedWarp*> waiting;
  waiting.swap(phase.waiting);
  for (TimedWarp* w : waiting) wake(*w, phase.when, phase.last, phase.step);
}

void Sm::State::wake(TimedWarp& warp, double when, std::uint32_t cause, std::uint32_t due) {
  warp.parked = false;
  warp.wait(when, warp.parked_stall, cause, due);
  Scheduler& s = schedulers[warp.scheduler];
  note_next(warp);
  s.next = std::min(s.next, warp.ready);
}

void Sm::State::use_phases(TimedWarp& warp, const Request& request, double when,
                           std::uint32_t instruction, bool named) {
  BlockState& block = *warp.block;
  const BlockTrace& trace = *block.job->trace;
  const machine::Machine& own = machines.of(instruction);
  const double latency = code[instruction].cluster_barrier ? own.cluster.barrier
                         : named                           ? own.barrier.latency
                                                           : own.bulk.mbarrier;
  // Arrivals are registered one warp at a time.
  if (named && !code[instruction].cluster_barrier) {
    when =
        barriers.take(when, code[instruction].any_barrier ? own.barrier.any_gap : own.barrier.gap);
  }
  const auto uses = trace.phases_of(request);
  double there = when;
  if (request.kind != Request::Kind::kBulk &&
      std::ranges::any_of(uses, [](const PhaseUse& use) { return use.remote; })) {
    // A cluster barrier is an arrival and a release; each takes half of its latency.
    there = memory.remote_arrival(when, instruction, warp.weight) + own.cluster.barrier / 2;
  }
  for (const PhaseUse& use : uses) {
    if (use.arrives) arrive(block, use, (use.remote ? there : when) + latency, instruction);
  }
  for (const PhaseUse& use : trace.phases_of(request)) {
    if (!use.waits || code[instruction].unguarded) continue;
    PhaseState& phase = block.phases[use.barrier][use.phase];
    warp.parked_stall = named ? launch::Stall::kBarrier : launch::Stall::kLongScoreboard;
    if (phase.arrived >= trace.arrivals[use.barrier][use.phase]) {
      // issue() attributes it, after the waits of the next step.
      warp.parked = false;
      warp.released = std::max(warp.released, phase.when);
      warp.released_by = phase.step;
    } else {
      phase.waiting.push_back(&warp);
      warp.parked = true;
    }
  }
}

void Sm::State::sleep(TimedWarp& warp, const Request& request, double t) const {
  constexpr double kNanosecondsPerMicrosecond = 1000;
  warp.parked_stall = launch::Stall::kSleeping;
  warp.released = t + request.sleep_cycles +
                  request.sleep_ns * machine.sm.clock_mhz / kNanosecondsPerMicrosecond;
  warp.released_by = path_now;
}

void Sm::State::busy(machine::Resource resource, double cycles, double weight) {
  result.busy[static_cast<std::size_t>(resource)] += cycles * weight / machine.sm.schedulers;
}

// An FP32 instruction, which either of two units can execute.
void Sm::State::take_fma(const Issued& i) {
  Scheduler& s = i.scheduler;
  double& heavy = s.free[static_cast<std::size_t>(Unit::kFmaHeavy)];
  // If both are free, the unit without other work is used.
  const bool lite = machine.issue.fma_units > 1 && s.fma_lite <= std::max(heavy, i.t);
  double& unit = lite ? s.fma_lite : heavy;
  unit = std::max(unit, i.t) + i.op.gap;
  s.settle_fma(machine.issue.fma_units > 1);
  busy(machine::Resource::kFma, i.op.gap / machine.issue.fma_units, i.warp.weight);
  s.holder[static_cast<std::size_t>(Unit::kFmaHeavy)] = i.step.instruction;
}

namespace {

// Additional passes from bank conflicts are slower for one warp than the SM's pass rate: passes of
// other warps fit in between, and the warp's own next access waits.
void wait_for_conflicts(const Request& request, const machine::Machine& machine,
                        MemorySystem::Answer& answer, double& free) {
  const unsigned needed = (request.lanes * request.bytes + kLineBytes - 1) / kLineBytes;
  const double pass = kLineBytes / machine.shared.bandwidth;
  const double slower = std::max(0.0, machine.shared.conflict_latency - pass);
  const double conflicts = request.wavefronts > needed ? request.wavefronts - needed : 0;
  const double late = std::max(0.0, free - answer.taken) + conflicts * slower;
  answer.done += late;
  free = answer.sent + late;
}

}  // namespace

// When the memory system has accepted a request of the LSU, and when its data is ready.
MemorySystem::Answer Sm::State::ask_memory(const Issued& i, double sent) {
  const TimedOp& op = i.op;
  const Request* request = i.request;
  const machine::Machine& own = i.own;
  TimedWarp& warp = i.warp;
  const std::uint32_t instruction = i.step.instruction;
  const double weight = warp.weight;
  if (op.kind == TimedOp::Kind::kMatrixLoad) {
    const unsigned passes = std::max<unsigned>(static_cast<unsigned>(op.gap),
                                               request == nullptr ? 1 : request->wavefronts);
    return memory.shared(sent, instruction, passes, op.latency, weight);
  }
  if (op.timing_class == machine::TimingClass::kConstantLoad) {
    return memory.constant(sent, instruction, request == nullptr ? 1 : request->wavefronts, weight);
  }
  if (op.kind != TimedOp::Kind::kMemory) {
    MemorySystem::Answer answer = memory.shared(sent, instruction, 0, op.latency, weight);
    if (op.gap > own.lsu.gap) answer.taken += op.gap - own.lsu.gap;
    return answer;
  }
  if (request == nullptr || request->kind == Request::Kind::kFence) {
    return memory.shared(sent, instruction, 0, own.lsu.release, weight);
  }
  if (request->kind == Request::Kind::kShared && request->remote != 0) {
    const MemorySystem::Answer answer =
        memory.remote_shared(sent, instruction, request->remote, weight);
    if (request->store && !request->returns) {
      warp.stores_done = std::max(warp.stores_done, answer.done);
    }
    return answer;
  }
  if (request->kind == Request::Kind::kShared) {
    const bool atomic = request->atomic;
    const double passes =
        request->wavefronts + (atomic ? (request->collisions - 1) * own.shared.atomic_gap : 0);
    MemorySystem::Answer answer =
        memory.shared(sent, instruction, static_cast<unsigned>(std::max(1.0, passes)),
                      atomic ? own.shared.atomic_latency : own.shared.latency, weight);
    answer.done += writeback_cycles(request->bytes, own);
    wait_for_conflicts(*request, own, answer, warp.shared_free);
    return answer;
  }
  const MemorySystem::Answer answer =
      memory.access(sent, {instruction, i.trace, *request, warp.requester}, weight);
  warp.touched = true;
  if (request->store) {
    warp.stores_done = std::max(warp.stores_done, answer.done);
    if (answer.sent > warp.stores_sent) {
      warp.stores_sent = answer.sent;
      warp.stores_sent_by = instruction;
    }
  }
  if (request->kind == Request::Kind::kCopy) {
    warp.copies_done = std::max(warp.copies_done, op.hidden ? i.t : answer.done);
  }
  return answer;
}

double Sm::State::use_lsu(const Issued& i, double& operands) {
  Scheduler& s = i.scheduler;
  s.holder[static_cast<std::size_t>(Unit::kLsu)] = i.step.instruction;
  const double sent = std::max(i.t, s.agu);
  const MemorySystem::Answer answer = ask_memory(i, sent);
  s.agu = sent + i.own.lsu.issue_gap;
  operands = answer.operands;
  if (i.op.queue_global) {
    // Registers are read on the way into the second of two queues, which holds addresses.
    const double held = std::max(0.0, machine.lsu.global_queue - machine.lsu.queue);
    operands += std::max(sent, s.global.before(held)) - answer.taken;
  }
  Queue& queue = i.op.queue_global ? s.global : s.mio;
  queue.put(answer.taken);
  s.free[port_of(i.op)] = queue.free();
  if (i.request != nullptr) {
    InstructionCost& cost = account.costs()[i.step.instruction];
    const double weight = i.warp.weight;
    cost.passes += weight * i.request->wavefronts;
    const double lanes = i.request->lanes;
    cost.ideal_passes += weight * std::max(1.0, std::ceil(lanes * i.request->bytes / kLineBytes));
    cost.padded_passes += weight * i.request->padded_wavefronts;
  }
  return answer.done;
}

// MATCH: values of all warps of the SM are processed one after another.
double Sm::State::match(const Issued& i, double& operands) {
  const double values = std::max<double>(1, i.request->wavefronts);
  const double begin = matches.take(i.t, values * i.own.lsu.match_gap);
  i.scheduler.free[static_cast<std::size_t>(Unit::kXu)] = begin;
  i.scheduler.holder[static_cast<std::size_t>(Unit::kXu)] = i.step.instruction;
  busy(machine::Resource::kLsu, values * i.own.lsu.match_gap * machine.sm.schedulers,
       i.warp.weight);
  operands = begin + i.own.issue.release;
  return begin + i.own.lsu.match_latency + values * i.own.lsu.match_value;
}

// A unit that accepts one instruction at a time.
double Sm::State::take_unit(const Issued& i) {
  const TimedOp& op = i.op;
  double& unit = i.scheduler.free[static_cast<std::size_t>(op.unit)];
  const double begin = std::max(unit, i.t);
  unit = begin + op.gap;
  if (op.unit == Unit::kFmaHeavy) i.scheduler.settle_fma(machine.issue.fma_units > 1);
  i.scheduler.holder[static_cast<std::size_t>(op.unit)] = i.step.instruction;
  // It uses only one of the FP32 units.
  busy(op.resource, op.unit == Unit::kFmaHeavy ? op.gap / machine.issue.fma_units : op.gap,
       i.warp.weight);
  if (op.kind != TimedOp::Kind::kProduct) return begin + op.latency;
  TimedWarp& warp = i.warp;
  const double done = unit + op.latency;
  warp.products_done = std::max(warp.products_done, op.hidden ? i.t : done);
  if (op.ends_products) {
    warp.group_end[warp.groups % kHistory] = i.step.instruction;
    warp.group_done[warp.groups++ % kHistory] = warp.products_done;
  }
  return done;
}

// Each bank delivers one register at a time, independently of the other.
// The operand reuse cache is lost when another warp issues.
void Sm::State::read_registers(const Issued& i) {
  Scheduler& s = i.scheduler;
  TimedWarp& warp = i.warp;
  warp.behind = 0;
  for (std::size_t b = 0; b < s.reading.size(); ++b) {
    if (i.op.bank_reads[b] != 0) warp.behind = std::max(warp.behind, s.reading[b] - i.t);
    const int reads = i.op.bank_reads[b] - (s.warp == &warp ? i.op.reused[b] : 0);
    if (reads > 1) s.reader = i.step.instruction;
    s.reading[b] = std::max(s.reading[b], i.t) + reads / machine.issue.register_ports;
  }
  s.warp = &warp;
}

// A fence checks all requests of the warp, whether or not they have completed. Delayed stores delay
// the fence as well.
double Sm::State::fence(const Issued& i) {
  TimedWarp& warp = i.warp;
  const double cycles = warp.touched ? i.own.l2.fence_used : i.own.l2.fence;
  const double begin =
      std::max(fences.take(i.t, i.own.l2.fence_gap), warp.stores_done - i.own.l2.latency);
  warp.touched = false;
  return begin + cycles;
}

// Executes the instruction: sets when its result is ready and when its registers have been read.
double Sm::State::execute(Scheduler& s, TimedWarp& warp, const TraceStep& step, const TimedOp& op,
                          double t, double& operands) {
  const machine::Machine& own = machines.of(step.instruction);
  const BlockTrace& trace = *warp.block->job->trace;
  const Request* request = step.request == kNoRequest ? nullptr : &trace.requests[step.request];
  const Issued issued{s, warp, step, op, own, trace, request, t};
  busy(machine::Resource::kIssue, op.slots, warp.weight);
  operands = t + own.issue.release;
  double done = t + op.latency;
  switch (op.unit) {
    case Unit::kFma:
      take_fma(issued);
      break;
    case Unit::kFmaBoth:
      s.free[static_cast<std::size_t>(Unit::kFmaHeavy)] = s.fma_lite = t + op.gap;
      s.settle_fma(machine.issue.fma_units > 1);
      busy(machine::Resource::kFma, op.gap, warp.weight);
      s.holder[static_cast<std::size_t>(Unit::kFmaHeavy)] = step.instruction;
      break;
    case Unit::kLsu:
      done = use_lsu(issued, operands);
      break;
    case Unit::kBulk: {
      if (request == nullptr) break;
      const MemorySystem::Answer answer =
          memory.bulk(t, {step.instruction, trace, *request, warp.requester}, warp.weight);
      operands = answer.operands;
      done = answer.done;
      if (request->store) warp.stores_done = std::max(warp.stores_done, done);
      break;
    }
    case Unit::kNone:
      break;
    case Unit::kXu:
      if (request != nullptr && request->kind == Request::Kind::kMatch) {
        done = match(issued, operands);
        break;
      }
      [[fallthrough]];
    default:
      done = take_unit(issued);
  }
  read_registers(issued);
  if (op.kind == TimedOp::Kind::kCopyCommit) done = std::max(t, warp.copies_done);
  if (op.reads_barrier) done = barriers.take(t, own.barrier.gap) + op.latency;
  if (op.fence && request != nullptr) done = fence(issued);
  if (op.empties_l1 && request != nullptr) memory.forget_l1();
  if (request != nullptr && request->kind == Request::Kind::kSleep) sleep(warp, *request, t);
  if (op.hidden) done = t;
  if (op.earlier > 0) done = std::max(std::min(t, done), done - op.earlier);
  if (request != nullptr && request->phases != 0) {
    use_phases(warp, *request, request->kind == Request::Kind::kBulk ? done : t, step.instruction,
               op.block_barrier);
    busy(machine::Resource::kBarrier, own.barrier.gap, warp.weight);
  }
  return done;
}

}  // namespace burin::timing
