// Describes the other SMs while one SM is emulated: they do the same at their own addresses. The
// dependence of addresses on the block's index is inferred from the traces of a few blocks.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "timing/trace/trace.h"

namespace burin::timing {

// How blocks are numbered: along the axes of a grid. The x and y axes may be split into rows of
// row_x and row_y blocks, for programs that use x % row_x and x / row_x of a block's index
// (block_rows.h).
struct BlockNumbers {
  static constexpr std::uint32_t kUncut = ~0u;
  launch::Dims grid{1, 1, 1};
  std::uint32_t row_x = kUncut;
  std::uint32_t row_y = kUncut;

  bool operator==(const BlockNumbers&) const = default;
};
launch::Dims block_index(std::uint64_t linear, launch::Dims grid);

// The difference between two block indices: x and y within their rows, z, and the row numbers.
struct BlockStep {
  std::int32_t x = 0;
  std::int32_t y = 0;
  std::int32_t z = 0;
  std::int32_t row_x = 0;
  std::int32_t row_y = 0;

  bool operator==(const BlockStep&) const = default;
};
BlockStep step_between(std::uint64_t from, std::uint64_t to, const BlockNumbers& numbers);

// A range of lines that wraps around: the last line is followed by the first.
struct LineRing {
  std::uint64_t first = 0;
  std::uint64_t lines = 1;
  std::uint64_t from = 0;  // current position, relative to the first line

  // Returns the line `move` lines further on. `move` must be less than `lines`.
  std::uint64_t at(std::uint64_t move) const {
    const std::uint64_t behind = from + move;
    return first + (behind >= lines ? behind - lines : behind);
  }
};

// The position of an instruction's addresses in one block relative to another block.
struct Strides {
  // kSame: the same addresses. kAffine: shifted by a fixed number of bytes per step of the index.
  // kDrifting: shifted by about that many bytes, each block in a range of its own. kIrregular:
  // anywhere in the memory that the instruction was seen to access, `low` to `high`.
  enum class Kind : std::uint8_t { kUnseen, kSame, kAffine, kDrifting, kIrregular };
  Kind kind = Kind::kUnseen;
  std::int64_t x = 0;
  std::int64_t y = 0;
  std::int64_t z = 0;
  std::int64_t row_x = 0;
  std::int64_t row_y = 0;
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  std::vector<std::uint64_t> common{};  // kIrregular: lines that most blocks use, in order

  // kIrregular: returns the line that another block uses in place of `line`. The choice is
  // arbitrary, but a block keeps its distance: consecutive lines map to consecutive lines.
  std::uint64_t elsewhere(std::uint64_t line, const BlockStep& step) const {
    return ring(line).at(distance(step));
  }
  std::uint64_t distance(const BlockStep& step) const;  // the distance it keeps, in lines
  LineRing ring(std::uint64_t line) const;  // all lines of the extent, starting at this line or its
                                            // image
  std::uint64_t first_line() const { return low / kLineBytes; }
  std::uint64_t extent_lines() const {
    return std::max<std::uint64_t>(1, (high - low) / kLineBytes);
  }

  // Returns the number of axes along which the addresses move.
  std::size_t axes() const {
    return static_cast<std::size_t>((x != 0) + (y != 0) + (z != 0) + (row_x != 0) + (row_y != 0));
  }
  std::int64_t shift(const BlockStep& s) const {
    return x * s.x + y * s.y + z * s.z + row_x * s.row_x + row_y * s.row_y;
  }
};

// The strides of each instruction of the kernel, inferred from traces of blocks of one launch.
// Blocks that differ from the reference along one axis give the strides, and most of the other
// blocks must agree.
struct StrideTable {
  std::vector<Strides> of;  // one per instruction
  BlockNumbers numbers;     // the block numbering that the strides refer to
  // All blocks executed the same instructions, at addresses that follow from their indices, so one
  // block can represent another.
  bool alike = true;

  double exceptions = 0;  // pairs of blocks that the strides of their instructions do not explain

  bool whole_lines() const;       // all strides are multiples of a line
  std::size_t irregular() const;  // number of instructions whose addresses do not follow from the
                                  // indices
};
StrideTable find_strides(std::size_t instructions, launch::Dims grid, const BlockTrace& reference,
                         std::span<const BlockTrace* const> others);

}  // namespace burin::timing
