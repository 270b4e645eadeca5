// Branches, calls, exits and convergence.
#include <algorithm>
#include <bit>
#include <string>
#include <vector>

#include "base/text.h"
#include "emulate/execute/call_system.h"
#include "emulate/state/block.h"
#include "emulate/state/clock_wait.h"
#include "emulate/state/grid.h"
#include "emulate/state/lower.h"
#include "emulate/state/split.h"
#include "emulate/state/system_calls.h"
#include "emulate/state/unknown.h"
#include "emulate/state/warp.h"
#include "emulate/values/run_counts.h"

namespace burin::emulate {

namespace {

enum BranchIf : std::uint8_t { kAlways, kDivergent, kConvergent, kAnyLane };

// mode[0]: BranchIf; predicate_in[0]: a condition beside the guard; offset: the target.
void execute_branch(Warp& warp, const Op& op) {
  Mask taken = warp.exec & warp.get(op.predicate_in[0]);
  Mask unknown = warp.exec & (warp.doubtful | warp.unknown_of(op.predicate_in[0]));
  switch (op.mode[0]) {
    case kDivergent:
      if ((warp.plain(op.source[0])[0] & warp.live & ~warp.active) == 0) taken = 0;
      break;
    case kConvergent:
      if ((warp.plain(op.source[0])[0] & warp.live & ~warp.active) != 0) taken = 0;
      break;
    case kAnyLane:
      if (taken != 0) taken = warp.exec;
      break;
    default:
      break;
  }
  const auto target = static_cast<std::uint32_t>(op.offset);
  if (unknown != 0) {
    branch_on_unknown(warp, taken & ~unknown, unknown, target);
    return;
  }
  warp.taken = taken;
  if (taken == warp.active) {
    warp.next_pc = target;
  } else if (taken != 0) {
    part(warp, taken, target);
  }
}

// "; the module calls cudaGetParameterBufferV2, which …": the likely reason for an Unknown target.
std::string outside_functions(const read::Kernel& kernel) {
  std::vector<std::string> names;
  for (const read::AddressSlot& slot : kernel.image->addresses)
    if (slot.target == read::AddressSlot::Target::kOutside && !system_call_named(slot.symbol)) {
      names.emplace_back(slot.symbol);
    }
  if (names.empty()) return "";
  return "; the module calls " + list_of(names, 4) + ", which burin does not support";
}

// To where each lane's register says. Lanes with the same target go together; the others run it
// again, so that it counts once per target, as it does on the hardware.
// source[0]: the register; offset: added to it, in bytes.
void execute_indirect(Warp& warp, const Op& op) {
  if ((warp.unknown_of(op.source[0]) & warp.exec) != 0) {
    return warp.refuse("the target is Unknown" + outside_functions(*warp.program->kernel));
  }
  const Lanes& to = warp.plain(op.source[0]);
  const std::uint32_t first = to[static_cast<unsigned>(std::countr_zero(warp.exec))];
  const std::uint32_t address = first + static_cast<std::uint32_t>(op.offset);
  const std::optional<SystemCall> call = system_call_at(address);
  if (!call && (address % 16 != 0 || address / 16 >= warp.program->ops.size())) {
    return warp.refuse("the target is outside the kernel's code");
  }
  isolate(warp);
  Mask same = 0;
  for_each_lane(warp.exec, [&](unsigned lane) { same |= Mask{to[lane] == first} << lane; });
  warp.taken = same;
  warp.moved = true;
  if (same != warp.exec) part(warp, warp.exec & ~same, warp.pc);
  if (call == SystemCall::kAssert && !warp.splits[warp.current].forks.empty()) {
    return end_side(warp, same);  // the side that works is the other one
  }
  if (call) call_system(warp, *call, same);
  warp.splits[warp.current].pc = call ? warp.pc + 1 : address / 16;
}

void execute_exit(Warp& warp, const Op& op) {
  const Mask condition = warp.get(op.predicate_in[0]);
  const Mask unknown = warp.doubtful | warp.unknown_of(op.predicate_in[0]);
  // A lane that may end here is kept: the other side of the question has the work.
  const Mask ending = warp.exec & condition & ~unknown;
  if ((warp.exec & unknown) != 0) {
    ++warp.unknown_count->branches;
    warp.kept |= warp.exec & unknown;
  }
  if (ending == 0) return;
  if (!warp.splits[warp.current].forks.empty()) {
    end_side(warp, ending);
    return;
  }
  if (ending == warp.active) {
    warp.moved = true;
  }
  end_lanes(warp, ending);
}

void execute_trap(Warp& warp, const Op&) {
  warp.exec &= ~warp.doubtful;
  if (warp.exec == 0) return;
  if (!warp.splits[warp.current].forks.empty()) return end_side(warp, warp.exec);
  const unsigned lane = static_cast<unsigned>(std::countr_zero(warp.exec));
  warp.fault(Fault::Kind::kTrap, lane, 0, 0, "the kernel executed a trap");
  warp.moved = true;
  warp.block->grid->stop({"the kernel executed a trap at " + warp.place()});
}

void execute_bssy(Warp& warp, const Op& op) {
  for_each_lane(warp.exec, [&](unsigned lane) { warp.convergence[op.mode[0]][lane] = warp.exec; });
}

void execute_bsync(Warp& warp, const Op& op) {
  isolate(warp);
  warp.moved = true;
  Split& here = warp.splits[warp.current];
  here.state = Split::State::kConverging;
  here.target = op.mode[0];
  here.mask = 0;
  here.pc = warp.pc;
  settle(warp);
}

void execute_break(Warp& warp, const Op& op) {
  const Mask leaving = warp.exec & warp.get(op.predicate_in[0]);
  Lanes& meeting = warp.convergence[op.mode[0]];
  if (leaving == 0) return;
  // Lanes that would reconverge with them there no longer wait for them.
  const Mask together = meeting[static_cast<unsigned>(std::countr_zero(leaving))];
  for_each_lane(together, [&](unsigned lane) { meeting[lane] &= ~leaving; });
  settle(warp);
}

// BMOV: a convergence barrier to a register and back.
void execute_bmov_out(Warp& warp, const Op& op) {
  Lanes& meeting = warp.convergence[op.mode[0]];
  warp.set(op.destination[0], meeting, 0);
  if (op.mode[1] != 0) {  // .CLEAR
    for_each_lane(warp.exec, [&](unsigned lane) { meeting[lane] = 0; });
  }
}

void execute_bmov_in(Warp& warp, const Op& op) {
  blend(warp.convergence[op.mode[0]], warp.plain(op.source[0]), warp.exec);
  settle(warp);
}

// source[0]: the lanes that must be converged. The first to arrive wait, and when all have arrived
// they execute it again together, as observed in hardware. mode[0]: .EXCLUSIVE, which lets only the
// lanes of one mask through (a tile of the warp); the others execute it again.
void execute_warpsync(Warp& warp, const Op& op) {
  if ((warp.unknown_of(op.source[0]) & warp.exec) != 0) {
    return warp.refuse("the lane mask is Unknown");
  }
  const Lanes& masks = warp.plain(op.source[0]);
  isolate(warp);
  Mask mask = masks[static_cast<unsigned>(std::countr_zero(warp.exec))];
  if (op.mode[0] == 0) {
    for_each_lane(warp.exec, [&](unsigned lane) { mask |= masks[lane]; });
  }
  warp.moved = true;
  Split& here = warp.splits[warp.current];
  here.pc = warp.pc + 1;
  if ((mask & warp.live & ~warp.exec) != 0) {
    here.pc = warp.pc;
    here.state = Split::State::kGathering;
    here.mask = mask & warp.live;
    settle(warp);
  } else if (op.mode[0] != 0 && (warp.exec & ~mask) != 0) {
    part(warp, warp.exec & ~mask, warp.pc);
  }
}

// Gives way to the warp's other lanes.
void execute_yield(Warp& warp, const Op&) {
  warp.yielded = true;
}

// source[0]: nanoseconds; mode[0]: does not count, since the loop around it waits for memory, and
// how often it goes around says nothing.
void execute_sleep(Warp& warp, const Op& op) {
  constexpr std::uint32_t kMaxNanoseconds = 1'000'000;  // as PTX has it
  warp.yielded = true;
  if (op.mode[0] != 0) return;
  const Mask known = warp.exec & ~warp.unknown_of(op.source[0]);
  std::uint32_t longest = 0;
  for_each_lane(known, [&](unsigned lane) {
    longest = std::max(longest, std::min(kMaxNanoseconds, warp.plain(op.source[0])[lane]));
  });
  warp.slept = longest * kCyclesPerNanosecond;
  warp.cycles += warp.slept;
}

const read::Operand* find(const read::Instruction& i, read::Operand::Kind kind) {
  const auto all = i.operands();
  const auto found = std::ranges::find(all, kind, &read::Operand::kind);
  return found == all.end() ? nullptr : &*found;
}

const read::Operand* find(const read::Instruction& i, read::RegisterFile file) {
  for (const read::Operand& o : i.operands())
    if (o.is_register(file)) return &o;
  return nullptr;
}

bool has(const read::Instruction& i, std::string_view modifier) {
  return std::ranges::find(i.modifiers(), modifier, &read::Modifier::text) != i.modifiers().end();
}

// The condition in addition to the guard, if there is one. False if there are two.
bool take_condition(const Lowering& l, const read::Instruction& i, Op& op) {
  const read::Operand* lanes = find(i, read::RegisterFile::kPredicate);
  const read::Operand* warps = find(i, read::RegisterFile::kUniformPredicate);
  if (warps != nullptr && lanes != nullptr && !lanes->hidden) return false;
  if (const read::Operand* p = warps != nullptr ? warps : lanes)
    op.predicate_in[0] = l.predicate(*p);
  return true;
}

bool take_target(const Lowering& l, const read::Instruction& i, Op& op) {
  const read::Operand* target = find(i, read::Operand::Kind::kTarget);
  if (target == nullptr || target->value < 0 || target->value % 16 != 0 ||
      static_cast<std::size_t>(target->value / 16) >= l.program().ops.size()) {
    return false;
  }
  op.offset = target->value / 16;
  return true;
}

bool lower_bra(Lowering& l, const read::Instruction& i, Op& op) {
  if (!take_target(l, i, op)) return false;
  if (has(i, "DIV")) op.mode[0] = kDivergent;
  if (has(i, "CONV")) op.mode[0] = kConvergent;
  if (has(i, "ANY")) op.mode[0] = kAnyLane;
  if (!take_condition(l, i, op)) return false;
  if (const read::Operand* mask = find(i, read::RegisterFile::kUniform))
    op.source[0] = l.source(*mask);
  if (const read::Operand* mask = find(i, read::RegisterFile::kGeneral))
    op.source[0] = l.source(*mask);
  op.execute = execute_branch;
  return true;
}

bool lower_indirect(Lowering& l, const read::Instruction& i, Op& op) {
  const read::Operand* to = find(i, read::RegisterFile::kGeneral);
  if (to == nullptr) to = find(i, read::RegisterFile::kUniform);
  if (to == nullptr) return false;
  op.source[0] = l.source(*to);
  if (const read::Operand* offset = find(i, read::Operand::Kind::kOffset))
    op.offset = offset->value;
  if (const read::Operand* target = find(i, read::Operand::Kind::kTarget))
    op.offset = target->value;
  op.execute = execute_indirect;
  return true;
}

// Unlike for the others, the offset after its register counts from the next instruction.
bool lower_brx(Lowering& l, const read::Instruction& i, Op& op) {
  if (!lower_indirect(l, i, op)) return false;
  op.offset += i.offset + 16;
  return true;
}

bool lower_call(Lowering& l, const read::Instruction& i, Op& op) {
  if (find(i, read::RegisterFile::kGeneral) != nullptr) return lower_indirect(l, i, op);
  if (!take_target(l, i, op)) return false;
  op.execute = execute_branch;
  return true;
}

bool lower_exit(Lowering& l, const read::Instruction& i, Op& op) {
  op.execute = execute_exit;
  return take_condition(l, i, op);
}

bool take_barrier(const read::Instruction& i, Op& op) {
  const read::Operand* b = find(i, read::RegisterFile::kConvergence);
  if (b == nullptr || b->index >= kConvergenceBarriers) return false;
  op.mode[0] = static_cast<std::uint8_t>(b->index);
  return true;
}

template <Execute function>
bool lower_barrier(Lowering& l, const read::Instruction& i, Op& op) {
  take_condition(l, i, op);
  op.execute = function;
  return take_barrier(i, op);
}

bool lower_bmov(Lowering& l, const read::Instruction& i, Op& op) {
  const auto all = i.operands();
  if (all.size() != 2 || !take_barrier(i, op)) return false;
  if (all[0].is_register(read::RegisterFile::kConvergence)) {
    op.source[0] = l.source(all[1]);
    op.execute = execute_bmov_in;
    return true;
  }
  op.destination[0] = l.destination(all[0]);
  if (has(i, "CLEAR")) op.mode[1] = 1;
  op.execute = execute_bmov_out;
  return all[0].is_register(read::RegisterFile::kGeneral);
}

bool lower_warpsync(Lowering& l, const read::Instruction& i, Op& op) {
  // .COLLECTIVE also names where its lanes part again, which they do of themselves.
  const std::uint32_t all = kAllLanes;
  op.source[0] = l.pooled({&all, 1});
  op.mode[0] = has(i, "EXCLUSIVE") ? 1 : 0;
  const bool everybody = has(i, "ALL");
  for (const read::Operand& o : i.operands()) {
    const bool mask = o.kind == read::Operand::Kind::kImmediate ||
                      o.is_register(read::RegisterFile::kGeneral) ||
                      o.is_register(read::RegisterFile::kUniform);
    if (mask && !everybody) op.source[0] = l.source(o);
  }
  op.execute = execute_warpsync;
  return true;
}

// Whether an instruction in the innermost loop around this one reads what other warps may write.
bool polls_memory(const read::Kernel& kernel, std::uint32_t instruction) {
  const std::uint32_t loop = kernel.blocks[kernel.block_of[instruction]].loop;
  if (loop == read::kNoIndex) return false;
  return std::ranges::any_of(kernel.loops[loop].blocks, [&](std::uint32_t b) {
    const auto first = kernel.instructions.begin() + kernel.blocks[b].first;
    return std::any_of(
        first, first + (kernel.blocks[b].last - kernel.blocks[b].first + 1),
        [](const read::Instruction& i) {
          return read::is_returning_atomic(i) || read::is_barrier(i) ||
                 read::sync_of(i) == read::Sync::kMbarrier ||
                 (read::is_plain_load(i) && (i.opcode->space == read::Space::kShared ||
                                             i.modifier("order").starts_with("STRONG")));
        });
  });
}

// With .SYNCS it waits for an mbarrier, for that time at most.
bool lower_sleep(Lowering& l, const read::Instruction& i, Op& op) {
  op.execute = execute_yield;
  const auto all = i.operands();
  if (!i.modifier("syncs").empty() || all.empty() ||
      all.back().is_register(read::RegisterFile::kPredicate)) {
    return true;
  }
  op.execute = execute_sleep;
  op.source[0] = l.source(all.back());
  op.mode[0] = polls_memory(*l.program().kernel, i.offset / 16) ? 1 : 0;
  return true;
}

}  // namespace

std::span<const LowerRow> control_rows() {
  static constexpr LowerRow kRows[] = {
      {"BRA", lower_bra},
      {"BRX", lower_brx},
      {"BRXU", lower_brx},
      {"CALL", lower_call},
      {"RET", lower_indirect},
      {"EXIT", lower_exit},
      {"KILL", lower_exit},
      {"BPT", lower_plain<execute_trap>},
      {"BSSY", lower_barrier<execute_bssy>},
      {"BSYNC", lower_barrier<execute_bsync>},
      {"BREAK", lower_barrier<execute_break>},
      {"BMOV", lower_bmov},
      {"WARPSYNC", lower_warpsync},
      {"ENDCOLLECTIVE", lower_plain<execute_nothing>},
      {"YIELD", lower_plain<execute_yield>},
      {"NANOSLEEP", lower_sleep},
      {"NOP", lower_plain<execute_nothing>},
      {"PMTRIG", lower_plain<execute_nothing>},
      {"PREEXIT", lower_plain<execute_nothing>},
      {"ACQBULK", lower_plain<execute_nothing>},
      {"USETSHMSZ", lower_plain<execute_nothing>},  // frees shared memory that is not used any more
  };
  return kRows;
}

}  // namespace burin::emulate
