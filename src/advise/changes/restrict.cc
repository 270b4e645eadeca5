// Pointers that the compiler may take for separate buffers: __restrict__, and const where the
// kernel writes nothing through them, so that loads may move and use the read-only path.
#include <algorithm>
#include <set>

#include "advise/case/origin.h"
#include "advise/changes/propose.h"
#include "base/format.h"
#include "base/text.h"

namespace burin::advise {
namespace {

// Tokens [first, last] of each parameter.
std::vector<std::pair<std::size_t, std::size_t>> parameters_of(const CudaText& source,
                                                               const FunctionText& f) {
  std::vector<std::pair<std::size_t, std::size_t>> all;
  std::size_t first = f.open_parameters + 1;
  int angles = 0;
  for (std::size_t i = first; i <= f.close_parameters; ++i) {
    const std::string_view text = source.of(i);
    if (text == "<") ++angles;
    if (text == ">") --angles;
    if ((text == "(" || text == "[") && source.partner(i) != CudaText::kNone) i = source.partner(i);
    if (i != f.close_parameters && !(text == "," && angles == 0)) continue;
    if (i > first) all.emplace_back(first, i - 1);
    first = i + 1;
  }
  return all;
}

struct PointerText {
  std::size_t star = CudaText::kNone;  // its last *
  bool is_const = false;               // what it points to
  bool is_restrict = false;
  bool plain = true;  // one *, nothing that is not understood
};

PointerText pointer_of(const CudaText& source, std::size_t first, std::size_t last) {
  PointerText p;
  for (std::size_t i = first; i <= last; ++i) {
    const std::string_view text = source.of(i);
    if (source.tokens()[i].kind == Token::Kind::kDirective) p.plain = false;
    if (source.is_word(i) && source.is_macro(text)) p.plain = false;
    if (text == "const" && p.star == CudaText::kNone) p.is_const = true;
    if (text == "volatile" || text == "(" || text == "&" || text == "=") p.plain = false;
    if (text == "__restrict__" || text == "__restrict") p.is_restrict = true;
    if (text != "*") continue;
    if (p.star != CudaText::kNone) p.plain = false;
    p.star = i;
  }
  if (!source.is_word(last) || last == first) p.plain = false;
  return p;
}

}  // namespace

void propose_restrict(const ProposalInput& input, Proposals& all) {
  if (input.kernel() == nullptr) {
    all.refused.push_back({"__restrict__", input.no_kernel});
    return;
  }
  const CudaText& source = input.source;
  const auto parameters = parameters_of(source, *input.kernel());
  const std::vector<read::Parameter>& in_code = input.c.kernel.function->parameters;
  const bool known = parameters.size() == in_code.size();
  const std::set<std::uint32_t> written = written_parameters(input.c.kernel);
  Change change{.family = "restrict",
                .place = input.at(input.kernel()->first_line),
                .condition = "The buffers must not overlap."};
  bool any_pointer = false;
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    const auto [first, last] = parameters[k];
    const PointerText p = pointer_of(source, first, last);
    if (p.star == CudaText::kNone) continue;
    any_pointer = true;
    if (!p.plain) {
      all.refused.push_back(
          {"__restrict__", fmt::format("parameter {} at {} is no plain pointer", k + 1,
                                       input.at(source.tokens()[first].line))});
      return;
    }
    if (p.is_restrict) continue;
    const Token& star = source.tokens()[p.star];
    change.edits.push_back({star.offset + star.length, 0, " __restrict__"});
    if (!p.is_const && known && !written.contains(in_code[k].offset)) {
      change.edits.push_back({source.tokens()[first].offset, 0, "const "});
    }
  }
  if (!any_pointer || change.edits.empty()) return;
  change.title = fmt::format("__restrict__ pointers at {}", change.place);
  all.changes.push_back(std::move(change));
}

}  // namespace burin::advise
