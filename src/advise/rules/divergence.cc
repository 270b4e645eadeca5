// Divergent warps: some lanes are idle while other lanes of their warp take another path.
//
// If lanes that take the same path shared a warp, an instruction with half of its lanes active
// would be executed half as often, but by at least one warp of the block. If a branch outside loops
// leaves some lanes without work for most of the kernel, fewer threads are launched as well. Loops
// that one thread runs for its block are spread over all threads of the block.
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "advise/case/origin.h"
#include "advise/case/requests.h"
#include "advise/patterns/code/guarded_code.h"
#include "advise/patterns/code/idle_lanes.h"
#include "advise/patterns/code/lanes.h"
#include "advise/patterns/code/loop_values.h"
#include "advise/patterns/code/needless.h"
#include "advise/patterns/code/splitting_branch.h"
#include "advise/patterns/mapping/divergence_text.h"
#include "advise/patterns/mapping/fewer_threads.h"
#include "advise/patterns/mapping/one_thread.h"
#include "advise/patterns/reductions/carried.h"
#include "advise/patterns/reductions/short_rows.h"
#include "advise/rules/all.h"
#include "base/format.h"
#include "read/isa/traits.h"

namespace burin::advise {

namespace {

constexpr double kGrades = 16;
// Of issued instructions: nearly the whole kernel is divergent.
constexpr double kMinSplitShare = 0.5;
constexpr double kMaxBodyCode = 48;   // instructions that all lanes can execute
constexpr double kMinOneSided = 0.9;  // of it on one side of the branch: the other side has no work

// Atomics in global memory cost per lane: full warps do as many updates.
bool updates_memory(const read::Instruction& i) {
  return read::is_atomic(i) && read::may_be_global(i);
}

class Divergence final : public Rule {
  std::string_view id() const override { return "divergence"; }
  std::string_view summary() const override { return "divergent warps"; }

  std::vector<Match> match(const Case& c) const override {
    if (c.study == nullptr) return {};
    const std::vector<LaneMean> lanes = lanes_of(*c.study);
    const double full = lanes.empty() ? 0 : lanes[0].active;  // blocks may have partial warps
    if (full <= 0) return {};
    const OneThreadLoops alone = loops_of_one_thread(c, lanes);
    // The active lanes of several warps fit into one warp at best.
    const bool one_warp = static_cast<double>(c.block.total()) <= full;
    const std::vector<double> warps = warps_at(c);
    std::vector<double> wasted(c.size());
    SplitCode is_split(c, lanes);
    std::map<double, analyze::Edit> edits;  // by remaining share
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      if (lanes[i].executions <= 0 || lanes[i].active >= kFullWarp * full) continue;
      const double left = std::max(std::ceil(lanes[i].active / full * kGrades) / kGrades,
                                   one_warp ? 0 : 1 / std::max(1.0, warps[i]));
      if (alone.instructions[i] != 0) wasted[i] = 1 - 1.0 / static_cast<double>(c.block.total());
      if (alone.instructions[i] != 0 || left >= 1 || !c.at(i).known() ||
          machine::timing_class(c.at(i)) == machine::TimingClass::kBarrier ||
          updates_memory(c.at(i)) || !is_split(i))
        continue;
      wasted[i] = 1 - left;
      analyze::Edit& edit =
          edits
              .try_emplace(left, analyze::Edit{.kind = analyze::Edit::Kind::kShare,
                                               .instructions = read::InstructionSet(c.size()),
                                               .value = left})
              .first->second;
      edit.instructions[i] = 1;
    }
    Match match;
    // Full warps drain as many stores.
    match.stalls = stalls_where(c, [&](const BlamedStall& s) {
      return wasted[s.waits] > 0 && s.stall != launch::Stall::kDrain;
    });
    if (match.stalls.empty()) return {};
    if (const auto rows = short_rows(c, lanes)) return {of_short_rows(c, *rows)};
    for (MatchedStall& m : match.stalls) m.weight = wasted[c.blamed.stalls[m.stall].waits];
    const Split split = largest_split(c, lanes, match.stalls);
    if (split.hot == read::kNoIndex) return {};
    for (auto& [left, edit] : edits) match.edits.push_back(std::move(edit));
    match.edits.push_back(simple_tests(c, lanes, wasted));
    if (!alone.names.empty()) {
      match.edits.push_back(
          {.kind = analyze::Edit::Kind::kSpread, .instructions = alone.instructions});
      match.added_us = alone.combining_us;
      match.relieves.push_back(machine::Resource::kBarrier);
    }
    const bool joined = splits_all(c, wasted, split);
    if (joined) join_threads(c, wasted, match);
    if (!joined && alone.names.empty()) {
      if (auto chosen = choose_for_all(c, lanes, full, wasted, split)) return std::move(*chosen);
    }
    for (const machine::Resource r :
         {machine::Resource::kIssue, machine::Resource::kFma, machine::Resource::kAlu,
          machine::Resource::kXu, machine::Resource::kLsu, machine::Resource::kFp64,
          machine::Resource::kShared, machine::Resource::kL1}) {
      match.relieves.push_back(r);
    }
    if (joined) match.relieves.push_back(machine::Resource::kDispatch);
    const bool by_trips = !joined && split.loop != read::kNoIndex;
    // Work whose length is known only afterwards cannot be sorted or shared.
    if (by_trips && !is_foreseen(c, lanes, split.branch, split.loop)) return {};
    if (!by_trips && !joined && alone.instructions[split.hot] == 0) {
      // Another thread would need the results of this one's earlier iterations.
      if (uses_own_results(c, split)) return {};
      // Elements can only move between the warps of a block, and there is one.
      if (one_warp && splits_by_data_or_thread(c, split.branch)) return {};
    }
    describe_divergence(c,
                        {.lanes = lanes,
                         .wasted = wasted,
                         .full = full,
                         .split = split,
                         .joined = joined,
                         .alone = alone},
                        match);
    return {std::move(match)};
  }

  static bool splits_by_data_or_thread(const Case& c, std::uint32_t branch) {
    if (branch == read::kNoIndex) return false;
    return by_thread_alone(c, branch) || (Origins(c.kernel).of(branch) & Origins::kMemory) != 0;
  }

  // CarriedValues has no values of the FP64 unit.
  static bool sums_doubles(const Case& c, const Slack& slack, std::uint32_t loop, std::uint32_t i) {
    return c.at(i).opcode->pipe == read::Pipe::kFp64 && c.places.in_loop(i, loop) &&
           slack.recurrent(i, loop);
  }

  // Whether the code that the branch guards, around the hot instruction, needs what this thread's
  // earlier iterations of the loop around the branch computed in registers or in arrays of its own.
  static bool uses_own_results(const Case& c, const Split& split) {
    const std::uint32_t hot = split.hot;
    const std::uint32_t branch = split.branch;
    if (branch == read::kNoIndex || c.places.loop_of(branch) == read::kNoIndex) return false;
    const std::uint32_t loop = c.places.loop_of(branch);
    const CarriedValues carried(c, loop);
    const Slack slack(c);
    const read::InstructionSet spills = spills_in(c.kernel);
    const std::uint32_t way = way_of(c, branch, hot);
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      const bool inside =
          i == hot || (way != read::kNoIndex && c.places.in_loop(i, loop) &&
                       c.kernel.dominates(way, c.kernel.block_of[i]) &&
                       !c.kernel.post_dominates(c.kernel.block_of[i], c.kernel.block_of[branch]));
      if (!inside || !c.at(i).known()) continue;
      if (carried.values[i] != 0 || sums_doubles(c, slack, loop, i)) return true;
      if (c.at(i).opcode->space == read::Space::kLocal && spills[i] == 0) return true;
      for (const read::Dependence& d : c.kernel.dependences_of(i)) {
        if (d.kind == read::Dependence::Kind::kRegister && carried.values[d.producer] != 0)
          return true;
      }
    }
    return false;
  }

  // A few instructions that only some lanes execute, depending on loaded data: all lanes compute
  // them and select the result, without the branch and without reconvergence. Warps that skip the
  // code now execute it too. Not set: another change is needed; empty: none is known.
  static std::optional<std::vector<Match>> choose_for_all(const Case& c,
                                                          const std::vector<LaneMean>& lanes,
                                                          double full,
                                                          const std::vector<double>& wasted,
                                                          const Split& split) {
    const std::optional<GuardedCode> code = guarded_code(c, lanes, wasted, split);
    if (!code) return {};
    const std::uint32_t loop = c.places.loop_of(split.branch);
    if (code->size() > kMaxBodyCode) {
      // In a loop the elements cannot be collected first: each thread has its own sums.
      if (loop == read::kNoIndex) return {};
      return std::vector<Match>{};
    }
    analyze::Edit gone{.kind = analyze::Edit::Kind::kSkipped,
                       .instructions = read::InstructionSet(c.size())};
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      if (!c.at(i).known() || c.places.loop_of(i) != loop) continue;
      const auto flow = c.at(i).opcode->flow;
      const bool joins = flow == read::Opcode::kPush || flow == read::Opcode::kSync;
      if (code->branches.contains(i) || joins) gone.instructions[i] = 1;
    }
    Match match;
    match.stalls =
        stalls_where(c, [&](const BlamedStall& s) { return gone.instructions[s.waits] != 0; });
    if (match.stalls.empty()) return {};
    match.edits = {std::move(gone)};
    match.added_us = executed_by_all_us(c, *code);
    match.relieves = {machine::Resource::kIssue};
    match.where = split.branch;
    match.text = idle_text(c, lanes, wasted, full, split, read::kNoIndex);
    match.hint = fmt::format(
        "The condition at {} depends on loaded data. Let all lanes execute the code after it "
        "({:.0f} instructions, which the warp executes anyway), and choose the result with ?: "
        "instead of a branch. What the branch guards against (an index outside of an array, a "
        "division by zero) must be harmless then.",
        place_name(c.kernel, split.branch), code->size());
    match.check = shape_options(c.grid, c.block);
    return std::vector<Match>{std::move(match)};
  }

  // Loops that one thread runs because of its index. If data decides, it is another thread each
  // time.
  static OneThreadLoops loops_of_one_thread(const Case& c, const std::vector<LaneMean>& lanes) {
    OneThreadLoops alone = one_thread_loops(c, lanes);
    const auto first = std::ranges::find(alone.instructions, 1) - alone.instructions.begin();
    const bool chosen =
        !alone.names.empty() &&
        by_thread_alone(c, splitting_branch(c, lanes, static_cast<std::uint32_t>(first)));
    return chosen ? alone : OneThreadLoops{.instructions = read::InstructionSet(c.size())};
  }

  // If the branch depends on the thread index alone, renumbering the threads reduces the test to a
  // comparison, and the code that computed the condition is removed.
  static analyze::Edit simple_tests(const Case& c, const std::vector<LaneMean>& lanes,
                                    const std::vector<double>& wasted) {
    const Origins origins(c.kernel);
    read::InstructionSet branches(c.size());
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      const std::uint32_t branch = wasted[i] > 0 ? splitting_branch(c, lanes, i) : read::kNoIndex;
      if (branch == read::kNoIndex || (origins.of(branch) & Origins::kMemory) != 0) continue;
      branches[branch] = 1;
    }
    read::InstructionSet gone = branches;
    add_dead_code(c.kernel, gone);
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      if (!is_arithmetic(c.at(i))) gone[i] = 0;
      if (branches[i] == 0) continue;
      for (const read::Dependence& d : c.kernel.dependences_of(i)) gone[d.producer] = 0;
    }
    return {.kind = analyze::Edit::Kind::kSkipped, .instructions = std::move(gone)};
  }

  static bool splits_all(const Case& c, const std::vector<double>& wasted, const Split& at) {
    const std::uint32_t branch = at.branch;
    if (branch == read::kNoIndex || c.places.loop_of(branch) != read::kNoIndex) return false;
    if (works_before(c, branch)) return false;  // the lanes that it turns away are needed
    // Lanes that leave a loop early have done their part of it.
    if (at.loop != read::kNoIndex && source_iterations(c, Slack(c), at.loop) >= 2) return false;
    double all = 0;
    double split = 0;
    std::map<std::uint32_t, double> ways;  // instructions issued on each path, by its first block
    const std::uint32_t from = c.kernel.block_of[branch];
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      all += c.blamed.issued[i];
      split += wasted[i] > 0 ? c.blamed.issued[i] : 0;
      // Lanes that skip the branch also store results elsewhere, so they are needed.
      const bool helps = wasted[i] <= 0 && c.at(i).known() && c.at(i).opcode->stores;
      if (helps && c.blamed.issued[i] > 0) return false;
      if (c.kernel.post_dominates(c.kernel.block_of[i], from)) continue;
      const std::uint32_t way = way_of(c, branch, i);
      if (way != read::kNoIndex) ways[way] += c.blamed.issued[i];
    }
    // If both paths have work, all threads are needed.
    double behind = 0;
    double largest = 0;
    for (const auto& [way, issued] : ways) {
      behind += issued;
      largest = std::max(largest, issued);
    }
    return split > kMinSplitShare * all && largest > kMinOneSided * behind;
  }

  // Lanes of a warp that has more of them than its row has elements.
  static Match of_short_rows(const Case& c, const ShortRows& rows) {
    Match match;
    const double left = rows.share();
    match.stalls =
        stalls_where(c, [](const BlamedStall& s) { return s.stall != launch::Stall::kDrain; });
    for (MatchedStall& m : match.stalls) m.weight = 1 - left;
    analyze::Edit fewer{.kind = analyze::Edit::Kind::kShare,
                        .instructions = read::InstructionSet(c.size()),
                        .value = left};
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      fewer.instructions[i] = c.at(i).known() && !updates_memory(c.at(i)) ? 1 : 0;
    }
    match.edits = {std::move(fewer), {.kind = analyze::Edit::Kind::kFewerBlocks, .value = left}};
    // Every warp still runs its loop to the end.
    match.least_us = time_of_part(c, left);
    match.relieves = {machine::Resource::kIssue,   machine::Resource::kFma,
                      machine::Resource::kAlu,     machine::Resource::kXu,
                      machine::Resource::kLsu,     machine::Resource::kFp64,
                      machine::Resource::kUniform, machine::Resource::kShared,
                      machine::Resource::kL1,      machine::Resource::kDispatch};
    match.where = head_of_loop(c, rows.loop);
    match.text = short_rows_text(c, rows);
    match.hint = short_rows_hint(c, rows);
    match.check = shape_options(rows.grid, rows.block);
    return match;
  }

  // Fewer threads are launched, so code that depends on the thread index alone runs less often.
  static void join_threads(const Case& c, const std::vector<double>& wasted, Match& match) {
    double issued = 0;
    double kept = 0;
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      if (wasted[i] <= 0) continue;
      issued += c.blamed.issued[i];
      kept += c.blamed.issued[i] * (1 - wasted[i]);
    }
    analyze::Edit before{.kind = analyze::Edit::Kind::kShare,
                         .instructions = read::InstructionSet(c.size()),
                         .value = kept / issued};
    const Origins origins(c.kernel);
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      const read::Instruction& at = c.at(i);
      const bool computes = at.known() && !at.opcode->loads && !at.opcode->stores &&
                            machine::timing_class(at) != machine::TimingClass::kBarrier;
      const bool fixed = wasted[i] <= 0 && (origins.of(i) & Origins::kMemory) == 0;
      before.instructions[i] = computes && fixed ? 1 : 0;
    }
    // Every warp still runs its loops to their ends.
    match.least_us = time_of_part(c, before.value);
    match.edits.push_back({.kind = analyze::Edit::Kind::kFewerBlocks, .value = before.value});
    match.edits.push_back(std::move(before));
  }
};

}  // namespace

const Rule* divergence() {
  static const Divergence rule;
  return &rule;
}

}  // namespace burin::advise
