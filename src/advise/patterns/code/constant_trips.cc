#include "advise/patterns/code/constant_trips.h"

#include <algorithm>
#include <vector>

namespace burin::advise {

bool has_constant_trips(const Case& c, std::uint32_t loop) {
  std::vector<std::uint32_t> open;
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    const bool branch = c.places.in_loop(i, loop) && c.at(i).known() &&
                        c.at(i).opcode->flow == read::Opcode::kBranch;
    if (branch && c.kernel.block_of[i] < c.kernel.blocks.size()) {
      const read::BasicBlock& block = c.kernel.blocks[c.kernel.block_of[i]];
      const bool leaves = std::ranges::any_of(block.successors, [&](const read::Edge& e) {
        return !c.places.in_loop(c.kernel.blocks[e.block].first, loop);
      });
      if (leaves) open.push_back(i);
    }
  }
  read::InstructionSet seen(c.size());
  while (!open.empty()) {
    const std::uint32_t at = open.back();
    open.pop_back();
    const bool local = c.at(at).known() && c.at(at).opcode->space == read::Space::kLocal;
    if (local) continue;
    if (!c.at(at).known() || c.at(at).opcode->loads) return false;
    for (const read::Operand& o : c.at(at).operands()) {
      if (o.kind == read::Operand::Kind::kConstant || o.kind == read::Operand::Kind::kSpecial)
        return false;
    }
    for (const read::Dependence& d : c.kernel.dependences_of(at)) {
      if (d.kind != read::Dependence::Kind::kRegister || seen[d.producer] != 0) continue;
      seen[d.producer] = 1;
      open.push_back(d.producer);
    }
  }
  return true;
}

}  // namespace burin::advise
