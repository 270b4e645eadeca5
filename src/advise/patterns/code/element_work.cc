#include "advise/patterns/code/element_work.h"

#include <algorithm>
#include <set>
#include <vector>

#include "advise/case/requests.h"

namespace burin::advise {

read::InstructionSet work_of_each_element(const Case& c, const Origins& origins,
                                          std::uint32_t along_x) {
  constexpr Origins::Mask kAlongX = Origins::kThreadX | Origins::kBlockX;
  read::InstructionSet found(c.size());
  read::InstructionSet seen(c.size());
  std::vector<std::uint32_t> open;
  const auto visit_values_of = [&](std::uint32_t i) {
    for (const read::Dependence& d : c.kernel.dependences_of(i)) {
      const bool value = d.kind == read::Dependence::Kind::kRegister &&
                         !read::feeds_address(c.at(i), d) && seen[d.producer] == 0;
      if (!value || (origins.of(d.producer) & kAlongX) == 0) continue;
      seen[d.producer] = 1;
      open.push_back(d.producer);
    }
  };
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    if (touches_global(c.at(i)) && c.at(i).opcode->stores) visit_values_of(i);
  }
  while (!open.empty()) {
    const std::uint32_t i = open.back();
    open.pop_back();
    if (c.at(i).opcode != nullptr && c.at(i).opcode->loads) continue;
    found[i] = 1;
    visit_values_of(i);
  }
  std::set<std::uint32_t> loops;
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    if (found[i] != 0) loops.insert(c.places.loop_of(i));
  }
  for (std::uint32_t loop = 0; loop < c.kernel.loops.size(); ++loop) {
    for (const std::uint32_t b : c.kernel.loops[loop].exits) {
      for (const read::Edge& edge : c.kernel.blocks[b].predecessors) {
        const bool from_loop = std::ranges::binary_search(c.kernel.loops[loop].blocks, edge.block);
        const std::uint32_t branch = c.kernel.blocks[edge.block].last;
        if (from_loop && (origins.of(branch) & kAlongX) != 0) loops.insert(loop);
      }
    }
  }
  for (std::uint32_t loop = along_x; loop != read::kNoIndex; loop = c.kernel.loops[loop].parent)
    loops.erase(loop);
  loops.erase(read::kNoIndex);
  for (const std::uint32_t loop : loops) {
    for (const std::uint32_t b : c.kernel.loops[loop].blocks) {
      for (std::uint32_t i = c.kernel.blocks[b].first; i <= c.kernel.blocks[b].last; ++i)
        if (!touches_global(c.at(i))) found[i] = 1;
    }
  }
  return found;
}

}  // namespace burin::advise
