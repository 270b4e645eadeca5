#include "read/program/launch_size.h"

#include <algorithm>

namespace burin::read {

namespace {

// Three sizes each (docs/run.md).
constexpr std::int64_t kBlock = 0;
constexpr std::int64_t kGrid = 12;
constexpr std::int64_t kEnd = 24;

bool reads_constants(const Kernel& kernel, std::int64_t first, std::int64_t end) {
  return std::ranges::any_of(kernel.instructions, [&](const Instruction& i) {
    return std::ranges::any_of(i.operands(), [&](const Operand& o) {
      return o.kind == Operand::Kind::kConstant && o.bank == 0 && o.value >= first && o.value < end;
    });
  });
}

}  // namespace

bool reads_block_size(const Kernel& kernel) {
  return reads_constants(kernel, kBlock, kGrid);
}

bool reads_grid_size(const Kernel& kernel) {
  return reads_constants(kernel, kGrid, kEnd);
}

}  // namespace burin::read
