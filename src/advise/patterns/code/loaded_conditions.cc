#include "advise/patterns/code/loaded_conditions.h"

#include <algorithm>

namespace burin::advise {

bool is_bound_loaded(const Case& c, const Origins& origins, std::uint32_t loop) {
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    if (!c.at(i).known() || c.at(i).opcode->flow != read::Opcode::kBranch) continue;
    const std::vector<read::Edge>& ways = c.kernel.blocks[c.kernel.block_of[i]].successors;
    const bool leaves = c.places.in_loop(i, loop) && std::ranges::any_of(ways, [&](auto& way) {
                          return !c.places.in_loop(c.kernel.blocks[way.block].first, loop);
                        });
    if (leaves && (origins.of(i) & Origins::kMemory) != 0) return true;
  }
  return false;
}

read::InstructionSet under_loaded_condition(const Case& c, const Origins& origins) {
  read::InstructionSet set(c.size());
  for (std::uint32_t loop = 0; loop < c.kernel.loops.size(); ++loop) {
    if (!is_bound_loaded(c, origins, loop)) continue;
    const read::InstructionSet inside = c.places.instructions_of_loop(loop);
    for (std::uint32_t i = 0; i < c.size(); ++i) set[i] |= inside[i];
  }
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    const std::uint32_t own = c.kernel.block_of[i];
    std::uint32_t block = c.kernel.blocks[own].immediate_dominator;
    for (; block != read::kNoIndex; block = c.kernel.blocks[block].immediate_dominator) {
      const std::uint32_t last = c.kernel.blocks[block].last;
      const bool splits =
          c.kernel.blocks[block].successors.size() > 1 || c.kernel.blocks[block].exits;
      if (splits && (origins.of(last) & Origins::kMemory) != 0 &&
          !c.kernel.post_dominates(own, block)) {
        set[i] = 1;
        break;
      }
    }
  }
  return set;
}

read::InstructionSet after_loaded_branch(const Case& c, const Origins& origins) {
  std::vector<std::uint8_t> reached(c.kernel.blocks.size());
  std::vector<std::uint32_t> open;
  const auto follow = [&](std::uint32_t block) {
    for (const read::Edge& edge : c.kernel.blocks[block].successors) {
      if (reached[edge.block] != 0) continue;
      reached[edge.block] = 1;
      open.push_back(edge.block);
    }
  };
  for (std::uint32_t b = 0; b < c.kernel.blocks.size(); ++b) {
    const read::BasicBlock& block = c.kernel.blocks[b];
    const bool splits = block.successors.size() > 1 || block.exits;
    if (splits && (origins.of(block.last) & Origins::kMemory) != 0) follow(b);
  }
  while (!open.empty()) {
    const std::uint32_t block = open.back();
    open.pop_back();
    follow(block);
  }
  read::InstructionSet set(c.size());
  for (std::uint32_t i = 0; i < c.size(); ++i) set[i] = reached[c.kernel.block_of[i]];
  return set;
}

}  // namespace burin::advise
