// A loop of pure arithmetic that tests in each iteration whether to end: escape times, Newton's
// method, ray marching.
//
// A few surplus iterations are harmless, since they access no memory. Several iterations can
// therefore run before one test, and the last group is repeated one by one from its start values.
#include <algorithm>

#include "advise/case/source_text.h"
#include "advise/patterns/code/loop_values.h"
#include "advise/patterns/code/needless.h"
#include "advise/patterns/code/slack.h"
#include "advise/rules/all.h"
#include "base/format.h"
#include "base/numbers.h"
#include "read/isa/traits.h"

namespace burin::advise {

namespace {

constexpr double kGroup = 8;      // iterations before a test
constexpr double kMinTrips = 32;  // with fewer trips, the repeated group costs too much

class ExitTests final : public Rule {
  std::string_view id() const override { return "exit-tests"; }
  std::string_view summary() const override {
    return "loops of arithmetic that test in each iteration whether to end";
  }

  std::vector<Match> match(const Case& c) const override {
    const Slack slack(c);
    std::vector<Match> found;
    for (std::uint32_t loop = 0; loop < c.kernel.loops.size(); ++loop) {
      if (!slack.innermost(loop) || slack.trips(loop) < kMinTrips) continue;
      if (!only_computes(c, loop) || !ends_by_result(c, loop, slack)) continue;
      if (Match match = of_loop(c, loop, slack); !match.stalls.empty()) {
        found.push_back(std::move(match));
      }
    }
    return found;
  }

  static bool only_computes(const Case& c, std::uint32_t loop) {
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      if (!c.places.in_loop(i, loop)) continue;
      const read::Instruction& at = c.at(i);
      const bool flow = at.known() && at.opcode->flow == read::Opcode::kBranch;
      if (!flow && !is_arithmetic(at)) return false;
    }
    return true;
  }

  // Whether a test that ends the loop depends on a float that the iterations compute.
  static bool ends_by_result(const Case& c, std::uint32_t loop, const Slack& slack) {
    for (const std::uint32_t branch : exits(c, loop)) {
      for (const read::Dependence& d : c.kernel.dependences_of(branch)) {
        if (d.file != read::RegisterFile::kPredicate || !c.places.in_loop(d.producer, loop))
          continue;
        for (const read::Dependence& value : c.kernel.dependences_of(d.producer)) {
          const std::uint32_t from = value.producer;
          if (!c.places.in_loop(from, loop) || read::float_operations(c.at(from)) <= 0) continue;
          if (slack.recurrent(from, loop) || follows_recurrent(c, from, loop, slack)) return true;
        }
      }
    }
    return false;
  }

  static bool follows_recurrent(const Case& c, std::uint32_t instruction, std::uint32_t loop,
                                const Slack& slack) {
    return std::ranges::any_of(
        c.kernel.dependences_of(instruction), [&](const read::Dependence& d) {
          return d.kind == read::Dependence::Kind::kRegister &&
                 c.places.in_loop(d.producer, loop) && slack.recurrent(d.producer, loop);
        });
  }

  static std::vector<std::uint32_t> exits(const Case& c, std::uint32_t loop) {
    std::vector<std::uint32_t> all;
    for (const std::uint32_t b : c.kernel.loops[loop].blocks) {
      const read::BasicBlock& block = c.kernel.blocks[b];
      const bool leaves = std::ranges::any_of(block.successors, [&](const read::Edge& e) {
        return !c.places.in_loop(c.kernel.blocks[e.block].first, loop);
      });
      if (leaves) all.push_back(block.last);
    }
    return all;
  }

  static Match of_loop(const Case& c, std::uint32_t loop, const Slack& slack) {
    read::InstructionSet tests(c.size());
    for (const std::uint32_t branch : exits(c, loop)) tests[branch] = 1;
    add_dead_code(c.kernel, tests);
    // The values that iterations compute stay, even if only the test reads them. A counter is
    // incremented once per group.
    const LoopValues values(c, loop);
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      const bool branch = c.at(i).known() && c.at(i).opcode->flow == read::Opcode::kBranch;
      if (!c.places.in_loop(i, loop)) {
        tests[i] = 0;
      } else if (is_integer(c.at(i)) && values.is_counter(i)) {
        tests[i] = 1;
      } else if (!branch && slack.recurrent(i, loop)) {
        tests[i] = 0;
      }
    }
    Match match;
    match.stalls = stalls_where(
        c, [&](const BlamedStall& s) { return tests[s.waits] != 0 || tests[s.cause] != 0; });
    match.where = exits(c, loop).front();
    const double trips = slack.trips(loop);
    match.text = fmt::format(
        "The {} tests in each of its {} iterations whether to end. The tests and counters "
        "are {:.0f} % of the kernel's instructions.",
        loop_name(c, loop), whole(trips), 100 * issued_share(c, tests));
    match.hint = fmt::format(
        "Execute {:.0f} iterations, unrolled and without a test, then test once. Keep the values "
        "from before them: if the loop should have ended within these iterations, go back to the "
        "kept values and repeat them one by one with the test.",
        kGroup);
    match.edits = {{.kind = analyze::Edit::Kind::kShare,
                    .instructions = std::move(tests),
                    .value = 1 / kGroup}};
    match.reach = 1 - kGroup / trips;  // the last group is executed twice
    match.relieves = {machine::Resource::kIssue, machine::Resource::kAlu, machine::Resource::kFma};
    match.check = shape_options(c.grid, c.block);
    return match;
  }
};

}  // namespace

const Rule* exit_tests() {
  static const ExitTests rule;
  return &rule;
}

}  // namespace burin::advise
