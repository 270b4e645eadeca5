// Values that are used directly after they are requested, although independent code follows.
//
// A wait is matched as far as independent code can fill it (slack.h). It is emulated with results
// that arrive that much earlier.
#include <algorithm>
#include <cmath>
#include <map>

#include "advise/case/estimate.h"
#include "advise/case/requests.h"
#include "advise/case/source_text.h"
#include "advise/patterns/code/loop_values.h"
#include "advise/patterns/code/slack.h"
#include "advise/patterns/mapping/register_room.h"
#include "advise/rules/all.h"
#include "analyze/code/regions.h"
#include "base/format.h"
#include "base/numbers.h"
#include "base/text.h"

namespace burin::advise {

namespace {

constexpr double kMinFiller = 2;  // cycles

// Rounded, so that there are few different edits.
double graded(double cycles) {
  return std::exp2(std::round(8 * std::log2(cycles)) / 8);
}

// Short arithmetic latencies are left out: the compiler schedules a basic block well.
bool waits_for_value(const BlamedStall& s) {
  if (s.stall == launch::Stall::kWait || s.stall == launch::Stall::kDrain) return false;
  return s.dependency == Dependency::kGlobalMemory || s.dependency == Dependency::kSharedMemory ||
         s.dependency == Dependency::kConstantMemory || s.dependency == Dependency::kArithmetic;
}

// Waits for groups of asynchronous copies are left out: the copies are already in flight.
bool makes_value(const read::Instruction& i) {
  return i.known() && (i.opcode->loads ? !i.opcode->stores : is_arithmetic(i));
}

constexpr unsigned kLeadingLoads = 3;  // of other iterations, between a load and its use

class CodeReordering final : public Rule {
  std::string_view id() const override { return "code-reordering"; }
  std::string_view summary() const override {
    return "dependency stalls that independent instructions could hide";
  }

  std::vector<Match> match(const Case& c) const override {
    if (spills(c)) return {};  // a value loaded earlier occupies its register longer
    const Slack slack(c);
    Match match;
    match.estimator = Estimator::kHide;
    match.scope = Scope::kFunction;
    match.reach = kHoistedGain;
    match.least = least_gain_of_earlier_loads(c);
    match.toll = toll_of_earlier_loads(c);
    std::map<double, read::InstructionSet> earlier;  // by cycles
    for (const MatchedStall& m : stalls_where(c, waits_for_value)) {
      const BlamedStall& s = c.blamed.stalls[m.stall];
      const double wait = slack.wait(s);
      const double filler = slack.filler(s);
      if (wait <= 0 || filler < kMinFiller || leads(c, s) || !makes_value(c.at(s.cause))) continue;
      if (!reads_value(c, s) || is_ordered(c, s)) continue;
      const double test = test_cycles(c, s);
      const double gain = std::min(wait, filler) - test;
      if (gain <= 0) continue;
      const double part = gain / wait;
      match.stalls.push_back(
          {.stall = m.stall, .weight = part, .scope = c.places.function_of(s.waits)});
      read::InstructionSet& causes = earlier[graded(filler - test)];
      causes.resize(c.size());
      causes[s.cause] = 1;
    }
    if (match.stalls.empty()) return {};
    for (auto& [cycles, causes] : earlier) {
      match.edits.push_back({.kind = analyze::Edit::Kind::kEarlier,
                             .instructions = std::move(causes),
                             .value = cycles});
    }
    describe(c, slack, match);
    return {std::move(match)};
  }

  // What the prefetch of the next iteration's value from shared memory costs each iteration: the
  // test that there is a next one, a branch and its reconvergence. The latency of shared memory is
  // hardly longer.
  static double test_cycles(const Case& c, const BlamedStall& s) {
    const std::uint32_t loop = c.places.common_loop(s.cause, s.waits);
    const bool next = loop != read::kNoIndex && loop == c.places.loop_of(s.cause);
    if (!next || !touches_shared(c.at(s.cause))) return 0;
    return c.machine.issue.branch + c.machine.issue.rejoin;
  }

  // Whether the waiting instruction reads what it waits for. Otherwise it overwrites a register
  // that the cause still reads, or shares a scoreboard with another wait.
  static bool reads_value(const Case& c, const BlamedStall& s) {
    return std::ranges::any_of(c.kernel.dependences_of(s.waits), [&](const read::Dependence& d) {
      return d.kind == read::Dependence::Kind::kRegister && d.producer == s.cause;
    });
  }

  // Whether the wait is for arithmetic in the same block, which the compiler has already scheduled.
  static bool is_ordered(const Case& c, const BlamedStall& s) {
    return is_arithmetic(c.at(s.cause)) && c.kernel.block_of[s.cause] == c.kernel.block_of[s.waits];
  }

  // Whether the compiler has already hoisted the loads of several iterations above the first use.
  // Requesting the next ones even earlier gains nothing.
  static bool leads(const Case& c, const BlamedStall& s) {
    const std::uint32_t loop = c.places.common_loop(s.cause, s.waits);
    if (loop == read::kNoIndex || !touches_global(c.at(s.cause)) || s.waits <= s.cause)
      return false;
    if (c.kernel.block_of[s.cause] != c.kernel.block_of[s.waits]) return false;
    unsigned loads = 0;
    for (std::uint32_t i = s.cause + 1; i < s.waits; ++i) {
      const bool same_line =
          analyze::line_of(c.kernel, i).line == analyze::line_of(c.kernel, s.cause).line;
      if (touches_global(c.at(i)) && !c.at(i).opcode->stores && same_line) ++loads;
    }
    return loads >= kLeadingLoads;
  }

  static void describe(const Case& c, const Slack& slack, Match& match) {
    const BlamedStall& hot = hottest(c, match.stalls);
    const std::string from = place_name(c.kernel, hot.cause);
    const std::string to = place_name(c.kernel, hot.waits);
    const std::string_view what =
        c.at(hot.cause).known() && c.at(hot.cause).opcode->loads ? "loaded" : "computed";
    match.text = fmt::format(
        "The value {} at {} is used at {}, {} later, and stalls for {} cycles each time. About {} "
        "cycles of surrounding code do not depend on it.",
        what, from, to, count_of(hot.distance, "instruction"), whole(slack.wait(hot)),
        whole(slack.filler(hot)));
    const std::uint32_t loop = c.places.common_loop(hot.cause, hot.waits);
    if (loop != read::kNoIndex && loop == c.places.loop_of(hot.cause)) {
      match.hint = fmt::format(
          "In the {}, prefetch the next iteration's value at {} before computing on the current "
          "one, inside a test that there is a next one (the compiler moves other loads back).",
          loop_name(c, loop), from);
    } else {
      match.hint = fmt::format(
          "Move the load at {} up, before independent code (and before a __syncthreads() where "
          "legal).",
          from);
    }
  }
};

}  // namespace

const Rule* code_reordering() {
  static const CodeReordering rule;
  return &rule;
}

}  // namespace burin::advise
