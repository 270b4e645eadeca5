// Makes rows of shared arrays longer, so that columns are spread over the banks.
#include <algorithm>
#include <charconv>

#include "advise/case/row_padding.h"
#include "advise/changes/propose.h"
#include "base/format.h"
#include "read/isa/traits.h"

namespace burin::advise {
namespace {

constexpr double kConflicts = 1.25;  // passes over the minimum
constexpr std::size_t kMaxArrays = 4;

bool has_conflicts(const Case& c) {
  double passes = 0;
  double ideal = 0;
  for (std::size_t i = 0; i < c.accesses.size(); ++i) {
    const read::Instruction& at = c.kernel.instructions[i];
    if (!at.known() || at.opcode->space != read::Space::kShared) continue;
    passes += c.accesses[i].passes;
    ideal += c.accesses[i].ideal_passes;
  }
  return ideal > 0 && passes > kConflicts * ideal;
}

// The last dimension, longer by one: 32 becomes 33, kTile becomes kTile + 1.
TextEdit longer_row(const CudaText& source, std::size_t open, std::size_t close, unsigned by) {
  const std::size_t from = source.tokens()[open].offset + 1;
  const std::size_t to = source.tokens()[close].offset;
  const std::string text = source.text().substr(from, to - from);
  unsigned number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem == std::errc() && end == text.data() + text.size()) {
    return {from, to - from, std::to_string(number + by)};
  }
  return {to, 0, fmt::format(" + {}", by)};
}

}  // namespace

void propose_padding(const ProposalInput& input, Proposals& all) {
  if (!has_conflicts(input.c)) return;
  const CudaText& source = input.source;
  const unsigned by = row_padding(input.c);
  const std::string elements = by == 1 ? "one element" : fmt::format("{} elements", by);
  std::size_t arrays = 0;
  for (const FunctionText& f : input.functions) {
    if (!input.is_part(f)) continue;
    if (input.share(f.first_line, f.last_line) <= 0) continue;
    for (std::size_t i = f.open_body; i < f.close_body && arrays < kMaxArrays; ++i) {
      if (!source.is(i, "__shared__")) continue;
      const std::uint32_t line = source.tokens()[i].line;
      std::size_t first = i;
      while (first < f.close_body && !source.is(first, "[") && !source.is(first, ";")) ++first;
      const std::size_t name = source.previous(first);
      const std::string title = fmt::format("shared array {} at {}, rows {} longer",
                                            source.of(name), input.at(line), elements);
      std::vector<std::size_t> dimensions;  // their opening brackets
      std::size_t after = first;
      while (source.is(after, "[") && source.partner(after) != CudaText::kNone) {
        dimensions.push_back(after);
        after = source.next(source.partner(after));
      }
      if (dimensions.size() < 2) continue;
      if (!source.is(after, ";")) {
        all.refused.push_back({title, "several variables are declared at once"});
        continue;
      }
      ++arrays;
      const std::size_t open = dimensions.back();
      all.changes.push_back({.family = "padding",
                             .place = fmt::format("{} {}", input.at(line), source.of(name)),
                             .title = title,
                             .condition = "The array must be accessed by its indices only.",
                             .rules = {"bank-conflicts"},
                             .edits = {longer_row(source, open, source.partner(open), by)}});
    }
  }
}

}  // namespace burin::advise
