#include "advise/patterns/code/splitting_branch.h"

#include <algorithm>
#include <set>

#include "advise/case/origin.h"
#include "advise/case/source_text.h"
#include "advise/patterns/code/loop_values.h"
#include "analyze/code/regions.h"
#include "read/isa/traits.h"

namespace burin::advise {

namespace {

// Whether a branch makes lanes leave the loop after different numbers of iterations.
bool leaves_loop(const Case& c, std::uint32_t branch, std::uint32_t loop) {
  const read::BasicBlock& block = c.kernel.blocks[c.kernel.block_of[branch]];
  return std::ranges::any_of(block.successors, [&](const read::Edge& e) {
    return !c.places.in_loop(c.kernel.blocks[e.block].first, loop);
  });
}

// Whether some lane has left the loop by the branch. `if (…) break;` may never be met.
bool was_left_by(const Case& c, const std::vector<LaneMean>& lanes, std::uint32_t branch,
                 std::uint32_t loop) {
  const LaneMean& mean = lanes[branch];
  if (c.at(branch).guard.always()) return true;
  return std::ranges::any_of(c.kernel.blocks[c.kernel.block_of[branch]].successors,
                             [&](const read::Edge& e) {
                               if (c.places.in_loop(c.kernel.blocks[e.block].first, loop))
                                 return false;
                               const bool taken = e.kind == read::Edge::Kind::kBranch;
                               return (taken ? mean.guarded : mean.active - mean.guarded) > 0;
                             });
}

// The branch by which lanes leave a loop, preferably one that depends on loaded data.
std::uint32_t exit_of(const Case& c, const std::vector<LaneMean>& lanes, std::uint32_t loop) {
  const Origins origins(c.kernel);
  std::uint32_t found = read::kNoIndex;
  for (const std::uint32_t b : c.kernel.loops[loop].blocks) {
    const std::uint32_t last = c.kernel.blocks[b].last;
    if (!leaves_loop(c, last, loop) || !was_left_by(c, lanes, last, loop)) continue;
    found = last;
    if ((origins.of(last) & Origins::kMemory) != 0) return last;
  }
  return found;
}

// Whether the branch has a predicate beside its guard: `@!P0 BRA P1, …`.
bool reads_other_predicates(const read::Instruction& branch) {
  return std::ranges::any_of(branch.operands(), [](const read::Operand& o) {
    return (o.is_register(read::RegisterFile::kPredicate) ||
            o.is_register(read::RegisterFile::kUniformPredicate)) &&
           o.index != read::kZeroRegister;
  });
}

}  // namespace

std::uint32_t splitting_branch(const Case& c, const std::vector<LaneMean>& lanes,
                               std::uint32_t instruction) {
  const double most = lanes[instruction].active / kFullWarp;
  std::uint32_t block = c.kernel.block_of[instruction];
  while (true) {
    const std::uint32_t loop = c.kernel.blocks[block].loop;
    block = c.kernel.blocks[block].immediate_dominator;
    if (block == read::kNoIndex) return read::kNoIndex;
    const std::uint32_t last = c.kernel.blocks[block].last;
    if (lanes[last].active <= most) continue;
    if (c.kernel.blocks[block].successors.size() > 1 || c.kernel.blocks[block].exits) return last;
    // More lanes entered the loop than are active on average.
    if (loop != read::kNoIndex && !c.places.in_loop(last, loop)) return exit_of(c, lanes, loop);
  }
}

bool has_work_on_both_sides(const Case& c, const std::vector<LaneMean>& lanes,
                            std::uint32_t branch) {
  constexpr double kMinSide = 0.1;  // of the longest side's instructions
  if (branch == read::kNoIndex) return false;
  const std::uint32_t splits = c.kernel.block_of[branch];
  std::map<std::uint32_t, double>
      sides;  // issued instructions, by the block that a side begins with
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    if (lanes[i].active > kFullWarp * lanes[branch].active) continue;
    const std::uint32_t side = way_of(c, branch, i);
    // Where the sides meet again is none of them.
    const bool is_side = side != read::kNoIndex && !c.kernel.post_dominates(side, splits);
    if (is_side) sides[side] += c.blamed.issued[i];
  }
  double longest = 0;
  for (const auto& [side, issued] : sides) longest = std::max(longest, issued);
  return std::ranges::count_if(sides, [&](const auto& side) {
           return side.second > 0 && side.second >= kMinSide * longest;
         }) > 1;
}

std::uint32_t bounded_loop(const Case& c, std::uint32_t branch, std::uint32_t hot) {
  if (branch == read::kNoIndex) return read::kNoIndex;
  const std::uint32_t loop = c.places.loop_of(hot);
  if (loop != read::kNoIndex && c.places.in_loop(branch, loop) && leaves_loop(c, branch, loop)) {
    return loop;
  }
  const std::uint32_t line = analyze::line_of(c.kernel, branch).line;
  const bool by_data = (Origins(c.kernel).of(branch) & Origins::kMemory) != 0;
  if (!by_data || line == 0 || !may_have(c, branch, Construct::kLoop)) return read::kNoIndex;
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    const std::uint32_t of = c.places.loop_of(i);
    if (of == read::kNoIndex || !c.at(i).known() || analyze::line_of(c.kernel, i).line != line) {
      continue;
    }
    if (c.at(i).opcode->flow == read::Opcode::kBranch && leaves_loop(c, i, of)) return of;
  }
  return read::kNoIndex;
}

Split split_at(const Case& c, const std::vector<LaneMean>& lanes, std::uint32_t hot) {
  const std::uint32_t branch = splitting_branch(c, lanes, hot);
  return {.hot = hot, .branch = branch, .loop = bounded_loop(c, branch, hot)};
}

std::uint32_t way_of(const Case& c, std::uint32_t branch, std::uint32_t instruction) {
  std::uint32_t block = c.kernel.block_of[instruction];
  const std::uint32_t from = c.kernel.block_of[branch];
  while (block != read::kNoIndex && c.kernel.blocks[block].immediate_dominator != from) {
    block = c.kernel.blocks[block].immediate_dominator;
  }
  return block;
}

bool by_thread_alone(const Case& c, std::uint32_t branch) {
  if (branch == read::kNoIndex) return false;
  constexpr Origins::Mask kOthers =
      Origins::kMemory | Origins::kLoaded | Origins::kBlock | Origins::kThreadY | Origins::kThreadZ;
  const Origins::Mask from = Origins(c.kernel).of(branch);
  return (from & Origins::kThreadX) != 0 && (from & kOthers) == 0;
}

bool is_foreseen(const Case& c, const std::vector<LaneMean>& lanes, std::uint32_t branch,
                 std::uint32_t loop) {
  const read::Guard& guard = c.at(branch).guard;
  const bool guard_holds = lanes[branch].guarded >= lanes[branch].active;
  const auto of_guard = [&](const read::Dependence& d) {
    return d.consumer == branch && d.index == guard.index &&
           d.file == (guard.uniform ? read::RegisterFile::kUniformPredicate
                                    : read::RegisterFile::kPredicate);
  };
  std::vector<std::uint32_t> open{branch};
  std::set<std::uint32_t> seen;
  while (!open.empty()) {
    const std::uint32_t at = open.back();
    open.pop_back();
    for (const read::Dependence& d : c.kernel.dependences_of(at)) {
      const bool inside = c.places.in_loop(d.producer, loop);
      if (!inside || d.kind != read::Dependence::Kind::kRegister) continue;
      if (guard_holds && of_guard(d) && reads_other_predicates(c.at(branch))) continue;
      const read::Instruction& producer = c.at(d.producer);
      const bool constant = producer.known() && producer.opcode->space == read::Space::kConstant;
      if (!is_integer(producer) && !constant) return false;
      if (seen.insert(d.producer).second) open.push_back(d.producer);
    }
  }
  return true;
}

bool SplitCode::operator()(std::uint32_t instruction) {
  if (c_.places.of_compiler(c_.places.function_of(instruction))) return false;
  const std::uint32_t branch = splitting_branch(c_, lanes_, instruction);
  if (branch == read::kNoIndex) return true;
  const auto [known, is_new] = written_.try_emplace(branch);
  if (is_new) known->second = may_have(c_, branch, Construct::kCondition);
  return known->second;
}

}  // namespace burin::advise
