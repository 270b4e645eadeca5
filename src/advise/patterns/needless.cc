#include "advise/patterns/needless.h"

#include <algorithm>
#include <vector>

#include "machine/timing_class.h"

namespace burin {

namespace {

// Whether it does something beside leaving a value in registers.
bool has_effect(const Instruction& i) {
  if (!i.known() || i.opcode->stores || i.opcode->flow != Opcode::kNext) return true;
  if (timing_class(i) == TimingClass::kBarrier) return true;
  bool writes = false;
  for_each_write(i, [&](RegisterFile, std::uint16_t, unsigned) { writes = true; });
  return !writes;
}

using Dependences = std::vector<std::vector<const Dependence*>>;

// Whose values are wanted, from effects backward; so a counter that only counts itself is not.
InstructionSet live(const Kernel& kernel, const Dependences& read, const InstructionSet& gone,
                    const Wants& wants) {
  InstructionSet live(kernel.instructions.size());
  std::vector<std::uint32_t> open;
  for (std::uint32_t i = 0; i < live.size(); ++i) {
    live[i] = has_effect(kernel.instructions[i]) ? 1 : 0;
    // What is gone may want some of its values still: it is replaced, not dropped.
    if (live[i] != 0 || gone[i] != 0) open.push_back(i);
  }
  while (!open.empty()) {
    const std::uint32_t at = open.back();
    open.pop_back();
    for (const Dependence* d : read[at]) {
      if (live[d->producer] != 0 || !wants(*d)) continue;
      live[d->producer] = 1;
      open.push_back(d->producer);
    }
  }
  return live;
}

// BSSY says where lanes meet again, BSYNC stands in front of that place.
void add_meetings(const Kernel& kernel, InstructionSet& gone) {
  const std::vector<Instruction>& code = kernel.instructions;
  for (std::uint32_t i = 0; i < code.size(); ++i) {
    if (!code[i].known() || code[i].opcode->flow != Opcode::kPush) continue;
    const auto operands = code[i].operands();
    const auto to = std::ranges::find(operands, Operand::Kind::kTarget, &Operand::kind);
    if (to == operands.end()) continue;
    const auto end = static_cast<std::uint32_t>(to->value / kInstructionBytes);
    if (end <= i + 1 || end > code.size()) continue;
    bool parted = false;
    bool others = false;
    for (std::uint32_t k = i + 1; k < end; ++k) {
      if (!code[k].known() || code[k].opcode->flow != Opcode::kBranch) continue;
      (gone[k] != 0 ? parted : others) = true;
    }
    if (!parted || others) continue;
    gone[i] = 1;
    const Opcode* last = code[end - 1].opcode;
    if (last != nullptr && last->flow == Opcode::kSync) gone[end - 1] = 1;
  }
}

}  // namespace

void add_needless(const Kernel& kernel, InstructionSet& gone, const Wants& wants) {
  Dependences read(kernel.instructions.size());
  for (const Dependence& d : kernel.dependences) {
    if (d.kind == Dependence::Kind::kRegister) read[d.consumer].push_back(&d);
  }
  const InstructionSet none(gone.size());
  const InstructionSet before = live(kernel, read, none, [](const Dependence&) { return true; });
  const InstructionSet after = live(
      kernel, read, gone,
      wants ? wants : [&](const Dependence& d) { return gone[d.consumer] == 0; });
  for (std::size_t i = 0; i < gone.size(); ++i) {
    if (before[i] != 0 && after[i] == 0) gone[i] = 1;
  }
  add_meetings(kernel, gone);
}

}  // namespace burin
