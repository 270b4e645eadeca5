#include "advise/patterns/code/call_site.h"

#include <algorithm>

#include "read/isa/traits.h"

namespace burin::advise {

namespace {

bool of_bank(const read::Instruction& instruction) {
  return std::ranges::any_of(instruction.operands(), [](const read::Operand& o) {
    return o.kind == read::Operand::Kind::kConstant;
  });
}

// 0 * 0 + immediate: a move that ptxas schedules on the multiply-add unit.
bool makes_number(const read::Instruction& instruction) {
  bool reads = false;
  read::for_each_read(instruction, [&](read::RegisterFile, unsigned, unsigned) { reads = true; });
  return read::arithmetic_of(instruction) == read::Arithmetic::kMultiplyAdd &&
         instruction.opcode->operand_type == read::ValueType::kF16 && !reads &&
         !of_bank(instruction);
}

bool fetches_constant(const read::Instruction& instruction) {
  const bool loads = instruction.known() && instruction.opcode->pipe == read::Pipe::kUniform &&
                     instruction.opcode->loads;
  return loads || (read::copies_register(instruction) && of_bank(instruction));
}

}  // namespace

bool is_move(const read::Instruction& instruction) {
  return (read::copies_register(instruction) && !of_bank(instruction)) || makes_number(instruction);
}

void mark_call(const Case& c, const read::BasicBlock& block, read::InstructionSet& set) {
  const auto mark_moves = [&](const read::BasicBlock& in) {
    for (std::uint32_t i = in.first; i <= in.last; ++i) {
      if (is_move(c.at(i)) || (in.loop != read::kNoIndex && fetches_constant(c.at(i)))) set[i] = 1;
    }
  };
  set[block.last] = 1;
  mark_moves(block);
  if (block.last + 1 < c.size()) {
    mark_moves(c.kernel.blocks[c.kernel.block_of[block.last + 1]]);
  }
}

}  // namespace burin::advise
