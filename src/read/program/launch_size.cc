#include "read/program/launch_size.h"

#include <algorithm>
#include <string_view>

#include "read/isa/traits.h"

namespace burin::read {

namespace {

// Three sizes each (docs/run.md).
constexpr std::int64_t kBlock = 0;
constexpr std::int64_t kGrid = 12;
constexpr std::int64_t kEnd = 24;

constexpr std::int64_t kSize = 4;

bool reads_constants(const Instruction& i, std::int64_t first, std::int64_t end) {
  const std::int64_t bytes = std::max<std::int64_t>(kSize, access_bytes(i));
  return std::ranges::any_of(i.operands(), [&](const Operand& o) {
    return o.kind == Operand::Kind::kConstant && o.bank == 0 && o.value < end &&
           o.value + bytes > first;
  });
}

bool reads_constants(const Kernel& kernel, std::int64_t first, std::int64_t end) {
  return std::ranges::any_of(kernel.instructions,
                             [&](const Instruction& i) { return reads_constants(i, first, end); });
}

bool reads_special(const Kernel& kernel, std::string_view name) {
  return std::ranges::any_of(kernel.instructions, [&](const Instruction& i) {
    return std::ranges::any_of(i.operands(), [&](const Operand& o) {
      return o.kind == Operand::Kind::kSpecial && o.suffix == name;
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

std::array<bool, 3> grid_sizes_read(const Instruction& instruction) {
  std::array<bool, 3> read{};
  for (std::size_t axis = 0; axis < read.size(); ++axis) {
    const std::int64_t at = kGrid + static_cast<std::int64_t>(axis) * kSize;
    read[axis] = reads_constants(instruction, at, at + kSize);
  }
  return read;
}

std::array<bool, 3> grid_sizes_read(const Kernel& kernel) {
  std::array<bool, 3> read{};
  for (const Instruction& i : kernel.instructions) {
    const std::array<bool, 3> own = grid_sizes_read(i);
    for (std::size_t axis = 0; axis < read.size(); ++axis) read[axis] = read[axis] || own[axis];
  }
  return read;
}

bool reads_thread_axis(const Kernel& kernel, unsigned axis) {
  static constexpr std::array<std::string_view, 3> kNames{"SR_TID.X", "SR_TID.Y", "SR_TID.Z"};
  const std::int64_t at = kBlock + axis * kSize;
  return reads_constants(kernel, at, at + kSize) || reads_special(kernel, kNames[axis]);
}

std::array<bool, 3> block_indices_read(const Kernel& kernel) {
  static constexpr std::array<std::string_view, 3> kNames{"SR_CTAID.X", "SR_CTAID.Y", "SR_CTAID.Z"};
  std::array<bool, 3> read{};
  for (std::size_t axis = 0; axis < read.size(); ++axis)
    read[axis] = reads_special(kernel, kNames[axis]);
  return read;
}

}  // namespace burin::read
