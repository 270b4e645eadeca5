#include "emulate/state/unlikely.h"

#include <algorithm>
#include <optional>

#include "emulate/state/system_calls.h"
#include "read/isa/traits.h"

namespace burin::emulate {

namespace {

bool writes(const read::Instruction& i, unsigned reg) {
  bool found = false;
  read::for_each_write(i, [&](read::RegisterFile file, unsigned first, unsigned count) {
    found |= file == read::RegisterFile::kGeneral && reg >= first && reg < first + count;
  });
  return found;
}

// The constant that an instruction before `at` in the same block moves into a register.
std::optional<std::int64_t> constant_in(const read::Kernel& kernel, std::uint32_t first,
                                        std::uint32_t at, unsigned reg) {
  if (reg == read::kZeroRegister) return 0;
  for (std::uint32_t i = at; i-- > first;) {
    const read::Instruction& before = kernel.instructions[i];
    if (!before.known() || !writes(before, reg)) continue;
    const auto operands = before.operands();
    if (!before.guard.always()) return std::nullopt;
    if (!read::copies_register(before)) return std::nullopt;
    for (const read::Operand& o : operands) {
      if (o.kind == read::Operand::Kind::kImmediate) return o.value;
    }
    return std::nullopt;
  }
  return std::nullopt;
}

// Whether the call at `at` jumps to the driver's __assertfail, whose address the code loads from a
// constant bank shortly before.
bool calls_assert(const read::Kernel& kernel, std::uint32_t first, std::uint32_t at) {
  const read::Operand* target = nullptr;
  for (const read::Operand& o : kernel.instructions[at].operands()) {
    if (o.is_register(read::RegisterFile::kGeneral)) target = &o;
  }
  if (target == nullptr) return false;
  for (std::uint32_t i = at; i-- > first;) {
    const read::Instruction& load = kernel.instructions[i];
    if (!load.known() || !writes(load, target->index)) continue;
    for (const read::Operand& o : load.operands()) {
      if (o.kind != read::Operand::Kind::kConstant) continue;
      std::int64_t offset = o.value;
      if (o.base != read::Operand::kNoRegister) {
        const auto index = constant_in(kernel, first, i, o.base);
        if (!index) return false;
        offset += *index;
      }
      return std::ranges::any_of(kernel.image->addresses, [&](const read::AddressSlot& slot) {
        return slot.bank == o.bank && static_cast<std::int64_t>(slot.offset) == offset &&
               slot.symbol == name(SystemCall::kAssert);
      });
    }
    return false;
  }
  return false;
}

bool ends_in_failure(const read::Kernel& kernel, const read::BasicBlock& block) {
  for (std::uint32_t i = block.first; i <= block.last; ++i) {
    const read::Instruction& instruction = kernel.instructions[i];
    if (!instruction.known() || !instruction.guard.always()) continue;
    if (instruction.opcode->flow == read::Opcode::kTrap) return true;
    if (instruction.opcode->flow == read::Opcode::kCall && calls_assert(kernel, block.first, i)) {
      return true;
    }
  }
  return false;
}

// "$__internal_0_$__cuda_sm3x_div_rn_noftz_f32_slowpath": what the fast path of a division, a root
// or a 64-bit division cannot do. The code tests for it first.
bool calls_slow_path(const read::Kernel& kernel, const read::BasicBlock& block) {
  if (block.callee == read::kNoIndex) return false;
  const std::uint32_t offset = kernel.instructions[kernel.blocks[block.callee].first].offset;
  return std::ranges::any_of(kernel.function->labels, [&](const auto& label) {
    return label.first == offset && label.second.find("$__cuda_") != std::string_view::npos;
  });
}

}  // namespace

std::vector<bool> unlikely_blocks(const read::Kernel& kernel) {
  std::vector<bool> fatal(kernel.blocks.size());
  bool any = false;
  for (std::size_t b = 0; b < fatal.size(); ++b) {
    fatal[b] = ends_in_failure(kernel, kernel.blocks[b]);
    any = any || fatal[b];
  }
  for (bool changed = any; changed;) {
    changed = false;
    for (std::size_t b = 0; b < fatal.size(); ++b) {
      const read::BasicBlock& block = kernel.blocks[b];
      if (fatal[b] || block.exits || block.returns || block.unresolved || block.successors.empty())
        continue;
      fatal[b] = std::ranges::all_of(block.successors,
                                     [&](const read::Edge& edge) { return fatal[edge.block]; });
      changed = changed || fatal[b];
    }
  }
  for (std::size_t b = 0; b < fatal.size(); ++b) {
    if (calls_slow_path(kernel, kernel.blocks[b])) fatal[b] = true;
  }
  return fatal;
}

}  // namespace burin::emulate
