#include "advise/blame/awaited.h"

#include <algorithm>

namespace burin::advise {

std::uint32_t awaited(const read::Kernel& kernel, std::uint32_t before, std::uint32_t waits) {
  // A shorter stall count is required by the unit, not by a result.
  constexpr int kUnitsOwn = 2;
  const std::uint32_t first = kernel.blocks[kernel.block_of[waits]].first;
  if (kernel.instructions[before].control.stall <= kUnitsOwn || before + 1 != waits) return before;
  std::uint32_t nearest = read::kNoIndex;
  for (const read::Dependence& d : kernel.dependences_of(waits)) {
    if (d.kind != read::Dependence::Kind::kRegister) continue;
    if (d.producer == before) return before;
    const bool fixed = kernel.instructions[d.producer].control.write_barrier >= 6;
    if (!fixed || d.producer < first || d.producer > before) continue;
    if (nearest == read::kNoIndex || d.producer > nearest) nearest = d.producer;
  }
  if (nearest == read::kNoIndex) return before;
  // It has finished if the instructions since take longer than any stall count.
  constexpr int kMaxStall = 15;
  int cycles = 0;
  for (std::uint32_t i = nearest; i < before; ++i) {
    cycles += std::max(1, int{kernel.instructions[i].control.stall});
  }
  return cycles < kMaxStall ? nearest : before;
}

std::uint32_t distance_of_awaited(const read::Kernel& kernel, std::uint32_t cause,
                                  std::uint32_t waits) {
  return kernel.block_of[cause] == kernel.block_of[waits] && cause < waits ? waits - cause : 1;
}

}  // namespace burin::advise
