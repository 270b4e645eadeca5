#include "read/program/control_flow.h"

#include <algorithm>
#include <unordered_map>

#include "read/isa/traits.h"

namespace burin::read {
namespace {

constexpr std::uint32_t kWordBytes = 16;

Opcode::Flow flow_of(const Instruction& instruction) {
  return instruction.known() ? instruction.opcode->flow : Opcode::kNext;
}

class Builder {
 public:
  explicit Builder(Kernel& kernel)
      : kernel_(kernel), count_(static_cast<std::uint32_t>(kernel.instructions.size())) {
    for (const IndirectBranch& branch : kernel.function->indirect_branches)
      indirect_.emplace(branch.offset / kWordBytes, &branch);
    std::unordered_map<std::string_view, std::uint32_t> labels;
    for (const auto& [offset, name] : kernel.function->labels) labels.emplace(name, offset);
    for (const Relocation& relocation : kernel.function->relocations) {
      const auto label = labels.find(relocation.symbol);
      relocated_[relocation.offset / kWordBytes] =
          label == labels.end() ? kNoIndex : position(std::int64_t{label->second});
    }
  }

  void build() {
    if (count_ == 0) return;
    mark_leaders();
    cut();
    for (std::uint32_t b = 0; b < kernel_.blocks.size(); ++b) connect(b);
    for (std::uint32_t b = 0; b < kernel_.blocks.size(); ++b) {
      for (const Edge& edge : kernel_.blocks[b].successors)
        kernel_.blocks[edge.block].predecessors.push_back({b, edge.kind});
    }
    collect_entries();
    mark_reachable();
  }

 private:
  // The instruction at a byte offset, or kNoIndex where that is no instruction of this code.
  std::uint32_t position(std::int64_t offset) const {
    if (offset < 0 || offset % kWordBytes != 0 || offset / kWordBytes >= count_) return kNoIndex;
    return static_cast<std::uint32_t>(offset / kWordBytes);
  }

  // Where instruction `i` says it goes, or kNoIndex where that is not a place in this code.
  std::uint32_t target(std::uint32_t i) const {
    const Instruction& instruction = kernel_.instructions[i];
    const Opcode::Flow flow = flow_of(instruction);
    // RET's offset is relative to the register's value; so is the one of a call through a register.
    if (flow == Opcode::kReturn) return kNoIndex;
    const Operand* named = nullptr;
    for (const Operand& o : instruction.operands()) {
      if (o.kind == Operand::Kind::kTarget) named = &o;
      if (flow == Opcode::kCall && o.kind == Operand::Kind::kRegister && o.index != kZeroRegister &&
          (o.file == RegisterFile::kGeneral || o.file == RegisterFile::kUniform)) {
        return kNoIndex;
      }
    }
    if (named == nullptr) return kNoIndex;
    const auto relocated = relocated_.find(i);
    return relocated == relocated_.end() ? position(named->value) : relocated->second;
  }

  std::vector<std::uint32_t> indirect_targets(std::uint32_t i) const {
    std::vector<std::uint32_t> targets;
    const auto found = indirect_.find(i);
    if (found == indirect_.end()) return targets;
    for (std::uint32_t offset : found->second->targets) {
      if (const std::uint32_t t = position(std::int64_t{offset}); t != kNoIndex)
        targets.push_back(t);
    }
    std::sort(targets.begin(), targets.end());
    targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
    return targets;
  }

  // A BSSY's and a WARPSYNC.COLLECTIVE's target begins a block although no edge comes from it: it
  // is where the lanes meet again. Lanes reach it by falling through from the BSYNC right before.
  void mark_leaders() {
    leader_.assign(count_ + 1, false);
    leader_[0] = true;
    for (std::uint32_t i = 0; i < count_; ++i) {
      const Instruction& instruction = kernel_.instructions[i];
      if (ends_block(instruction)) leader_[i + 1] = true;
      if (!instruction.known()) continue;
      if (has(instruction, Trait::kIndirect)) {
        for (std::uint32_t t : indirect_targets(i)) leader_[t] = true;
      } else if (const std::uint32_t t = target(i); t != kNoIndex) {
        leader_[t] = true;
      }
    }
    for (const auto& [offset, name] : kernel_.function->labels) {
      if (const std::uint32_t p = position(std::int64_t{offset}); p != kNoIndex) leader_[p] = true;
    }
  }

  void cut() {
    kernel_.block_of.resize(count_);
    for (std::uint32_t i = 0; i < count_; ++i) {
      if (leader_[i]) {
        kernel_.blocks.emplace_back();
        kernel_.blocks.back().first = i;
      }
      kernel_.blocks.back().last = i;
      kernel_.block_of[i] = static_cast<std::uint32_t>(kernel_.blocks.size() - 1);
    }
  }

  void connect(std::uint32_t b) {
    BasicBlock& block = kernel_.blocks[b];
    const std::uint32_t i = block.last;
    const Instruction& instruction = kernel_.instructions[i];
    bool falls_through = true;
    if (ends_block(instruction)) {
      const Condition condition = condition_of(instruction);
      falls_through = !condition.always;
      if (!condition.never) take(block, i);
    }
    if (falls_through) go(block, i + 1, Edge::Kind::kFallThrough);
  }

  void take(BasicBlock& block, std::uint32_t i) {
    const Instruction& instruction = kernel_.instructions[i];
    switch (flow_of(instruction)) {
      case Opcode::kBranch:
        if (has(instruction, Trait::kIndirect)) {
          const std::vector<std::uint32_t> targets = indirect_targets(i);
          for (std::uint32_t t : targets) go(block, t, Edge::Kind::kIndirect);
          if (targets.empty()) block.unresolved = true;
        } else {
          go(block, target(i), Edge::Kind::kBranch);
        }
        break;
      case Opcode::kCall:
        if (const std::uint32_t t = target(i); t != kNoIndex) block.callee = kernel_.block_of[t];
        go(block, i + 1, Edge::Kind::kReturn);
        break;
      case Opcode::kReturn:
        block.returns = true;
        break;
      case Opcode::kExit:
        block.exits = true;
        break;
      default:
        break;
    }
  }

  void go(BasicBlock& block, std::uint32_t to, Edge::Kind kind) {
    if (to >= count_) {  // kNoIndex, or past the end
      block.unresolved = true;
    } else {
      block.successors.push_back({kernel_.block_of[to], kind});
    }
  }

  void collect_entries() {
    std::vector<std::uint32_t>& entries = kernel_.entries;
    entries.push_back(0);
    for (const BasicBlock& block : kernel_.blocks) {
      if (block.callee != kNoIndex) entries.push_back(block.callee);
    }
    for (const auto& [offset, name] : kernel_.function->labels) {
      const std::uint32_t p = position(std::int64_t{offset});
      if (p != kNoIndex) entries.push_back(kernel_.block_of[p]);
    }
    std::sort(entries.begin(), entries.end());
    entries.erase(std::unique(entries.begin(), entries.end()), entries.end());
  }

  void mark_reachable() {
    std::vector<std::uint32_t> work;
    const auto reach = [&](std::uint32_t b) {
      if (kernel_.blocks[b].reachable) return;
      kernel_.blocks[b].reachable = true;
      work.push_back(b);
    };
    for (std::uint32_t entry : kernel_.entries) reach(entry);
    while (!work.empty()) {
      const std::uint32_t b = work.back();
      work.pop_back();
      for (const Edge& edge : kernel_.blocks[b].successors) reach(edge.block);
    }
  }

  Kernel& kernel_;
  const std::uint32_t count_;
  std::unordered_map<std::uint32_t, const IndirectBranch*> indirect_;
  std::unordered_map<std::uint32_t, std::uint32_t> relocated_;  // kNoIndex: to a symbol elsewhere
  std::vector<bool> leader_;
};

}  // namespace

Condition condition_of(const Instruction& instruction) {
  Condition condition;
  unsigned tests = 0;
  if (never_executes(instruction)) condition.never = true;
  if (const Literals guard = guard_of(instruction)) {
    condition.if_taken |= guard;
    ++tests;
  }
  for (const Operand& o : instruction.operands()) {
    if (o.kind != Operand::Kind::kRegister || !o.read) continue;
    if (o.file == RegisterFile::kPredicate || o.file == RegisterFile::kUniformPredicate) {
      const bool uniform = o.file == RegisterFile::kUniformPredicate;
      if (o.index != kZeroRegister) {
        condition.if_taken |= literal(uniform, o.index, o.inverted);
        ++tests;
      } else if (o.inverted) {
        condition.never = true;
      }
    }
  }
  // BRA.DIV and BRA.CONV ask whether the warp is diverged: nothing can be said of the predicates.
  for (const Modifier& m : instruction.modifiers())
    if (m.text == "DIV" || m.text == "CONV") tests += 2;
  condition.always = tests == 0 && !condition.never;
  if (tests == 1) condition.if_not_taken = opposite(condition.if_taken);
  return condition;
}

bool ends_block(const Instruction& instruction) {
  switch (flow_of(instruction)) {
    case Opcode::kBranch:
    case Opcode::kCall:
    case Opcode::kReturn:
    case Opcode::kExit:
      return !never_executes(instruction);
    case Opcode::kNext:
    case Opcode::kPush:
    case Opcode::kSync:
    case Opcode::kTrap:
      return false;
  }
  return false;
}

void build_blocks(Kernel& kernel) {
  Builder(kernel).build();
}

}  // namespace burin::read
