// __restrict__ for pointers to separate buffers, and const for pointers that the kernel does not
// write through, so that the compiler can move loads and use the read-only path.
#include <algorithm>
#include <set>

#include "advise/case/origin.h"
#include "advise/changes/parameters.h"
#include "advise/changes/propose.h"
#include "base/format.h"
#include "base/text.h"

namespace burin::advise {

void propose_restrict(const ProposalInput& input, Proposals& all) {
  if (input.kernel() == nullptr) {
    all.refused.push_back({"__restrict__", input.no_kernel});
    return;
  }
  const CudaText& source = input.source;
  const std::vector<ParameterText> parameters = parameters_of(source, *input.kernel());
  const std::vector<read::Parameter>& in_code = input.c.kernel.function->parameters;
  const bool known = parameters.size() == in_code.size();
  const std::set<std::uint32_t> written = written_parameters(input.c.kernel);
  Change change{.family = "restrict",
                .place = input.at(input.kernel()->first_line),
                .condition = "The buffers must not overlap."};
  bool any_pointer = false;
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    const ParameterText& p = parameters[k];
    if (p.star == CudaText::kNone) continue;
    any_pointer = true;
    if (!p.is_plain) {
      all.refused.push_back(
          {"__restrict__", fmt::format("parameter {} at {} is no plain pointer", k + 1,
                                       input.at(source.tokens()[p.first].line))});
      return;
    }
    if (p.is_restrict) continue;
    const Token& star = source.tokens()[p.star];
    const bool name_follows = source.tokens()[p.star + 1].offset == star.offset + star.length;
    change.edits.push_back(
        {star.offset + star.length, 0, name_follows ? " __restrict__ " : " __restrict__"});
    if (!p.is_const && known && !written.contains(in_code[k].offset)) {
      change.edits.push_back({source.tokens()[p.first].offset, 0, "const "});
    }
  }
  if (!any_pointer || change.edits.empty()) return;
  change.title = fmt::format("__restrict__ pointers at {}", change.place);
  all.changes.push_back(std::move(change));
}

}  // namespace burin::advise
