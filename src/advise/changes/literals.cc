// Float literals: 1.0 in code that computes with floats makes the expression around it double.
#include <algorithm>
#include <set>

#include "advise/changes/double_code.h"
#include "analyze/code/regions.h"
#include "base/file.h"
#include "base/format.h"
#include "base/text.h"
#include "machine/timing_class.h"
#include "read/isa/traits.h"

namespace burin::advise {

std::set<std::uint32_t> lines_with_doubles(const ProposalInput& input) {
  std::set<std::uint32_t> lines;
  const read::Kernel& kernel = input.c.kernel;
  for (std::uint32_t i = 0; i < kernel.instructions.size(); ++i) {
    const read::Instruction& at = kernel.instructions[i];
    const bool is_double =
        at.known() && (machine::timing_class(at) == machine::TimingClass::kFp64 ||
                       (read::converts_between_floats(at) && at.modifier("to") == "F64"));
    if (!is_double) continue;
    const analyze::SourceLine line = analyze::line_of(kernel, i);
    if (line.file.empty() || !is_same_file(std::string(line.file), input.path)) continue;
    lines.insert(line.line);
  }
  return lines;
}

namespace {

// 1.0, .5, 1e-3; not 1, 0x10, 1.0f, 1.0L.
bool is_double_literal(std::string_view text) {
  if (text.starts_with("0x") || text.starts_with("0X")) return false;
  const char last = text.back();
  if (!(last == '.' || (last >= '0' && last <= '9'))) return false;
  return text.find_first_of(".eE") != std::string_view::npos;
}

// Whether the line itself mentions doubles.
bool names_double(const CudaText& source, std::uint32_t line) {
  return std::ranges::any_of(source.tokens(), [&](const Token& t) {
    return t.line == line && source.text().compare(t.offset, t.length, "double") == 0;
  });
}

}  // namespace

void propose_literals(const ProposalInput& input, Proposals& all) {
  const std::set<std::uint32_t> doubles = lines_with_doubles(input);
  if (doubles.empty()) return;
  Change change{.family = "literals",
                .condition = "The expressions are then computed in single precision.",
                .rules = {"precision"},
                .rounds_differently = true};
  std::vector<std::string> named;
  for (const FunctionText& f : input.functions) {
    if (!input.is_part(f)) continue;
    const auto within = doubles.lower_bound(f.first_line);
    if (within == doubles.end() || *within > f.last_line) continue;
    for (std::size_t i = f.open_body; i < f.close_body; ++i) {
      const Token& token = input.source.tokens()[i];
      if (token.kind != Token::Kind::kNumber || !is_double_literal(input.source.of(i))) continue;
      if (names_double(input.source, token.line)) continue;
      change.edits.push_back({token.offset + token.length, 0, "f"});
      const std::string name = fmt::format("{}f", input.source.of(i));
      if (std::ranges::find(named, name) == named.end()) named.push_back(name);
      if (change.line == 0) change.place = input.at(token.line);
      change.line = change.line == 0 ? token.line : std::min(change.line, token.line);
      change.last_line = std::max(change.last_line, token.line);
    }
  }
  if (change.edits.empty()) return;
  change.title = fmt::format("float literals ({})", list_of(named, 3));
  // The finding is about the computation; the literals may be elsewhere.
  change.line = 0;
  all.changes.push_back(std::move(change));
}

}  // namespace burin::advise
