#include "advise/patterns/call_site.h"

#include <algorithm>

#include "read/isa/traits.h"

namespace burin {

namespace {

bool of_bank(const Instruction& instruction) {
  return std::ranges::any_of(instruction.operands(),
                             [](const Operand& o) { return o.kind == Operand::Kind::kConstant; });
}

// Zero times zero plus a number, as ptxas writes numbers where the unit is free.
bool makes_number(const Instruction& instruction) {
  bool reads = false;
  for_each_read(instruction, [&](RegisterFile, unsigned, unsigned) { reads = true; });
  return arithmetic_of(instruction) == Arithmetic::kMultiplyAdd &&
         instruction.opcode->operand_type == ValueType::kF16 && !reads && !of_bank(instruction);
}

bool fetches_constant(const Instruction& instruction) {
  const bool loads = instruction.known() && instruction.opcode->pipe == Pipe::kUniform &&
                     instruction.opcode->loads;
  return loads || (copies_register(instruction) && of_bank(instruction));
}

}  // namespace

bool is_move(const Instruction& instruction) {
  return (copies_register(instruction) && !of_bank(instruction)) || makes_number(instruction);
}

void mark_call(const Case& c, const BasicBlock& block, InstructionSet& set) {
  const auto mark_moves = [&](const BasicBlock& in) {
    for (std::uint32_t i = in.first; i <= in.last; ++i) {
      if (is_move(c.at(i)) || (in.loop != kNoIndex && fetches_constant(c.at(i)))) set[i] = 1;
    }
  };
  set[block.last] = 1;
  mark_moves(block);
  if (block.last + 1 < c.size()) {
    mark_moves(c.kernel.blocks[c.kernel.block_of[block.last + 1]]);
  }
}

}  // namespace burin
