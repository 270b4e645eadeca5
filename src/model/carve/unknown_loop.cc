#include "model/carve/unknown_loop.h"

#include <algorithm>
#include <vector>

#include "base/format.h"

namespace burin::model {
namespace {

// The loop that a branch leaves or repeats, by the branch's index; kNoIndex: none.
std::vector<std::uint32_t> loop_branches(const read::Kernel& kernel) {
  std::vector<std::uint32_t> loops(kernel.instructions.size(), read::kNoIndex);
  for (std::uint32_t l = 0; l < kernel.loops.size(); ++l) {
    const read::Loop& loop = kernel.loops[l];
    for (const std::uint32_t block : loop.blocks) {
      const bool leaves =
          std::ranges::any_of(kernel.blocks[block].successors, [&](const read::Edge& edge) {
            return !std::ranges::binary_search(loop.blocks, edge.block);
          });
      if (leaves) loops[kernel.blocks[block].last] = l;
    }
  }
  return loops;
}

}  // namespace

std::string describe_loop(const read::Kernel& kernel, const read::Loop& loop) {
  const std::uint32_t offset = kernel.blocks[loop.header].first * 16;
  const std::int32_t at = kernel.location_at(offset);
  if (at < 0) {
    return fmt::format(
        "the loop at offset {:#06x}; compile with -lineinfo and give its count with "
        "--trip LINE=N",
        offset);
  }
  const read::Location& location = kernel.image->locations[static_cast<std::size_t>(at)];
  return fmt::format("the loop at line {0}; --trip {0}=N gives its count", location.line);
}

const read::Loop* unknown_loop(const read::Kernel& kernel,
                               std::span<const timing::BlockTrace> traces) {
  const std::vector<std::uint32_t> loops = loop_branches(kernel);
  for (const timing::BlockTrace& trace : traces) {
    for (const auto& warp : trace.warps) {
      for (const timing::TraceStep& step : warp) {
        const std::uint32_t loop = loops[step.instruction];
        if (step.unknown != 0 && loop != read::kNoIndex) return &kernel.loops[loop];
      }
    }
  }
  return nullptr;
}

}  // namespace burin::model
