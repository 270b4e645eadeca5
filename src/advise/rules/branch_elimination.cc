// Conditions with the same outcome in every execution: their tests and branches take time for
// nothing. And branches around a few arithmetic instructions that most warps execute anyway.
//
// The change removes the branch, and the code that computes or loads values for the condition only.
// If a loop has no other branches, the loads of all its unrolled copies become adjacent, and only
// the first one is waited for. If a select replaces the branch, the compiler interleaves the copies
// of an iteration, and they fill each other's waits.
#include <algorithm>
#include <cmath>
#include <set>
#include <span>
#include <utility>

#include "advise/case/requests.h"
#include "advise/case/source_text.h"
#include "advise/patterns/code/denormal_tests.h"
#include "advise/patterns/code/division.h"
#include "advise/patterns/code/lanes.h"
#include "advise/patterns/code/loop_values.h"
#include "advise/patterns/code/math_call.h"
#include "advise/patterns/code/needless.h"
#include "advise/patterns/code/slack.h"
#include "advise/rules/all.h"
#include "analyze/code/regions.h"
#include "base/format.h"
#include "base/text.h"
#include "read/isa/traits.h"

namespace burin::advise {

namespace {

constexpr double kAlways = 0.999;
constexpr std::size_t kMaxNamed = 3;        // conditions named in the text
constexpr double kMinExecutedShare = 0.01;  // of the kernel's warp instructions; less is not named
// A branch is replaced by a select if it guards at most so many instructions, and if at least this
// fraction of the warps executes them.
constexpr unsigned kMaxSkippedCode = 32;
constexpr double kMinTakenShare = 0.7;

// Whether a branch is a back edge or an exit of a loop.
bool controls_loop(const Case& c, std::uint32_t instruction) {
  if (c.at(instruction).opcode->flow != read::Opcode::kBranch) return false;
  const std::uint32_t loop = c.places.loop_of(instruction);
  const read::BasicBlock& block = c.kernel.blocks[c.kernel.block_of[instruction]];
  return std::ranges::any_of(block.successors, [&](const read::Edge& e) {
    if (loop == read::kNoIndex) return false;
    return e.block == c.kernel.loops[loop].header ||
           !c.places.in_loop(c.kernel.blocks[e.block].first, loop);
  });
}

// Whether a branch skips the slow path of a function added by the compiler, such as a division. The
// source has no such branch.
bool skips_slow_path(const Case& c, std::uint32_t instruction) {
  const read::BasicBlock& block = c.kernel.blocks[c.kernel.block_of[instruction]];
  return std::ranges::any_of(block.successors, [&](const read::Edge& e) {
    const std::uint32_t callee = c.kernel.blocks[e.block].callee;
    return callee != read::kNoIndex &&
           c.places.of_compiler(c.places.function_of(c.kernel.blocks[callee].first));
  });
}

// Code whose conditions do not come from the source: divisions, tests for denormal operands, and
// lines that call library functions with conditions of their own. Of roots and divisions, only the
// slow path has some, unless the source text is unknown.
read::InstructionSet compilers_code(const Case& c) {
  read::InstructionSet set(c.size());
  // The tests for special operands, and the selection of their results, are between the
  // instructions of the division or directly after them.
  constexpr std::uint32_t kMaxInstructionsAfter = 3;
  for (const Division& d : integer_divisions(c)) {
    const auto [first, last] = std::ranges::minmax(d.instructions);
    const auto end =
        std::min<std::uint32_t>(last + kMaxInstructionsAfter, static_cast<std::uint32_t>(c.size()));
    for (std::uint32_t i = first; i < end; ++i) {
      if (c.kernel.block_of[i] == c.kernel.block_of[last]) set[i] = 1;
    }
  }
  const read::InstructionSet denormal = denormal_tests(c);
  std::set<std::pair<std::string_view, std::uint32_t>> lines;
  const auto line_at = [&](std::uint32_t i) {
    const analyze::SourceLine line = analyze::line_of(c.kernel, i);
    return std::pair(line.file, line.line);
  };
  for (const MathCall& call : math_calls(c)) {
    const bool apart = call.name == "/" || call.name == "sqrtf";
    if (!apart || c.source(call.at).empty()) lines.insert(line_at(call.at));
  }
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    if (lines.contains(line_at(i)) || !library_call(c.kernel, i).empty() || denormal[i] != 0) {
      set[i] = 1;
    }
  }
  return set;
}

bool feeds_guard(const Case& c, const read::Dependence& d) {
  const read::Guard& guard = c.at(d.consumer).guard;
  return guard.index == d.index && d.file == (guard.uniform ? read::RegisterFile::kUniformPredicate
                                                            : read::RegisterFile::kPredicate);
}

// The test that decides a guard: the instruction itself or the one that computes its predicate,
// whichever is on a line with a condition in the source. kNoIndex: neither is.
std::uint32_t written_test(const Case& c, std::uint32_t instruction) {
  for (const read::Dependence& d : c.kernel.dependences_of(instruction)) {
    if (feeds_guard(c, d) && may_be_written_test(c, d.producer)) return d.producer;
  }
  return may_be_written_test(c, instruction) ? instruction : read::kNoIndex;
}

class BranchElimination final : public Rule {
  std::string_view id() const override { return "branch-elimination"; }
  std::string_view summary() const override {
    return "branch conditions that always evaluate the same way";
  }

  std::vector<Match> match(const Case& c) const override {
    if (c.study == nullptr) return {};
    std::vector<Match> found;
    if (Match match = of_settled(c); !match.stalls.empty()) found.push_back(std::move(match));
    if (Match match = of_choices(c); !match.stalls.empty()) found.push_back(std::move(match));
    return found;
  }

  static Match of_settled(const Case& c) {
    const std::vector<LaneMean> lanes = lanes_of(*c.study);
    const read::InstructionSet compilers = compilers_code(c);
    read::InstructionSet settled(c.size());  // their guard has always the same value
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      // Outside of loops there is nothing to peel.
      if (compilers[i] != 0 || c.places.loop_of(i) == read::kNoIndex) continue;
      settled[i] = is_settled(c, lanes, i) && written_test(c, i) != read::kNoIndex ? 1 : 0;
    }
    read::InstructionSet gone = needless(c, lanes, settled);
    Match match;
    match.stalls = stalls_where(c, [&](const BlamedStall& s) {
      return gone[s.waits] != 0 || (s.dependency == Dependency::kControl && gone[s.cause] != 0);
    });
    if (match.stalls.empty()) return {};
    const std::vector<std::uint32_t> tests = tests_of(c, lanes, settled);
    const std::uint32_t test = tests.front();
    match.where = test;
    std::vector<std::string> places;
    for (const std::uint32_t i : tests) {
      const std::string place = place_name(c.kernel, i);
      if (std::ranges::find(places, place) == places.end()) places.push_back(place);
    }
    const double alike = alike_share(lanes, settled);
    const std::string how =
        alike == 1
            ? fmt::format("every time ({:.0f} executions in the traced blocks, all lanes)",
                          lanes[test].executions)
            // Rounded down: 100 % would say that it never differs.
            : fmt::format("for {:.2f} % of the lanes ({:.0f} executions in the traced blocks)",
                          std::floor(alike * 1e4) / 100, lanes[test].executions);
    match.text = fmt::format(
        "The condition{} at {} evaluated the same way {}. Testing takes {:.0f} % of the "
        "instructions.",
        places.size() > 1 ? "s" : "", list_of(places, kMaxNamed), how, 100 * issued_share(c, gone));
    match.hint = fmt::format(
        "Peel the cases in which the condition at {} differs: {}, and run a loop without the test "
        "where it cannot differ. {}",
        place_name(c.kernel, test), alike == 1 ? "test once before the loop" : "treat these apart",
        alike == 1 ? "Remove the test only if no block and no input needs it."
                   : "It cannot just be removed: some lanes differ.");
    if (issued_share(c, gone) < kMinExecutedShare) return {};
    read::InstructionSet loads = joined_loads(c, gone);
    if (std::ranges::find(loads, 1) != loads.end()) match.reach = kHoistedGain;
    match.edits = {{.kind = analyze::Edit::Kind::kSkipped, .instructions = std::move(gone)},
                   {.kind = analyze::Edit::Kind::kHidden, .instructions = std::move(loads)}};
    match.relieves = {machine::Resource::kIssue, machine::Resource::kAlu};
    return match;
  }

  static Match of_choices(const Case& c) {
    read::InstructionSet branches(c.size());
    std::uint32_t most = read::kNoIndex;
    for (const read::BasicBlock& block : c.kernel.blocks) {
      if (!leaves_out_little(c, block)) continue;
      branches[block.last] = 1;
      if (most == read::kNoIndex || c.blamed.issued[block.last] > c.blamed.issued[most]) {
        most = block.last;
      }
    }
    if (most == read::kNoIndex) return {};
    const read::InstructionSet mixed = c.places.loops_around(branches);
    Match match;
    match.stalls = stalls_where(c, [&](const BlamedStall& s) {
      return branches[s.waits] != 0 || (mixed[s.waits] != 0 && mixed[s.cause] != 0 &&
                                        s.dependency == Dependency::kArithmetic);
    });
    for (MatchedStall& m : match.stalls) m.weight = kFilledLatency;
    read::InstructionSet gone = branches;  // and their reconvergence points
    add_dead_code(c.kernel, gone);
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      if (is_arithmetic(c.at(i))) gone[i] = 0;
    }
    match.edits = {{.kind = analyze::Edit::Kind::kSkipped, .instructions = std::move(gone)}};
    for (const machine::TimingClass unit :
         {machine::TimingClass::kFma, machine::TimingClass::kMufu}) {
      analyze::Edit sooner{.kind = analyze::Edit::Kind::kEarlier,
                           .instructions = read::InstructionSet(c.size()),
                           .value = kFilledLatency * c.machine.of(unit).latency};
      for (std::uint32_t i = 0; i < c.size(); ++i) {
        const bool slow = is_arithmetic(c.at(i)) && c.at(i).opcode->pipe == read::Pipe::kXu;
        const bool of_unit =
            is_arithmetic(c.at(i)) && slow == (unit == machine::TimingClass::kMufu);
        sooner.instructions[i] = mixed[i] != 0 && of_unit ? 1 : 0;
      }
      match.edits.push_back(std::move(sooner));
    }
    match.relieves = {machine::Resource::kIssue};
    match.where = most;
    const std::string place = place_name(c.kernel, most);
    match.text = fmt::format(
        "Most warps execute the code after the branch at {} anyway, and it is short. The branch "
        "prevents overlap between iterations.",
        place);
    match.hint = fmt::format(
        "Replace the branch at {} with arithmetic: compute always and select with a factor of 0 or "
        "1, or with fmaxf.",
        place);
    return match;
  }

  // Whether the block is in an innermost loop and ends in a branch around another block of a few
  // arithmetic instructions.
  static bool leaves_out_little(const Case& c, const read::BasicBlock& block) {
    const bool splits = c.at(block.last).known() &&
                        c.at(block.last).opcode->flow == read::Opcode::kBranch &&
                        block.successors.size() == 2 && block.loop != read::kNoIndex;
    if (!splits || controls_loop(c, block.last) || skips_slow_path(c, block.last) ||
        !may_be_written_test(c, block.last)) {
      return false;
    }
    for (const std::size_t way : {0u, 1u}) {
      const read::BasicBlock& inside = c.kernel.blocks[block.successors[way].block];
      const std::uint32_t around = block.successors[1 - way].block;
      const bool short_way = inside.successors.size() == 1 &&
                             inside.successors[0].block == around && inside.loop == block.loop &&
                             inside.last - inside.first < kMaxSkippedCode;
      if (!short_way || c.blamed.issued[inside.first] <= 0) continue;
      bool harmless = true;  // also if executed unconditionally
      for (std::uint32_t i = inside.first; i <= inside.last; ++i) {
        const bool reads = touches_shared(c.at(i)) && !c.at(i).opcode->stores;
        harmless &= reads || is_arithmetic(c.at(i));
      }
      const std::vector<timing::InstructionCost>& costs = c.study->base().costs;
      const bool mostly = costs[inside.first].issued >= kMinTakenShare * costs[block.last].issued;
      if (harmless && mostly) return true;
    }
    return false;
  }

  // The lanes for which the most divided of these guards has its usual value: 1 if none ever
  // differs.
  static double alike_share(const std::vector<LaneMean>& lanes,
                            const read::InstructionSet& settled) {
    double least = 1;
    for (std::uint32_t i = 0; i < settled.size(); ++i) {
      if (settled[i] == 0) continue;
      const double part = lanes[i].guarded / lanes[i].active;
      least = std::min(least, std::max(part, 1 - part));
    }
    return least;
  }

  static bool is_settled(const Case& c, const std::vector<LaneMean>& lanes, std::uint32_t i) {
    const read::Instruction& at = c.at(i);
    if (!at.known() || at.guard.index == read::kZeroRegister || lanes[i].executions <= 0)
      return false;
    if (at.opcode->flow == read::Opcode::kExit || controls_loop(c, i)) return false;
    if (at.opcode->flow == read::Opcode::kBranch && skips_slow_path(c, i)) return false;
    const double part = lanes[i].guarded / lanes[i].active;
    return part >= kAlways || part <= 1 - kAlways;
  }

  // Branches with a constant outcome, instructions that such guards disable, and code that serves
  // only these.
  static read::InstructionSet needless(const Case& c, const std::vector<LaneMean>& lanes,
                                       const read::InstructionSet& settled) {
    read::InstructionSet gone(c.size());
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      if (settled[i] == 0) continue;
      const bool never = lanes[i].guarded < 0.5 * lanes[i].active;
      gone[i] = never || c.at(i).opcode->flow == read::Opcode::kBranch ? 1 : 0;
    }
    const auto as_guard = [&](const read::Dependence& d) {
      return feeds_guard(c, d) && settled[d.consumer] != 0;
    };
    const read::InstructionSet first = gone;
    add_dead_code(c.kernel, gone, [&](const read::Dependence& d) {
      return first[d.consumer] == 0 && !as_guard(d);
    });
    return gone;
  }

  // All but the first load of each innermost loop that loses all of its inner branches. If the loop
  // stores, only loads that no store can alias.
  static read::InstructionSet joined_loads(const Case& c, const read::InstructionSet& gone) {
    read::InstructionSet loads(c.size());
    for (const read::Loop& loop : c.kernel.loops) {
      const auto number = static_cast<std::uint32_t>(&loop - c.kernel.loops.data());
      bool had = false;
      bool left = false;
      bool stores = false;
      std::vector<std::uint32_t> found;
      for (const std::uint32_t b : loop.blocks) {
        left |= c.kernel.blocks[b].loop != number;  // a loop inside it
        for (std::uint32_t i = c.kernel.blocks[b].first; i <= c.kernel.blocks[b].last; ++i) {
          if (!c.at(i).known()) continue;
          if (touches_global(c.at(i)) && c.at(i).opcode->loads) found.push_back(i);
          stores |= touches_global(c.at(i)) && c.at(i).opcode->stores;
          if (c.at(i).opcode->flow != read::Opcode::kBranch || controls_loop(c, i)) continue;
          (gone[i] != 0 ? had : left) = true;
        }
      }
      if (!had || left || found.empty()) continue;
      const auto stays = [&](std::uint32_t i) {
        return stores && !read::is_read_only_load(c.at(i));
      };
      std::erase_if(found, stays);
      if (found.empty()) continue;
      std::ranges::sort(found);
      for (const std::uint32_t i : std::span(found).subspan(1)) loads[i] = gone[i] == 0 ? 1 : 0;
    }
    return loads;
  }

  // The tests that decide constant guards, the most often executed first.
  static std::vector<std::uint32_t> tests_of(const Case& c, const std::vector<LaneMean>& lanes,
                                             const read::InstructionSet& settled) {
    std::vector<std::uint32_t> tests;
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      const std::uint32_t test = settled[i] == 0 ? read::kNoIndex : written_test(c, i);
      if (test != read::kNoIndex) tests.push_back(test);
    }
    std::ranges::stable_sort(tests, std::ranges::greater(),
                             [&](std::uint32_t i) { return lanes[i].executions; });
    return tests;
  }
};

}  // namespace

const Rule* branch_elimination() {
  static const BranchElimination rule;
  return &rule;
}

}  // namespace burin::advise
