// Divergent warps: some lanes are idle while other lanes of their warp take another path.
//
// If lanes that take the same path shared a warp, an instruction with half of its lanes active
// would be executed half as often, but by at least one warp of the block. If a branch outside loops
// leaves some lanes without work for most of the kernel, fewer threads are launched as well. Loops
// that one thread runs for its block are spread over all threads of the block.
#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "advise/case/origin.h"
#include "advise/case/requests.h"
#include "advise/case/source_text.h"
#include "advise/patterns/code/lanes.h"
#include "advise/patterns/code/loop_values.h"
#include "advise/patterns/code/needless.h"
#include "advise/patterns/code/splitting_branch.h"
#include "advise/patterns/mapping/fewer_threads.h"
#include "advise/patterns/mapping/one_thread.h"
#include "advise/patterns/mapping/row_text.h"
#include "advise/patterns/reductions/carried.h"
#include "advise/rules/all.h"
#include "base/format.h"
#include "read/isa/traits.h"
#include "timing/code/timed_code.h"

namespace burin::advise {

namespace {

constexpr double kGrades = 16;
// Of issued instructions: nearly the whole kernel is divergent.
constexpr double kMinSplitShare = 0.5;
constexpr double kMinSplitWarps = 0.75;  // of the warps diverge: not only those at a border
constexpr double kMinTripsPerLane = 4;   // iterations left for each lane that shares a loop
constexpr double kMaxBodyCode = 48;      // instructions that all lanes can execute
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
    for (MatchedStall& m : match.stalls) m.weight = wasted[c.blamed.stalls[m.stall].waits];
    for (auto& [left, edit] : edits) match.edits.push_back(std::move(edit));
    match.edits.push_back(simple_tests(c, lanes, wasted));
    if (!alone.names.empty()) {
      match.edits.push_back(
          {.kind = analyze::Edit::Kind::kSpread, .instructions = alone.instructions});
      match.added_us = alone.combining_us;
      match.relieves.push_back(machine::Resource::kBarrier);
    }
    const bool joined = splits_all(c, lanes, wasted, match);
    if (joined) join_threads(c, wasted, match);
    if (!joined && alone.names.empty()) {
      if (auto chosen = choose_for_all(c, lanes, full, wasted, match)) return std::move(*chosen);
    }
    for (const machine::Resource r :
         {machine::Resource::kIssue, machine::Resource::kFma, machine::Resource::kAlu,
          machine::Resource::kXu, machine::Resource::kLsu, machine::Resource::kFp64,
          machine::Resource::kShared, machine::Resource::kL1}) {
      match.relieves.push_back(r);
    }
    if (joined) match.relieves.push_back(machine::Resource::kDispatch);
    const std::uint32_t hot = hottest(c, match.stalls).waits;
    const std::uint32_t branch = splitting_branch(c, lanes, hot);
    const std::uint32_t loop = joined ? read::kNoIndex : bounded_loop(c, branch, hot);
    // Work whose length is known only afterwards cannot be sorted or shared.
    if (loop != read::kNoIndex && !is_foreseen(c, branch, loop)) return {};
    if (loop == read::kNoIndex && !joined && alone.instructions[hot] == 0) {
      // Another thread would need the results of this one's earlier iterations.
      if (uses_own_results(c, branch, hot)) return {};
      // Elements can only move between the warps of a block, and there is one.
      if (one_warp && splits_by_data_or_thread(c, branch)) return {};
    }
    describe(c, lanes, full, joined, alone, match);
    return {std::move(match)};
  }

  static bool splits_by_data_or_thread(const Case& c, std::uint32_t branch) {
    if (branch == read::kNoIndex) return false;
    return by_thread_alone(c, branch) || (Origins(c.kernel).of(branch) & Origins::kMemory) != 0;
  }

  // Whether the code that the branch guards, around `hot`, needs what this thread's earlier
  // iterations of the loop around the branch computed in registers or in arrays of its own.
  static bool uses_own_results(const Case& c, std::uint32_t branch, std::uint32_t hot) {
    if (branch == read::kNoIndex || c.places.loop_of(branch) == read::kNoIndex) return false;
    const std::uint32_t loop = c.places.loop_of(branch);
    const CarriedValues carried(c, loop);
    const read::InstructionSet spills = spills_in(c.kernel);
    const std::uint32_t way = way_of(c, branch, hot);
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      const bool inside =
          i == hot || (way != read::kNoIndex && c.places.in_loop(i, loop) &&
                       c.kernel.dominates(way, c.kernel.block_of[i]) &&
                       !c.kernel.post_dominates(c.kernel.block_of[i], c.kernel.block_of[branch]));
      if (!inside || !c.at(i).known()) continue;
      if (carried.values[i] != 0) return true;
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
                                                          const Match& whole) {
    const std::uint32_t hot = hottest(c, whole.stalls).waits;
    const std::uint32_t branch = splitting_branch(c, lanes, hot);
    if (branch == read::kNoIndex || bounded_loop(c, branch, hot) != read::kNoIndex) return {};
    const Origins origins(c.kernel);
    if ((origins.of(branch) & Origins::kMemory) == 0) return {};
    const std::uint32_t loop = c.places.loop_of(branch);
    std::set<std::uint32_t> branches;
    std::map<std::uint32_t, std::uint32_t> body;  // instructions, and the branch of each
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      if (wasted[i] <= 0 || !c.at(i).known()) continue;
      const std::uint32_t of = splitting_branch(c, lanes, i);
      if (of == read::kNoIndex || c.places.loop_of(of) != loop) continue;
      const bool inside = loop == read::kNoIndex || c.places.in_loop(i, loop);
      if (inside && (c.places.loop_of(i) != loop || !is_harmless(c, origins, i))) return {};
      branches.insert(of);
      body[i] = of;
    }
    const double size = static_cast<double>(body.size()) / static_cast<double>(branches.size());
    if (size > kMaxBodyCode) {
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
      if (branches.contains(i) || joins) gone.instructions[i] = 1;
    }
    Match match;
    match.stalls =
        stalls_where(c, [&](const BlamedStall& s) { return gone.instructions[s.waits] != 0; });
    if (match.stalls.empty()) return {};
    match.edits = {std::move(gone)};
    match.added_us = executed_by_all_us(c, body);
    match.relieves = {machine::Resource::kIssue};
    match.where = branch;
    match.text = lanes_text(c, lanes, full, hot, "branch", branch);
    match.hint = fmt::format(
        "The condition at {} depends on loaded data. Let all lanes execute the code after it "
        "({:.0f} instructions, which the warp executes anyway), and choose the result with ?: "
        "instead of a branch. What the branch guards against (an index outside of an array, a "
        "division by zero) must be harmless then.",
        place_name(c.kernel, branch), size);
    match.check = shape_options(c.grid, c.block);
    return std::vector<Match>{std::move(match)};
  }

  // Whether lanes that do not need the instruction can execute it: it stores nothing, and a load
  // does not take its index from loaded data, which the branch may guard.
  static bool is_harmless(const Case& c, const Origins& origins, std::uint32_t instruction) {
    const read::Instruction& at = c.at(instruction);
    if (at.opcode->stores || read::is_atomic(at)) return false;
    return !at.opcode->loads || (origins.of_address(instruction) & Origins::kLoaded) == 0;
  }

  // The time for the executions by warps that skip the code now, and for a select of each result.
  static double executed_by_all_us(const Case& c,
                                   const std::map<std::uint32_t, std::uint32_t>& body) {
    const std::vector<timing::TimedOp> code = timing::timed_code(c.kernel, c.machine);
    const std::vector<timing::InstructionCost>& costs = c.study->base().costs;
    std::map<machine::Resource, double> cycles;
    for (const auto& [i, branch] : body) {
      const double more = std::max(0.0, costs[branch].issued - costs[i].issued);
      cycles[machine::Resource::kIssue] += more;
      if (code[i].resource != machine::Resource::kIssue)
        cycles[code[i].resource] += more * code[i].gap;
    }
    std::set<std::uint32_t> results;
    for (const read::Dependence& d : c.kernel.dependences) {
      const auto producer = body.find(d.producer);
      const bool leaves = d.kind == read::Dependence::Kind::kRegister && producer != body.end() &&
                          !body.contains(d.consumer);
      if (leaves && results.insert(d.producer).second)
        cycles[machine::Resource::kIssue] += costs[producer->second].issued;
    }
    double most = 0;
    for (const auto& [unit, of_unit] : cycles) most = std::max(most, of_unit);
    return c.machine.seconds(most / c.machine.sm.schedulers / c.machine.sm.count) * 1e6;
  }

  static std::string lanes_text(const Case& c, const std::vector<LaneMean>& lanes, double full,
                                std::uint32_t hot, std::string_view what, std::uint32_t where) {
    return fmt::format("Only {:.1f} of {:.0f} lanes are active at {}: the {} at {} diverges.",
                       lanes[hot].active, full, place_name(c.kernel, hot), what,
                       place_name(c.kernel, where));
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

  static bool splits_all(const Case& c, const std::vector<LaneMean>& lanes,
                         const std::vector<double>& wasted, const Match& match) {
    const std::uint32_t branch = splitting_branch(c, lanes, hottest(c, match.stalls).waits);
    if (branch == read::kNoIndex || c.places.loop_of(branch) != read::kNoIndex) return false;
    // Lanes that leave a loop early have done their part of it.
    const std::uint32_t loop = bounded_loop(c, branch, hottest(c, match.stalls).waits);
    if (loop != read::kNoIndex && source_iterations(c, Slack(c), loop) >= 2) return false;
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

  // The block after the branch that dominates the instruction: it identifies the path.
  static std::uint32_t way_of(const Case& c, std::uint32_t branch, std::uint32_t instruction) {
    std::uint32_t block = c.kernel.block_of[instruction];
    const std::uint32_t from = c.kernel.block_of[branch];
    while (block != read::kNoIndex && c.kernel.blocks[block].immediate_dominator != from) {
      block = c.kernel.blocks[block].immediate_dominator;
    }
    return block;
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

  // Whether the branch depends on threadIdx.x and on no loaded value.
  static bool by_thread_alone(const Case& c, std::uint32_t branch) {
    if (branch == read::kNoIndex) return false;
    constexpr Origins::Mask kOthers = Origins::kMemory | Origins::kLoaded | Origins::kBlock |
                                      Origins::kThreadY | Origins::kThreadZ;
    const Origins::Mask from = Origins(c.kernel).of(branch);
    return (from & Origins::kThreadX) != 0 && (from & kOthers) == 0;
  }

  static void describe(const Case& c, const std::vector<LaneMean>& lanes, double full, bool joined,
                       const OneThreadLoops& alone, Match& match) {
    const std::uint32_t hot = hottest(c, match.stalls).waits;
    const std::uint32_t branch = splitting_branch(c, lanes, hot);
    match.where = branch == read::kNoIndex ? hot : branch;
    const std::string at = place_name(c.kernel, match.where);
    const std::uint32_t loop = joined ? read::kNoIndex : bounded_loop(c, branch, hot);
    const bool own_loop = loop != read::kNoIndex;
    match.text = lanes_text(c, lanes, full, hot, own_loop ? "loop" : "branch", match.where);
    const std::optional<RowWalk> walk = own_loop ? row_walk(c) : std::nullopt;
    if (walk && walk->lanes > 1) {
      match.hint = fmt::format("Lanes leave the {} after different trip counts. {}",
                               loop_name(c, loop), row_hint(c, *walk));
      match.check = row_launch(c, *walk);
    } else if (own_loop) {
      describe_bound(c, loop, match);
    } else if (alone.instructions[hot] != 0) {
      describe_one_thread(c, alone, at, match);
    } else if (by_thread_alone(c, branch) && !joined && has_work_on_both_sides(c, lanes, branch)) {
      match.hint = fmt::format(
          "The condition at {} depends on the thread's number alone, and both of its sides have "
          "work. Let whole warps take the same side: the first half of the block's threads takes "
          "the elements of one kind, the second half those of the other (elements 2 * k, then 2 * "
          "k + 1, where every second one differs). The launch stays the same.",
          at);
      match.check = shape_options(c.grid, c.block);
    } else if (by_thread_alone(c, branch) && !joined) {
      match.hint = fmt::format(
          "The condition at {} depends on the thread index alone. Let the first threads of the "
          "block do the work: `if (threadIdx.x < number of active threads)`, with the element's "
          "index computed from threadIdx.x (2 * k * threadIdx.x instead of a test of threadIdx.x "
          "% (2 * k) == 0), so that whole warps skip it. The launch stays the same.",
          at);
      match.check = shape_options(c.grid, c.block);
    } else {
      match.hint = other_hint(c, lanes, branch, hot, joined);
    }
  }

  // Lanes that need different numbers of iterations.
  static void describe_bound(const Case& c, std::uint32_t loop, Match& match) {
    const double trips = source_iterations(c, Slack(c), loop);
    match.toll = kDefaultToll;
    match.hint = fmt::format("Lanes leave the {} after different trip counts, {:.1f} on average. ",
                             loop_name(c, loop), trips);
    const CarriedValues carried(c, loop);
    if (!carried.only_reductions() || trips < kMinTripsPerLane) {
      match.hint +=
          "Sort the elements by the length of their loops, so that the lanes of a warp have work "
          "of equal length.";
      return;
    }
    const std::uint32_t lanes =
        std::clamp(std::bit_floor(static_cast<std::uint32_t>(trips / kMinTripsPerLane)), 2u, 32u);
    const launch::Dims grid{c.grid.x * lanes, c.grid.y, c.grid.z};
    match.hint += fmt::format(
        "Let {0} lanes share the iterations of one: lane s of these (0 to {1}) begins with "
        "iteration s and goes on {0} iterations at a time{2}. Lanes that access adjacent memory "
        "now stay "
        "adjacent. Launch {0} times as many threads: a grid of dim3({3}, {4}, {5}).",
        lanes, lanes - 1,
        carried.any() ? ", and __shfl_down_sync() combines their partial results" : "", grid.x,
        grid.y, grid.z);
    match.check = shape_options(grid, c.block);
  }

  static void describe_one_thread(const Case& c, const OneThreadLoops& alone, const std::string& at,
                                  Match& match) {
    const bool several = alone.names.size() > 1;
    const std::string loops = fmt::format("the {}", fmt::join(alone.names, " and the "));
    match.check = shape_options(c.grid, c.block);
    if (alone.scans) {
      match.hint = fmt::format(
          "One thread runs {} for its block while the other {} wait, and stores a running "
          "result in each iteration. Let all threads do it as a scan: each takes the same number "
          "of adjacent elements, cub::BlockScan<…, {}> gives it the total of the threads before "
          "it, and it stores its own running results from there on. The launch stays the same.",
          loops, c.block.total() - 1, c.block.total());
      return;
    }
    match.hint = fmt::format(
        "One thread runs {} for its block while the other {} wait. Share the iterations of "
        "{}: let the index begin at threadIdx.x and advance by blockDim.x, outside of the "
        "condition at {}, with a partial result in each thread. {}ombine the results of a warp "
        "with sum += __shfl_down_sync(0xffffffff, sum, d), d = 16, 8, 4, 2, 1; lane 0 of each warp "
        "stores its sum to `__shared__ float part[32]`; after __syncthreads() the first warp adds "
        "these the same way, and thread 0 goes on with the result as now. What the other threads "
        "need of it goes through __shared__ memory and __syncthreads(). The launch stays the same.",
        loops, c.block.total() - 1, several ? "each of them" : "the loop", at,
        several ? "After each loop, c" : "C");
  }

  // The hint for a branch that depends on neither a loop's trip count nor the thread index alone.
  static std::string other_hint(const Case& c, const std::vector<LaneMean>& lanes,
                                std::uint32_t branch, std::uint32_t hot, bool joined) {
    const std::string at = place_name(c.kernel, branch == read::kNoIndex ? hot : branch);
    const Origins::Mask from =
        branch == read::kNoIndex ? Origins::Mask{} : Origins(c.kernel).of(branch);
    if (joined && (from & Origins::kMemory) != 0) {
      return fmt::format(
          "Most of the kernel is skipped by the lanes that the condition at {} turns away, and "
          "loaded data determines their number. Number the elements of all blocks consecutively "
          "and "
          "launch one thread for each: it finds the part that its element belongs to in an array "
          "that the host or an earlier kernel fills, or by a binary search in the loaded bounds.",
          at);
    }
    if (joined) {
      return fmt::format(
          "Most of the kernel is skipped by the lanes that the condition at {} turns away. Launch "
          "threads for the other elements only: compute the element's index from the thread index "
          "so that the condition holds for every thread.",
          at);
    }
    if ((from & (Origins::kMemory | Origins::kLoaded)) != 0) {
      return fmt::format(
          "The condition at {} depends on loaded data. Collect the elements first: each thread "
          "whose element passes reserves a slot with "
          "atomicAdd on a __shared__ counter and stores its index there; after __syncthreads() "
          "threads 0, 1, 2, … process these, in full warps.",
          at);
    }
    if (branch != read::kNoIndex &&
        lanes[hot].executions >= kMinSplitWarps * lanes[branch].executions) {
      return fmt::format(
          "The condition at {} depends on threadIdx and blockIdx, and nearly every warp has lanes "
          "of "
          "both kinds. Renumber the elements so that 32 adjacent threads agree: "
          "let one half of the threads take the elements of one kind and the other half those of "
          "the other (elements 2 * k, then 2 * k + 1, where every second one differs).",
          at);
    }
    return fmt::format(
        "The condition at {} depends on threadIdx and blockIdx. Let all lanes execute "
        "{}: clamp the indices to the valid range and choose the result with ?: instead of a "
        "branch; or let whole warps agree, with 32 threads along the index that it tests.",
        at, place_name(c.kernel, hot));
  }
};

}  // namespace

const Rule* divergence() {
  static const Divergence rule;
  return &rule;
}

}  // namespace burin::advise
