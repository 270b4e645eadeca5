// Exchanges two axes, in the text and in the launch, so that adjacent lanes follow the other axis:
// blockIdx.x becomes blockIdx.y and vice versa. Each thread does the work that another thread did
// before; only the grouping of threads into warps changes.
#include <algorithm>
#include <array>

#include "advise/case/requests.h"
#include "advise/changes/propose.h"
#include "base/format.h"

namespace burin::advise {
namespace {

constexpr double kScattered = 2;  // sectors over the minimum
constexpr std::uint32_t kMaxGridYz = 65535;
constexpr std::array<std::string_view, 4> kBuiltins = {"threadIdx", "blockIdx", "blockDim",
                                                       "gridDim"};

bool has_scattered_accesses(const Case& c) {
  double sectors = 0;
  double ideal = 0;
  for (std::uint32_t i = 0; i < c.accesses.size(); ++i) {
    if (!touches_global(c.at(i))) continue;
    sectors += c.accesses[i].sectors;
    ideal += c.accesses[i].ideal_sectors;
  }
  return ideal > 0 && sectors > kScattered * ideal;
}

// Exchanges x with y (1) or z (2).
launch::Dims exchanged(launch::Dims d, unsigned axis) {
  std::swap(d.x, axis == 1 ? d.y : d.z);
  return d;
}

std::string dims_words(launch::Dims d) {
  return d.z > 1 ? fmt::format("{},{},{}", d.x, d.y, d.z) : fmt::format("{},{}", d.x, d.y);
}

// Error: a clause with the reason why the text does not allow it.
Result<std::vector<TextEdit>> exchange_axes(const ProposalInput& input, unsigned axis) {
  const CudaText& source = input.source;
  const std::string_view other = axis == 1 ? "y" : "z";
  std::vector<TextEdit> edits;
  for (const FunctionText& f : input.functions) {
    if (!input.is_part(f)) continue;
    for (std::size_t i = f.open_body; i < f.close_body; ++i) {
      const std::string_view word = source.of(i);
      if (word.starts_with("__shfl") || word.starts_with("__reduce") || word == "this_grid" ||
          word == "__ballot_sync" || word == "__cluster_dims__" || word == "asm") {
        return Error{fmt::format("the kernel uses {}", word)};
      }
      if (std::ranges::find(kBuiltins, word) == kBuiltins.end()) continue;
      const std::size_t member = i + 2;
      if (!source.is(i + 1, ".") || source.of(member).size() != 1) {
        return Error{fmt::format("{} is used as a whole", word)};
      }
      const bool is_x = source.is(member, "x");
      if (!is_x && !source.is(member, other)) continue;
      edits.push_back({source.tokens()[member].offset, 1, is_x ? std::string(other) : "x"});
    }
  }
  if (edits.empty()) return Error{"the kernel does not use its index"};
  return edits;
}

}  // namespace

void propose_axes(const ProposalInput& input, Proposals& all) {
  const Case& c = input.c;
  if (input.kernel() == nullptr || !has_scattered_accesses(c)) return;
  for (const unsigned axis : {1u, 2u}) {
    const std::uint32_t threads = axis == 1 ? c.block.y : c.block.z;
    const launch::Dims grid = exchanged(c.grid, axis);
    if (threads < 2 || std::max(grid.y, grid.z) > kMaxGridYz) continue;
    const std::string title = fmt::format("axes x and {} exchanged", axis == 1 ? "y" : "z");
    Result<std::vector<TextEdit>> edits = exchange_axes(input, axis);
    if (!edits) {
      all.refused.push_back({title, edits.error().message});
      continue;
    }
    const launch::Dims block = exchanged(c.block, axis);
    Change change{.family = "axes", .place = input.at(input.kernel()->first_line)};
    change.title =
        fmt::format("{}, --grid {} --block {}", title, dims_words(grid), dims_words(block));
    change.condition = "Grid and block of the launch must be exchanged too.";
    change.rules = {"coalescing"};
    change.edits = std::move(*edits);
    change.grid = grid;
    change.block = block;
    change.for_grid = [edits = change.edits, axis](launch::Dims other) {
      return GridForm{.edits = edits, .grid = exchanged(other, axis)};
    };
    all.changes.push_back(std::move(change));
  }
}

}  // namespace burin::advise
