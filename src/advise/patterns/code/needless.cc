#include "advise/patterns/code/needless.h"

#include <algorithm>
#include <vector>

#include "machine/timing_class.h"

namespace burin::advise {

namespace {

// Whether it has an effect other than writing registers.
bool has_effect(const read::Instruction& i) {
  if (!i.known() || i.opcode->stores || i.opcode->flow != read::Opcode::kNext) return true;
  if (machine::timing_class(i) == machine::TimingClass::kBarrier) return true;
  bool writes = false;
  read::for_each_write(i, [&](read::RegisterFile, std::uint16_t, unsigned) { writes = true; });
  return !writes;
}

using Dependences = std::vector<std::vector<const read::Dependence*>>;

// The live instructions, found backwards from effects. A counter used only by itself is not live.
read::InstructionSet live(const read::Kernel& kernel, const Dependences& read,
                          const read::InstructionSet& gone, const NeedsValue& wants) {
  read::InstructionSet live(kernel.instructions.size());
  std::vector<std::uint32_t> open;
  for (std::uint32_t i = 0; i < live.size(); ++i) {
    live[i] = has_effect(kernel.instructions[i]) ? 1 : 0;
    // A removed instruction may still need some values if it is replaced rather than dropped.
    if (live[i] != 0 || gone[i] != 0) open.push_back(i);
  }
  while (!open.empty()) {
    const std::uint32_t at = open.back();
    open.pop_back();
    for (const read::Dependence* d : read[at]) {
      if (live[d->producer] != 0 || !wants(*d)) continue;
      live[d->producer] = 1;
      open.push_back(d->producer);
    }
  }
  return live;
}

// BSSY names the reconvergence point, and BSYNC is directly before it.
void add_meetings(const read::Kernel& kernel, read::InstructionSet& gone) {
  const std::vector<read::Instruction>& code = kernel.instructions;
  for (std::uint32_t i = 0; i < code.size(); ++i) {
    if (!code[i].known() || code[i].opcode->flow != read::Opcode::kPush) continue;
    const auto operands = code[i].operands();
    const auto to = std::ranges::find(operands, read::Operand::Kind::kTarget, &read::Operand::kind);
    if (to == operands.end()) continue;
    const auto end = static_cast<std::uint32_t>(to->value / read::kInstructionBytes);
    if (end <= i + 1 || end > code.size()) continue;
    bool parted = false;
    bool others = false;
    for (std::uint32_t k = i + 1; k < end; ++k) {
      if (!code[k].known() || code[k].opcode->flow != read::Opcode::kBranch) continue;
      (gone[k] != 0 ? parted : others) = true;
    }
    if (!parted || others) continue;
    gone[i] = 1;
    const read::Opcode* last = code[end - 1].opcode;
    if (last != nullptr && last->flow == read::Opcode::kSync) gone[end - 1] = 1;
  }
}

}  // namespace

void add_dead_code(const read::Kernel& kernel, read::InstructionSet& gone,
                   const NeedsValue& wants) {
  Dependences read(kernel.instructions.size());
  for (const read::Dependence& d : kernel.dependences) {
    if (d.kind == read::Dependence::Kind::kRegister) read[d.consumer].push_back(&d);
  }
  const read::InstructionSet none(gone.size());
  const read::InstructionSet before =
      live(kernel, read, none, [](const read::Dependence&) { return true; });
  const read::InstructionSet after = live(
      kernel, read, gone,
      wants ? wants : [&](const read::Dependence& d) { return gone[d.consumer] == 0; });
  for (std::size_t i = 0; i < gone.size(); ++i) {
    if (before[i] != 0 && after[i] == 0) gone[i] = 1;
  }
  add_meetings(kernel, gone);
}

}  // namespace burin::advise
