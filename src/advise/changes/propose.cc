#include "advise/changes/propose.h"

#include <algorithm>
#include <filesystem>

#include "analyze/code/regions.h"
#include "base/file.h"
#include "base/format.h"
#include "base/text.h"
#include "read/program/names.h"

namespace burin::advise {
namespace {

// The function of that name that contains the lines of the code.
void find_kernel(const Case& c, ProposalInput& input) {
  const std::string name(read::plain_name(c.kernel.function->demangled));
  std::vector<std::size_t> named;
  for (std::size_t k = 0; k < input.functions.size(); ++k) {
    if (input.functions[k].is_kernel && input.functions[k].name == name) named.push_back(k);
  }
  if (named.size() > 1) {
    std::erase_if(named, [&](std::size_t k) {
      return input.share(input.functions[k].first_line, input.functions[k].last_line) <= 0;
    });
  }
  if (named.size() == 1) {
    input.kernel_index = named[0];
  } else if (named.empty()) {
    input.no_kernel =
        fmt::format("{} has no definition of {} that can be read: a macro may hide it",
                    file_name(input.path), name);
  } else {
    input.no_kernel = fmt::format("{} has several definitions of {}", file_name(input.path), name);
  }
}

}  // namespace

std::string ProposalInput::at(std::uint32_t line) const {
  return fmt::format("{}:{}", file_name(path), line);
}

double ProposalInput::share(std::uint32_t first, std::uint32_t last) const {
  double sum = 0;
  for (std::size_t l = first; l <= last && l < line_shares.size(); ++l) sum += line_shares[l];
  return sum;
}

ProposalInput proposal_input(const Case& c, const CudaText& source, const std::string& path) {
  ProposalInput input{.c = c, .source = source, .path = path, .functions = functions_of(source)};
  input.line_shares.resize(source.lines() + 1);
  const timing::Prediction& p = c.study->base();
  std::map<std::string_view, bool> is_source;
  for (std::uint32_t i = 0; i < c.kernel.instructions.size(); ++i) {
    const analyze::SourceLine line = analyze::line_of(c.kernel, i);
    if (line.file.empty() || line.line >= input.line_shares.size()) continue;
    auto known = is_source.find(line.file);
    if (known == is_source.end()) {
      known = is_source.emplace(line.file, is_same_file(std::string(line.file), path)).first;
    }
    if (!known->second) continue;
    double cycles = p.costs[i].issued;
    for (const launch::StallCycles& stall : p.costs[i].stalls) cycles += stall.sum();
    if (p.warp_cycles > 0) input.line_shares[line.line] += cycles / p.warp_cycles;
  }
  find_kernel(c, input);
  return input;
}

Proposals propose_changes(const ProposalInput& input) {
  Proposals all;
  propose_private_sums(input, all);
  propose_axes(input, all);
  propose_flags(input, all);
  propose_padding(input, all);
  propose_literals(input, all);
  propose_intrinsics(input, all);
  propose_restrict(input, all);
  propose_launch_bounds(input, all);
  propose_unrolling(input, all);
  propose_shapes(input, all);
  propose_coarsening(input, all);
  return all;
}

}  // namespace burin::advise
