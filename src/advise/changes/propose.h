// The changes that can be made to a kernel without understanding it, found from its source text,
// its code and its launch.
//
//   const CudaText source(text);
//   Proposals all = propose_changes(c, source, "stencil.cu", reshape);
//   all.changes[0].title         "#pragma unroll 4 at stencil.cu:12"
//   all.refused[0].why           "the loop does not begin its line"
//
// A change is refused, with the reason, unless the text certainly allows it. A change that only the
// compiler can judge (const for a pointer that is written through a cast) is proposed: if it is
// wrong, it does not compile or its results differ.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "advise/case/case.h"
#include "advise/changes/change.h"
#include "advise/changes/cuda_text.h"
#include "analyze/reshape/reshape.h"

namespace burin::advise {

struct Proposals {
  std::vector<Change> changes{};
  std::vector<RefusedChange> refused{};
};

// The input of all proposers. `c` needs a study.
struct ProposalInput {
  const Case& c;
  const CudaText& source;
  std::string path;                           // of the source, as the user names it
  std::vector<FunctionText> functions;        // of the source
  std::optional<std::size_t> kernel_index{};  // in `functions`; empty: `no_kernel` says why
  std::string no_kernel{};
  // Share of the launch's warp time at each line of the source; index 0 is not used.
  std::vector<double> line_shares{};

  const FunctionText* kernel() const { return kernel_index ? &functions[*kernel_index] : nullptr; }
  // Whether the function is part of the kernel: the kernel itself, or one that it may call.
  bool is_part(const FunctionText& f) const { return !f.is_kernel || &f == kernel(); }
  std::string at(std::uint32_t line) const;  // "stencil.cu:12"
  double share(std::uint32_t first, std::uint32_t last) const;
};
ProposalInput proposal_input(const Case& c, const CudaText& source, const std::string& path);

Proposals propose_changes(const ProposalInput& input);

// One function for each family. They add to `all`.
void propose_unrolling(const ProposalInput& input, Proposals& all);
void propose_flags(const ProposalInput& input, Proposals& all);
void propose_launch_bounds(const ProposalInput& input, Proposals& all);
void propose_restrict(const ProposalInput& input, Proposals& all);
void propose_literals(const ProposalInput& input, Proposals& all);
void propose_intrinsics(const ProposalInput& input, Proposals& all);
void propose_padding(const ProposalInput& input, Proposals& all);
void propose_private_sums(const ProposalInput& input, Proposals& all);
void propose_axes(const ProposalInput& input, Proposals& all);
void propose_shapes(const ProposalInput& input, Proposals& all);
void propose_coarsening(const ProposalInput& input, Proposals& all);

}  // namespace burin::advise
