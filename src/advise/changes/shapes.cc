// Other block shapes, if the results provably stay the same.
#include <algorithm>
#include <array>

#include "advise/changes/propose.h"
#include "base/format.h"

namespace burin::advise {
namespace {

constexpr std::array<std::uint32_t, 5> kLines = {64, 128, 256, 512, 1024};
constexpr std::array<launch::Dims, 9> kPlanes = {{{32, 4, 1},
                                                  {32, 8, 1},
                                                  {32, 16, 1},
                                                  {64, 2, 1},
                                                  {64, 4, 1},
                                                  {128, 1, 1},
                                                  {128, 2, 1},
                                                  {256, 1, 1},
                                                  {16, 16, 1}}};

std::string dims_text(launch::Dims d) {
  if (d.z > 1) return fmt::format("{},{},{}", d.x, d.y, d.z);
  return d.y > 1 ? fmt::format("{},{}", d.x, d.y) : std::to_string(d.x);
}

}  // namespace

void propose_shapes(const ProposalInput& input, Proposals& all) {
  const Case& c = input.c;
  const analyze::Reshape proof = analyze::reshape_proof(c.kernel, c.study->launch());
  if (proof.fixed()) {
    const auto why = std::ranges::find_if(
        proof.axes, [](const analyze::AxisFreedom& axis) { return !axis.text.empty(); });
    all.refused.push_back(
        {"another block shape", why == proof.axes.end() ? "not proved to be allowed" : why->text});
    return;
  }
  std::vector<launch::Dims> shapes;
  const bool plane = c.block.y > 1 || c.grid.y > 1;
  if (plane) {
    for (launch::Dims d : kPlanes) shapes.push_back({d.x, d.y, c.block.z});
  } else {
    for (const std::uint32_t x : kLines) shapes.push_back({x, 1, c.block.z});
  }
  for (const launch::Dims& block : shapes) {
    if (block == c.block) continue;
    const Result<launch::Dims> grid =
        analyze::reshaped_grid(proof, c.kernel, c.study->launch(), block);
    if (!grid) continue;
    all.changes.push_back(
        {.family = "block-shape",
         .title = fmt::format("--grid {} --block {}", dims_text(*grid), dims_text(block)),
         .rules = {"thread-increase", "block-increase", "tail-effect"},
         .grid = *grid,
         .block = block});
  }
}

}  // namespace burin::advise
