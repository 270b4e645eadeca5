#include "advise/patterns/code/idle_lanes.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "advise/case/requests.h"
#include "advise/case/source_text.h"
#include "analyze/code/regions.h"
#include "base/format.h"
#include "read/isa/traits.h"

namespace burin::advise {

namespace {

constexpr double kSameMean = 0.5;  // lanes by which a mean may differ without being named

// Lanes of a warp arrive at these in parts.
bool joins_lanes(const read::Instruction& i) {
  return i.known() &&
         (i.opcode->flow == read::Opcode::kSync || i.opcode->flow == read::Opcode::kPush);
}

// splitting_branch() depends on the basic block and on the active lanes only.
class Splits {
 public:
  Splits(const Case& c, const std::vector<LaneMean>& lanes) : c_(c), lanes_(lanes) {}
  std::uint32_t of(std::uint32_t instruction) {
    const auto [at, is_new] =
        branches_.try_emplace({c_.kernel.block_of[instruction], lanes_[instruction].active});
    if (is_new) at->second = splitting_branch(c_, lanes_, instruction);
    return at->second;
  }
  // The loop that lanes leave through the branch of the instruction; kNoIndex: another branch.
  std::uint32_t loop_of(std::uint32_t instruction) {
    const auto [at, is_new] = loops_.try_emplace({of(instruction), c_.places.loop_of(instruction)});
    if (is_new) at->second = bounded_loop(c_, of(instruction), instruction);
    return at->second;
  }

 private:
  const Case& c_;
  const std::vector<LaneMean>& lanes_;
  std::map<std::pair<std::uint32_t, double>, std::uint32_t> branches_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> loops_;
};

struct LaneSum {
  double executions = 0;
  double active = 0;
  double idle = 0;
  std::uint32_t example = read::kNoIndex;

  void add(const LaneMean& mean, double full, std::uint32_t instruction) {
    if (example == read::kNoIndex) example = instruction;
    executions += mean.executions;
    active += mean.executions * mean.active;
    idle += mean.executions * std::max(0.0, full - mean.active);
  }
  double mean() const { return executions > 0 ? active / executions : 0; }
};

using Line = std::pair<std::string, std::uint32_t>;

Line line_at(const Case& c, std::uint32_t instruction) {
  const analyze::SourceLine line = analyze::line_of(c.kernel, instruction);
  // Without lines each instruction is a place of its own.
  return line.line == 0 ? Line{"", instruction} : Line{std::string(line.file), line.line};
}

bool branches(const Case& c, std::uint32_t block) {
  return c.kernel.blocks[block].successors.size() > 1;
}

}  // namespace

Split largest_split(const Case& c, const std::vector<LaneMean>& lanes,
                    std::span<const MatchedStall> stalls) {
  struct Lost {
    double cycles = 0;
    double most = 0;
    Split split{};
  };
  Splits splits(c, lanes);
  std::map<std::pair<bool, std::uint32_t>, Lost> causes;  // of a loop; its number or the branch's
  for (const MatchedStall& m : stalls) {
    const BlamedStall& stall = c.blamed.stalls[m.stall];
    if (joins_lanes(c.at(stall.waits))) continue;
    const std::uint32_t loop = splits.loop_of(stall.waits);
    const bool of_loop = loop != read::kNoIndex;
    Lost& lost = causes[{of_loop, of_loop ? loop : splits.of(stall.waits)}];
    const double cycles = stall.cycles.sum() * m.weight;
    lost.cycles += cycles;
    if (cycles <= lost.most) continue;
    lost.most = cycles;
    lost.split = {.hot = stall.waits, .branch = splits.of(stall.waits), .loop = loop};
  }
  const auto largest = std::ranges::max_element(
      causes, std::less(), [](const auto& cause) { return cause.second.cycles; });
  return largest == causes.end() ? Split{} : largest->second.split;
}

std::string idle_text(const Case& c, const std::vector<LaneMean>& lanes,
                      const std::vector<double>& wasted, double full, const Split& split,
                      std::uint32_t loop) {
  Splits splits(c, lanes);
  LaneSum all;
  std::map<Line, LaneSum> lines;
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    if (wasted[i] <= 0 || lanes[i].executions <= 0 || joins_lanes(c.at(i))) continue;
    const bool of_split = loop != read::kNoIndex ? c.places.in_loop(i, loop)
                                                 : i == split.hot || splits.of(i) == split.branch;
    if (!of_split) continue;
    all.add(lanes[i], full, i);
    lines[line_at(c, i)].add(lanes[i], full, i);
  }
  if (lines.empty()) lines[line_at(c, split.hot)].add(lanes[split.hot], full, split.hot);
  const auto worst = std::ranges::max_element(lines, std::less(),
                                              [](const auto& line) { return line.second.idle; });
  // All instructions of the line count, as in `burin run`.
  LaneSum here;
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    if (lanes[i].executions > 0 && !joins_lanes(c.at(i)) && line_at(c, i) == worst->first) {
      here.add(lanes[i], full, i);
    }
  }
  std::string text = fmt::format("Only {:.1f} of {:.0f} lanes are active at {}", here.mean(), full,
                                 place_name(c.kernel, worst->second.example));
  const bool of_loop = loop != read::kNoIndex;
  if (lines.size() > 1 && std::abs(all.mean() - here.mean()) >= kSameMean) {
    text += fmt::format(", and {:.1f} on average in all code that {}", all.mean(),
                        of_loop ? "the loop repeats" : "the branch guards");
  }
  if (of_loop) {
    return text +
           fmt::format(": the lanes of a warp run different numbers of iterations of the {}.",
                       loop_name(c, loop));
  }
  const std::uint32_t where = split.branch == read::kNoIndex ? split.hot : split.branch;
  return text + fmt::format(": the branch at {} diverges.", place_name(c.kernel, where));
}

std::uint32_t head_of_loop(const Case& c, std::uint32_t loop) {
  const std::uint32_t back = c.kernel.blocks[c.kernel.loops[loop].latches.front()].last;
  if (may_have(c, back, Construct::kLoop)) return back;
  for (const std::uint32_t b : c.kernel.loops[loop].blocks) {
    for (std::uint32_t i = c.kernel.blocks[b].first; i <= c.kernel.blocks[b].last; ++i) {
      if (may_have(c, i, Construct::kLoop)) return i;
    }
  }
  return back;
}

unsigned cases_of(const Case& c, const std::vector<LaneMean>& lanes, std::uint32_t branch) {
  if (branch == read::kNoIndex) return 0;
  const Line line = line_at(c, branch);
  const auto of_line = [&](std::uint32_t block) {
    return branches(c, block) && line_at(c, c.kernel.blocks[block].last) == line;
  };
  // The first branch of the line decides where its sides meet.
  std::uint32_t top = c.kernel.block_of[branch];
  for (std::uint32_t b = c.kernel.blocks[top].immediate_dominator; b != read::kNoIndex;
       b = c.kernel.blocks[b].immediate_dominator) {
    if (of_line(b)) top = b;
  }
  std::set<std::uint32_t> sides;
  std::set<std::uint32_t> seen{top};
  std::vector<std::uint32_t> open{top};
  while (!open.empty()) {
    const std::uint32_t block = open.back();
    open.pop_back();
    for (const read::Edge& edge : c.kernel.blocks[block].successors) {
      if (!seen.insert(edge.block).second) continue;
      if (of_line(edge.block)) {
        open.push_back(edge.block);
      } else if (lanes[c.kernel.blocks[edge.block].first].executions > 0 &&
                 !c.kernel.post_dominates(edge.block, top)) {
        sides.insert(edge.block);
      }
    }
  }
  return static_cast<unsigned>(sides.size());
}

bool works_before(const Case& c, std::uint32_t branch) {
  if (branch == read::kNoIndex) return false;
  const std::uint32_t from = c.kernel.block_of[branch];
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    const std::uint32_t block = c.kernel.block_of[i];
    if (!c.at(i).known() || !c.executed(i) || i == branch) continue;
    const bool after = block == from ? i > branch : c.kernel.dominates(from, block);
    if (after || c.places.function_of(i) != c.places.function_of(branch)) continue;
    if (c.places.loop_of(i) != read::kNoIndex || read::has(c.at(i), read::Trait::kCrossLane) ||
        machine::timing_class(c.at(i)) == machine::TimingClass::kBarrier ||
        (touches_shared(c.at(i)) && c.at(i).opcode->stores)) {
      return true;
    }
  }
  return false;
}

std::uint32_t early_return(const Case& c, const std::vector<LaneMean>& lanes,
                           std::uint32_t instruction) {
  std::uint32_t found = read::kNoIndex;
  for (std::uint32_t b = c.kernel.block_of[instruction]; b != read::kNoIndex;
       b = c.kernel.blocks[b].immediate_dominator) {
    const std::uint32_t last = c.kernel.blocks[b].last;
    const bool leaves = c.kernel.blocks[b].exits && last < instruction &&
                        lanes[last].executions > 0 && !c.at(last).guard.always();
    if (leaves) found = last;
  }
  return found;
}

}  // namespace burin::advise
