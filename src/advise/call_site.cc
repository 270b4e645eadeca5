#include "advise/call_site.h"

#include <algorithm>

namespace burin {

bool is_move(const Instruction& instruction) {
  const bool moves = instruction.mnemonic() == "MOV" || instruction.mnemonic() == "UMOV" ||
                     (instruction.mnemonic() == "IMAD" && instruction.modifier("alias") == "MOV");
  return moves && std::ranges::none_of(instruction.operands(), [](const Operand& o) {
           return o.kind == Operand::Kind::kConstant;
         });
}

void mark_call(const Case& c, const BasicBlock& block, InstructionSet& set) {
  const auto mark_moves = [&](const BasicBlock& in) {
    for (std::uint32_t i = in.first; i <= in.last; ++i) {
      if (is_move(c.at(i))) set[i] = 1;
    }
  };
  set[block.last] = 1;
  mark_moves(block);
  if (block.last + 1 < c.size()) {
    mark_moves(c.kernel.blocks[c.kernel.block_of[block.last + 1]]);
  }
}

}  // namespace burin
