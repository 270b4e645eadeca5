#include "advise/case/row_padding.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "read/isa/traits.h"

namespace burin::advise {

namespace {

constexpr unsigned kBanks = 32;

}  // namespace

unsigned row_padding(const Case& c, double ways) {
  // A warp covers several rows of threads only if a row of the block is shorter than a warp.
  const bool several_rows = c.block.x < kBanks && c.block.total() > c.block.x;
  if (!several_rows || ways < 1) return 1;
  const auto rows = std::bit_floor(static_cast<unsigned>(std::lround(std::min(32.0, ways))));
  return kBanks / std::max(1u, rows);
}

unsigned row_padding(const Case& c) {
  double most = 0;
  double ways = 1;
  for (std::uint32_t i = 0; i < c.accesses.size(); ++i) {
    const AccessCount& count = c.accesses[i];
    if (!c.at(i).known() || c.at(i).opcode->space != read::Space::kShared) continue;
    if (count.passes - count.ideal_passes <= most) continue;
    most = count.passes - count.ideal_passes;
    ways = count.passes / count.ideal_passes;
  }
  return row_padding(c, ways);
}

}  // namespace burin::advise
