// Fewer, fatter threads, made in the kernel's PTX (`burin coarsen`).
#include "advise/changes/propose.h"
#include "base/format.h"

namespace burin::advise {
namespace {

constexpr std::uint32_t kMinThreads = 64;  // of a block

}  // namespace

void propose_coarsening(const ProposalInput& input, Proposals& all) {
  const Case& c = input.c;
  const std::uint32_t block[] = {c.block.x, c.block.y, c.block.z};
  const std::uint32_t grid[] = {c.grid.x, c.grid.y, c.grid.z};
  const auto propose = [&](const coarsen::Coarsening& coarsening) {
    const char axis = "xyz"[coarsening.axis];
    const bool of_threads = coarsening.level == coarsen::Level::kThread;
    all.changes.push_back(
        {.family = "coarsen",
         .title = fmt::format("--coarsen-{} {}={}{}", of_threads ? "thread" : "block", axis,
                              coarsening.factor, coarsening.stride == 1 ? ",stride=1" : ""),
         .rules = {"thread-coarsening"},
         .coarsenings = {coarsening}});
  };
  for (unsigned axis = 0; axis < 3; ++axis) {
    for (const unsigned factor : {4u, 2u, 8u}) {
      if (block[axis] % factor != 0 || c.block.total() / factor < kMinThreads) continue;
      propose({coarsen::Level::kThread, axis, factor, 0});
      if (axis == 0 && factor == 4) propose({coarsen::Level::kThread, axis, factor, 1});
    }
    for (const unsigned factor : {2u, 4u}) {
      if (grid[axis] >= 2 * factor) propose({coarsen::Level::kBlock, axis, factor, 0});
    }
  }
}

}  // namespace burin::advise
