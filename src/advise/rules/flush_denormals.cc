// Tests that the compiler puts around fast functions for denormal operands.
//
// MUFU treats denormals as zero. Unless the program allows flushing denormals, the compiler
// compares the operand with the smallest normal number, scales the operand up before the
// instruction and scales its result after it. The source does not ask for this; -ftz=true removes
// it.
#include "advise/patterns/code/denormal_tests.h"
#include "advise/rules/all.h"
#include "base/format.h"
#include "read/isa/traits.h"

namespace burin::advise {

namespace {

class FlushDenormals final : public Rule {
  std::string_view id() const override { return "flush-denormals"; }
  std::string_view summary() const override { return "the compiler's tests for denormal numbers"; }

  std::vector<Match> match(const Case& c) const override {
    const read::InstructionSet tests = denormal_tests(c);
    std::uint32_t most = read::kNoIndex;
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      if (tests[i] == 0 || !read::has(c.at(i), read::Trait::kCompare)) continue;
      if (most == read::kNoIndex || c.blamed.issued[i] > c.blamed.issued[most]) most = i;
    }
    if (most == read::kNoIndex) return {};
    Match match;
    match.stalls = stalls_where(c, [&](const BlamedStall& s) { return tests[s.waits] != 0; });
    if (match.stalls.empty()) return {};
    match.edits = {{.kind = analyze::Edit::Kind::kSkipped, .instructions = tests}};
    match.relieves = {machine::Resource::kIssue, machine::Resource::kFma, machine::Resource::kAlu};
    match.where = most;
    match.text =
        fmt::format("The compiler tests at {} whether an operand is denormal, and scales it.",
                    place_name(c.kernel, most));
    match.hint =
        "Compile with -ftz=true if denormal numbers (below 1.2e-38) may be flushed to zero. The "
        "source stays as it is.";
    return {std::move(match)};
  }
};

}  // namespace

const Rule* flush_denormals() {
  static const FlushDenormals rule;
  return &rule;
}

}  // namespace burin::advise
