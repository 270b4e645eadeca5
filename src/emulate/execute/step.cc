#include "emulate/execute/step.h"

#include <bit>

#include "emulate/state/barrier.h"
#include "emulate/state/block.h"
#include "emulate/state/split.h"
#include "emulate/state/unknown.h"

namespace burin::emulate {

namespace {

// All lanes are the common case; without the processor's own instruction, counting is a call.
std::uint64_t count_lanes(Mask lanes) {
  return lanes == kAllLanes ? kWarpLanes : static_cast<std::uint64_t>(std::popcount(lanes));
}

void count(Warp& warp, Tally& tally) {
  InstructionCount& c = tally.counts[warp.pc];
  ++c.warps;
  // The uniform datapath works for the lanes that are here.
  c.lanes += count_lanes(warp.exec & warp.active);
  if (warp.active != warp.live) ++c.divergent;
  if ((warp.doubtful | warp.forked) != 0) [[unlikely]] {
    if (warp.forked != 0) ++tally.unknown.instructions;
    if (warp.doubtful != 0) ++tally.unknown.guards;
  }
  for (unsigned k = 0; k < warp.access_count; ++k) {
    const Access& access = warp.accesses[k];
    if (access.store && !access.atomic) tally.stored = tally.wrote = true;
    if (access.unknown == 0) continue;
    const std::uint64_t lanes = count_lanes(access.unknown);
    tally.unknown.accesses += lanes;
    if (access.store) tally.unknown.stores += lanes;
  }
}

}  // namespace

StepResult step(Warp& warp, Tally& tally, Listener* listener) {
  if (warp.splits.empty()) return StepResult::kEnded;
  if (warp.splits[warp.current].state != Split::State::kReady && !next_split(warp)) {
    return StepResult::kWaiting;
  }
  Split* split = &warp.splits[warp.current];
  if (split->uniform != nullptr) [[unlikely]]
    take_back_uniform(warp);
  while (!split->forks.empty() && split->pc == split->forks.back().join) [[unlikely]] {
    join_side(warp);
  }
  if (split->pc >= warp.program->ops.size()) {
    warp.pc = split->pc - 1;
    warp.refuse("the code ends after it");
    return StepResult::kWaiting;
  }
  const Op& op = warp.program->ops[split->pc];
  const Mask guard = warp.predicates[op.guard] ^ op.guard_flip;
  const Mask doubt = warp.predicate_unknown[op.guard];
  warp.pc = split->pc;
  warp.next_pc = split->pc + 1;
  warp.active = split->lanes;
  warp.exec = (op.uniform ? kAllLanes : split->lanes) & (guard | doubt);
  warp.doubtful = warp.exec & doubt;
  warp.forked = split->forks.empty() ? 0 : warp.exec | warp.active;
  warp.taken = 0;
  warp.retry = false;
  warp.moved = false;
  warp.access_count = 0;
  warp.slept = 0;
  const Mask live = warp.live;
  if (warp.exec != 0 || op.always) op.execute(warp, op);
  if (warp.retry) {
    warp.splits[warp.current].state = Split::State::kRetry;
    // Lanes that wait for others of their own warp must let them run.
    return give_way(warp) ? step(warp, tally, listener) : StepResult::kWaiting;
  }
  if (!warp.moved) warp.splits[warp.current].pc = warp.next_pc;
  const Mask now = warp.live;
  warp.live = live;  // counted as it was when the instruction began
  count(warp, tally);
  warp.live = now;
  if (listener != nullptr) {
    listener->executed({.warp = &warp,
                        .instruction = warp.pc,
                        .active = warp.active,
                        .exec = warp.exec,
                        .taken = warp.taken,
                        .access_count = warp.access_count,
                        .accesses = warp.accesses.data()});
    warp.copied.clear();
    warp.changed.clear();
  }
  if (warp.live != live) check_barriers(*warp.block);
  if (warp.yielded) {
    warp.yielded = false;
    if (!warp.splits.empty()) next_split(warp);
  }
  return warp.splits.empty() ? StepResult::kEnded : StepResult::kRan;
}

void wake(Warp& warp) {
  for (Split& s : warp.splits)
    if (s.state == Split::State::kRetry) s.state = Split::State::kReady;
}

}  // namespace burin::emulate
