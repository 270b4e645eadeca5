// BAR and its results: the numbered barriers of a block.
//
// Threads are counted, not warps. A barrier without a count is complete when every thread of the
// block that has not ended has arrived; with a count, when that many have arrived. A complete warp
// counts as 32 threads, as in hardware also for the last, partial warp.
#include "emulate/state/barrier.h"

#include <bit>

#include "emulate/state/block.h"
#include "emulate/state/grid.h"
#include "emulate/state/lower.h"
#include "emulate/state/split.h"
#include "emulate/state/warp.h"

namespace burin::emulate {

namespace {

enum BarrierUse : std::uint8_t { kSync, kArrive, kReduce };
enum BarrierResult : std::uint8_t { kPopulation, kAnd, kOr };

std::uint32_t live_threads(const Block& block) {
  std::uint32_t live = 0;
  for (const auto& warp : block.warps)
    live += static_cast<std::uint32_t>(std::popcount(warp->live));
  return live;
}

bool complete(const Block& block, const NamedBarrier& barrier) {
  if (barrier.arrived == 0) return false;
  return barrier.expected != 0 ? barrier.counted >= barrier.expected
                               : barrier.arrived >= live_threads(block);
}

std::uint32_t result_of(const NamedBarrier& barrier) {
  switch (barrier.reduction) {
    case kAnd:
      return barrier.population == barrier.arrived ? 1 : 0;
    case kOr:
      return barrier.population != 0 ? 1 : 0;
    default:
      return barrier.population;
  }
}

void open(Block& block, std::uint8_t number) {
  NamedBarrier& barrier = block.barriers[number];
  for (const auto& warp : block.warps) {  // who has ended counts as having come
    if (warp->live == 0 && barrier.expected == 0) barrier.clock[warp->index] = kEndedClock;
  }
  for (const auto& warp : block.warps) {
    bool waited = false;
    for (Split& split : warp->splits) {
      if (split.state != Split::State::kBarrier || split.target != number) continue;
      split.state = Split::State::kReady;
      ++split.pc;
      waited = true;
    }
    if (!waited) continue;
    warp->barrier_result = result_of(barrier);
    warp->barrier_result_unknown = barrier.unknown;
    join(warp->clock, barrier.clock);
    ++warp->clock[warp->index % warp->clock.size()];
  }
  barrier = {};
}

// source[0]: the number; source[1]: the count, where mode[3] says so; mode[0]
// BarrierUse, mode[1] BarrierResult, mode[2]: both are packed in source[0], the count from bit 16
// up.
void execute_bar(Warp& warp, const Op& op) {
  const auto lane = static_cast<unsigned>(std::countr_zero(warp.exec));
  if (((warp.unknown_of(op.source[0]) | warp.unknown_of(op.source[1])) & warp.exec) != 0) {
    return warp.refuse("the barrier number or thread count is Unknown");
  }
  Block& block = *warp.block;
  const std::uint32_t first = warp.plain(op.source[0])[lane];
  const auto number = static_cast<std::uint8_t>(first & 0xf);
  std::uint32_t count = op.mode[3] != 0 ? warp.plain(op.source[1])[lane] : 0;
  if (op.mode[2] != 0) count = first >> 16 & 0xfff;
  isolate(warp);
  const Mask lanes = warp.splits[warp.current].lanes;
  if (lanes != warp.live || warp.splits[warp.current].missed) {
    warp.fault(Fault::Kind::kBarrierDivergence, lane, number, 0,
               "the warp is diverged at the barrier");
  }
  warp.splits[warp.current].missed = false;
  NamedBarrier& barrier = block.barriers[number];
  const auto came = static_cast<std::uint32_t>(std::popcount(lanes));
  barrier.arrived += came;
  barrier.counted += lanes == warp.live ? kWarpLanes : came;
  barrier.expected = count;
  barrier.reduction = op.mode[1];
  barrier.population +=
      static_cast<std::uint32_t>(std::popcount(lanes & warp.get(op.predicate_in[0])));
  if ((lanes & warp.unknown_of(op.predicate_in[0])) != 0) barrier.unknown = true;
  join(barrier.clock, warp.clock);
  Split& here = warp.splits[warp.current];
  warp.moved = true;
  if (op.mode[0] == kArrive) {
    here.pc = warp.pc + 1;
    ++warp.clock[warp.index % warp.clock.size()];
  } else {
    here.pc = warp.pc;
    here.state = Split::State::kBarrier;
    here.target = number;
  }
  const bool over = complete(block, barrier);
  if (block.grid->heard) {
    warp.changed.push_back({.rank = PhaseChange::kNumbered,
                            .address = number,
                            .completes = over,
                            .first = barrier.arrived == came,
                            .waits = op.mode[0] != kArrive});
  }
  if (over) open(block, number);
}

// What the last BAR.RED gave: the number or truth in a register, the truth in a predicate.
void execute_b2r(Warp& warp, const Op& op) {
  Lanes out;
  for (std::uint32_t& value : out.lane) value = warp.barrier_result;
  const Mask unknown = warp.barrier_result_unknown ? kAllLanes : 0;
  warp.set(op.destination[0], out, unknown);
  warp.set_predicate(op.predicate_out[0], warp.barrier_result != 0 ? kAllLanes : 0, unknown);
}

bool lower_bar(Lowering& l, const read::Instruction& i, Op& op) {
  const std::string_view mode = i.modifier("mode");
  if (mode == "SCAN") return false;
  op.mode[0] = mode == "ARV" ? kArrive : mode == "RED" ? kReduce : kSync;
  const std::string_view logic = i.modifier("logic");
  op.mode[1] = logic == "AND" ? kAnd : logic == "OR" ? kOr : kPopulation;
  const read::Operand* number = nullptr;
  for (const read::Operand& o : i.operands()) {
    if (o.is_register(read::RegisterFile::kPredicate)) {
      op.predicate_in[0] = l.predicate(o);
    } else if (number == nullptr) {
      number = &o;
      op.source[0] = l.source(o);
    } else {
      op.mode[2] =
          o.kind == read::Operand::Kind::kRegister && number->kind == read::Operand::Kind::kRegister
              ? 1
              : 0;
      op.mode[3] = 1;
      op.source[1] = l.source(o);
    }
  }
  op.execute = execute_bar;
  return number != nullptr;
}

bool lower_b2r(Lowering& l, const read::Instruction& i, Op& op) {
  bool result = false;
  for (const read::Modifier& m : i.modifiers()) result = result || m.text == "RESULT";
  for (const read::Operand& o : i.operands()) {
    if (o.is_register(read::RegisterFile::kGeneral)) op.destination[0] = l.destination(o);
    if (o.is_register(read::RegisterFile::kPredicate)) {
      op.predicate_out[0] = l.predicate_destination(o);
    }
  }
  op.execute = execute_b2r;
  return result;
}

}  // namespace

void check_barriers(Block& block) {
  for (std::size_t number = 0; number < block.barriers.size(); ++number)
    if (complete(block, block.barriers[number])) open(block, static_cast<std::uint8_t>(number));
}

std::span<const LowerRow> barrier_rows() {
  static constexpr LowerRow kRows[] = {
      {"BAR", lower_bar},
      {"B2R", lower_b2r},
  };
  return kRows;
}

}  // namespace burin::emulate
