// Tests that the compiler puts around fast functions for denormal operands.
//
// MUFU treats denormals as zero. Unless the program allows flushing denormals, the compiler
// compares the operand with the smallest normal number, scales the operand up before the
// instruction and scales its result after it. The source does not ask for this; -ftz=true removes
// it.
#include "advise/patterns/code/denormal_tests.h"
#include "advise/patterns/code/math_call.h"
#include "advise/rules/all.h"
#include "base/format.h"
#include "base/text.h"

namespace burin::advise {

namespace {

constexpr std::size_t kNamedLines = 4;
constexpr double kMinOfMost = 0.25;  // of the tests on the line with most, for a line to be named

class FlushDenormals final : public Rule {
  std::string_view id() const override { return "flush-denormals"; }
  std::string_view summary() const override { return "the compiler's tests for denormal numbers"; }

  std::vector<Match> match(const Case& c) const override {
    const read::InstructionSet tests = denormal_tests(c);
    const auto lines = lines_of_tests(c, tests);
    if (lines.empty()) return {};
    Match match;
    match.stalls = stalls_where(c, [&](const BlamedStall& s) { return tests[s.waits] != 0; });
    if (match.stalls.empty()) return {};
    match.edits = {{.kind = analyze::Edit::Kind::kSkipped, .instructions = tests}};
    match.relieves = {machine::Resource::kIssue, machine::Resource::kFma, machine::Resource::kAlu};
    match.where = lines[0].first;
    std::vector<std::string> places;
    for (const auto& [at, issued] : lines) {
      if (issued >= kMinOfMost * lines[0].second) places.push_back(place_name(c.kernel, at));
    }
    match.text = fmt::format(
        "The compiler tests at {} whether an operand or a result is denormal, and scales it: "
        "{:.0f} % of the issued instructions.",
        list_of(places, kNamedLines), 100 * issued_share(c, tests));
    match.hint =
        "Compile with -ftz=true if denormal numbers (below 1.2e-38) may be flushed to zero. The "
        "source stays as it is.";
    if (!math_calls(c).empty() && gains_by_flushing(c, tests)) {
      match.hint += " --use_fast_math includes it, and would gain mainly by it here.";
    }
    return {std::move(match)};
  }
};

}  // namespace

const Rule* flush_denormals() {
  static const FlushDenormals rule;
  return &rule;
}

}  // namespace burin::advise
