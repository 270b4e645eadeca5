#include "advise/patterns/code/opened_code.h"

#include <algorithm>
#include <map>
#include <set>

#include "advise/case/origin.h"
#include "advise/case/requests.h"
#include "advise/patterns/code/loop_values.h"
#include "advise/patterns/code/needless.h"
#include "analyze/code/regions.h"
#include "read/isa/traits.h"

namespace burin::advise {

namespace {

constexpr double kUnrolled = 4;  // copies that compilers interleave

}  // namespace

OpenedCode::OpenedCode(const Case& c, const std::map<MathPlace, MathLine>& lines)
    : gone(c.size()), lines_(lines), copies_(c.size(), 1), joins_(c.size()) {
  for (const read::BasicBlock& block : c.kernel.blocks) {
    if (block.callee == read::kNoIndex || block.immediate_dominator == read::kNoIndex) continue;
    const std::uint32_t function = c.places.function_of(c.kernel.blocks[block.callee].first);
    const std::uint32_t branch = c.kernel.blocks[block.immediate_dominator].last;
    if (!is_slow_path(c, function) || !c.executed(branch)) continue;
    for (std::uint32_t i = block.first; i <= block.last; ++i) gone[i] = 1;
    if (c.at(branch).opcode->flow == read::Opcode::kBranch) gone[branch] = 1;
  }
  add_dead_code(c.kernel, gone);
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    if (is_arithmetic(c.at(i))) gone[i] = 0;  // counted with its line
  }
  open_loops(c);
  open_straight_code(c);
  join_loads(c);
}

bool OpenedCode::is_slow_path(const Case& c, std::uint32_t function) {
  return function != 0 && c.places.of_compiler(function) &&
         c.places.function_name(function).find("_f32") != std::string_view::npos;
}

// Whether this is an inlined slow path of the function that was never executed.
bool OpenedCode::is_inlined_slow_path(const Case& c, std::uint32_t block) const {
  const std::uint32_t first = c.kernel.blocks[block].first;
  const analyze::SourceLine line = analyze::line_of(c.kernel, first);
  return !c.executed(first) && lines_.contains({line.file, line.line});
}

// Innermost loops without any branch other than their own.
void OpenedCode::open_loops(const Case& c) {
  const std::vector<std::uint32_t> kinds = analyze::copy_kinds(c.kernel);
  for (std::uint32_t l = 0; l < c.kernel.loops.size(); ++l) {
    bool opened = false;
    bool parted = false;
    bool stores = false;
    bool loads = false;                    // loads that may not move above the stores
    std::map<std::uint32_t, double> same;  // existing copies, by kind
    std::map<std::uint32_t, std::set<std::uint32_t>> blocks;  // the blocks that contain them
    const read::InstructionSet inside = c.places.instructions_of_loop(l);
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      if (inside[i] == 0 || !c.at(i).known()) continue;
      const std::uint32_t own = c.kernel.block_of[i];
      if (is_inlined_slow_path(c, own)) {
        opened = true;
        continue;
      }
      parted |= c.places.loop_of(i) != l;
      opened |= gone[i] != 0;
      same[kinds[i]] += 1;
      blocks[kinds[i]].insert(own);
      if (touches_global(c.at(i))) {
        stores |= c.at(i).opcode->stores;
        loads |= c.at(i).opcode->loads && !read::is_read_only_load(c.at(i));
      }
      const read::BasicBlock& block = c.kernel.blocks[own];
      const bool branch = c.at(i).opcode->flow == read::Opcode::kBranch && gone[i] == 0;
      parted |= branch && block.successors.size() > 1 &&
                std::ranges::all_of(block.successors, [&](const read::Edge& e) {
                  return e.block != c.kernel.loops[l].header &&
                         inside[c.kernel.blocks[e.block].first] != 0 &&
                         !is_inlined_slow_path(c, e.block);
                });
    }
    if (!opened || parted || (stores && loads)) continue;
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      if (inside[i] == 0 || !blocks.contains(kinds[i])) continue;
      // Copies that already exist in separate blocks are interleaved as well.
      const auto apart = static_cast<double>(blocks.at(kinds[i]).size());
      copies_[i] = std::max({1.0, kUnrolled / same[kinds[i]], std::min(kUnrolled, apart)});
    }
  }
}

// Copies of a line that contains a slow path, outside loops.
void OpenedCode::open_straight_code(const Case& c) {
  std::set<MathPlace> lines;
  const auto key = [&](std::uint32_t i) -> MathPlace {
    const analyze::SourceLine line = analyze::line_of(c.kernel, i);
    return {line.file, line.line};
  };
  const auto outside = [&](std::uint32_t i) {
    return c.places.loop_of(i) == read::kNoIndex && c.places.function_of(i) == 0;
  };
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    if (gone[i] != 0 && outside(i)) lines.insert(key(i));
  }
  if (lines.empty()) return;
  const std::vector<std::uint32_t> kinds = analyze::copy_kinds(c.kernel);
  std::map<std::uint32_t, std::set<std::uint32_t>> blocks;  // with a copy, by kind
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    if (outside(i) && c.executed(i)) blocks[kinds[i]].insert(c.kernel.block_of[i]);
  }
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    if (!outside(i) || !c.executed(i)) continue;
    copies_[i] = std::min(kUnrolled, static_cast<double>(blocks[kinds[i]].size()));
  }
}

// A load after a branch that is removed, with a load in front of it that the code waits for: both
// are then issued together, if the address is known and no store lies between them.
void OpenedCode::join_loads(const Case& c) {
  const Origins origins(c.kernel);
  bool loaded = false;  // since the last store or remaining branch
  bool opened = false;  // a removed branch since then
  std::uint32_t loop = read::kNoIndex;
  for (std::uint32_t i = 0; i < c.size() && c.places.function_of(i) == 0; ++i) {
    const std::uint32_t block = c.kernel.block_of[i];
    if (!c.at(i).known() || !c.executed(i) || is_inlined_slow_path(c, block)) continue;
    const bool branch = c.at(i).opcode->flow == read::Opcode::kBranch;
    const bool stores = c.at(i).opcode->stores && touches_global(c.at(i));
    const bool enters = c.places.loop_of(i) != loop;
    loop = c.places.loop_of(i);
    if (stores || enters || (branch && gone[i] == 0)) loaded = opened = false;
    if (gone[i] != 0 && branch && loaded) opened = true;
    if (!touches_global(c.at(i)) || !c.at(i).opcode->loads || stores) continue;
    const bool known = (origins.of_address(i) & Origins::kLoaded) == 0;
    if (opened && known && copies_[i] <= 1) joins_[i] = 1;
    loaded = true;
  }
}

}  // namespace burin::advise
