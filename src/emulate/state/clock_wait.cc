#include "emulate/state/clock_wait.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string_view>

#include "emulate/state/lower.h"
#include "emulate/state/unknown.h"
#include "emulate/state/warp.h"

namespace burin::emulate {

namespace {

constexpr std::uint64_t kGrowth = 16;  // a read advances the time by this part of the wait so far

bool is_in(const read::Loop& loop, std::uint32_t block) {
  return std::ranges::binary_search(loop.blocks, block);
}

bool is_constant_load(const read::Instruction& i) {
  return i.known() && i.opcode->loads && i.opcode->space == read::Space::kConstant;
}

bool reads_special(const read::Instruction& i, std::string_view name) {
  return std::ranges::any_of(i.operands(), [&](const read::Operand& o) {
    return o.kind == read::Operand::Kind::kSpecial && o.suffix.starts_with(name);
  });
}

// What decides when one loop ends.
class LoopEnd {
 public:
  LoopEnd(const read::Kernel& kernel, const read::Loop& loop) : kernel_(kernel), loop_(loop) {}

  // The instructions in the loop on which its exits depend; none if it does more than to wait.
  std::optional<std::vector<std::uint32_t>> wait() {
    for (const std::uint32_t b : loop_.blocks) {
      const read::BasicBlock& block = kernel_.blocks[b];
      if (block.unresolved || block.returns || block.callee != read::kNoIndex) return std::nullopt;
      if (leaves(block)) follow(block.last);
    }
    bool reads = false;
    for (std::size_t k = 0; k < slice_.size(); ++k) {  // grows meanwhile
      const read::Instruction& i = kernel_.instructions[slice_[k]];
      if (!read::is_computation(i) && !is_constant_load(i)) return std::nullopt;
      reads = reads || reads_clock(i);
      follow(slice_[k]);
    }
    if (!reads) return std::nullopt;
    return slice_;
  }

  bool leaves(const read::BasicBlock& block) const {
    return block.exits || std::ranges::any_of(block.successors, [&](const read::Edge& edge) {
             return !is_in(loop_, edge.block);
           });
  }

 private:
  void follow(std::uint32_t instruction) {
    for (const read::Dependence& d : kernel_.dependences_of(instruction)) {
      if (d.kind != read::Dependence::Kind::kRegister) continue;
      if (!is_in(loop_, kernel_.block_of[d.producer])) continue;
      if (std::ranges::find(slice_, d.producer) == slice_.end()) slice_.push_back(d.producer);
    }
  }

  const read::Kernel& kernel_;
  const read::Loop& loop_;
  std::vector<std::uint32_t> slice_;
};

bool writes_predicate(const read::Instruction& i) {
  bool writes = false;
  read::for_each_write(i, [&](read::RegisterFile file, unsigned, unsigned) {
    writes = writes || file == read::RegisterFile::kPredicate ||
             file == read::RegisterFile::kUniformPredicate;
  });
  return writes;
}

void set_roles(const read::Kernel& kernel, const read::Loop& loop,
               std::span<const std::uint32_t> slice, std::vector<std::uint8_t>& roles) {
  const auto add = [&](std::uint32_t instruction, unsigned role) {
    roles[instruction] = static_cast<std::uint8_t>(roles[instruction] | role);
  };
  for (const std::uint32_t i : slice) {
    if (reads_clock(kernel.instructions[i])) add(i, kReadsClock);
    if (writes_predicate(kernel.instructions[i])) add(i, kComparesClock);
  }
  for (const std::uint32_t b : loop.blocks) {
    for (const read::Edge& edge : kernel.blocks[b].successors) {
      if (is_in(loop, edge.block)) continue;
      add(kernel.blocks[b].last,
          edge.kind == read::Edge::Kind::kBranch ? kLeavesIfTaken : kLeavesUnlessTaken);
    }
  }
}

void execute_compare(Warp& warp, const Op& op) {
  warp.program->clock_waits.originals.at(warp.pc)(warp, op);
  for (const std::uint8_t p : op.predicate_out) {
    if (p == kPredicateSinkSlot) continue;
    const Mask written = p >= kUniformPredicateSlot ? kAllLanes : warp.exec;
    if (warp.doubtful == 0) warp.predicate_unknown[p] &= ~written;
  }
}

// A branch out of the loop.
void execute_leaving(Warp& warp, const Op& op) {
  const unsigned role = warp.program->clock_waits.roles[warp.pc];
  const Mask before = warp.active;
  if (warp.exec != 0) warp.program->clock_waits.originals.at(warp.pc)(warp, op);
  Mask leaving = 0;
  if ((role & kLeavesIfTaken) != 0) leaving |= warp.taken;
  if ((role & kLeavesUnlessTaken) != 0) leaving |= before & ~warp.taken;
  if (leaving == 0) return;
  if (leaving == before) warp.wait_began.reset();
  forget_left_loops(
      warp, leaving,
      (role & kLeavesIfTaken) != 0 ? static_cast<std::uint32_t>(op.offset) : warp.pc + 1);
}

std::vector<std::uint8_t> roles_in(const read::Kernel& kernel) {
  std::vector<std::uint8_t> roles(kernel.instructions.size());
  bool any = false;
  for (const read::Loop& loop : kernel.loops) {
    LoopEnd end(kernel, loop);
    const auto slice = end.wait();
    if (slice) set_roles(kernel, loop, *slice, roles);
    any = any || slice;
  }
  if (!any) roles.clear();
  return roles;
}

}  // namespace

bool reads_cycles(const read::Instruction& instruction) {
  return reads_special(instruction, "SR_CLOCK");
}

bool reads_clock(const read::Instruction& instruction) {
  return reads_cycles(instruction) || reads_special(instruction, "SR_GLOBALTIMER");
}

void decide_by_clock(Program& program) {
  const read::Kernel& kernel = *program.kernel;
  if (kernel.loops.empty() || std::ranges::none_of(kernel.instructions, reads_clock)) return;
  ClockWaits& waits = program.clock_waits;
  waits.roles =
      kernel.dependences.empty()
          ? roles_in(read::build_from(kernel.instructions, *kernel.image, *kernel.function))
          : roles_in(kernel);
  for (std::uint32_t k = 0; k < waits.roles.size(); ++k) {
    Op& op = program.ops[k];
    const bool compares = (waits.roles[k] & kComparesClock) != 0;
    const bool leaves = (waits.roles[k] & (kLeavesIfTaken | kLeavesUnlessTaken)) != 0;
    if (!compares && !leaves) continue;
    waits.originals[k] = op.execute;
    op.always = leaves;
    op.execute = compares ? execute_compare : execute_leaving;
  }
}

void advance_clock(Warp& warp) {
  const std::vector<std::uint8_t>& roles = warp.program->clock_waits.roles;
  if (!roles.empty() && (roles[warp.pc] & kReadsClock) != 0) {
    if (!warp.wait_began) warp.wait_began = warp.cycles;
    warp.slept = (warp.cycles - *warp.wait_began) / kGrowth;
  }
  warp.cycles += kCyclesPerRead + warp.slept;
}

}  // namespace burin::emulate
