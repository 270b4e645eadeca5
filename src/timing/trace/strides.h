// What the other SMs do while one is emulated: the same, at addresses of their own. How addresses
// go with the block's index is read off the traces of a few blocks.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "timing/trace/trace.h"

namespace burin::timing {

// How blocks are numbered: along the axes of a grid, of which two may be cut into rows of so many,
// where a program takes x % row_x and x / row_x of a block's index (block_rows.h).
struct BlockNumbers {
  static constexpr std::uint32_t kUncut = ~0u;
  launch::Dims grid{1, 1, 1};
  std::uint32_t row_x = kUncut;
  std::uint32_t row_y = kUncut;

  bool operator==(const BlockNumbers&) const = default;
};
launch::Dims block_index(std::uint64_t linear, launch::Dims grid);

// The difference of two blocks' indices: of x and y within their rows, and of the rows.
struct BlockStep {
  std::int32_t x = 0;
  std::int32_t y = 0;
  std::int32_t z = 0;
  std::int32_t row_x = 0;
  std::int32_t row_y = 0;

  bool operator==(const BlockStep&) const = default;
};
BlockStep step_between(std::uint64_t from, std::uint64_t to, const BlockNumbers& numbers);

// A stretch of lines, behind the last of which comes the first again.
struct LineRing {
  std::uint64_t first = 0;
  std::uint64_t lines = 1;
  std::uint64_t from = 0;  // where one stands, counted from the first

  // The line that many further on, less than once around.
  std::uint64_t at(std::uint64_t move) const {
    const std::uint64_t behind = from + move;
    return first + (behind >= lines ? behind - lines : behind);
  }
};

// Where an instruction's addresses lie in one block, seen from another.
struct Strides {
  // kSame: at the same place. kAffine: so many bytes further for each step of the index.
  // kDrifting: about so many, each block in a range of its own.
  // kIrregular: somewhere in the memory that the instruction was seen to use, `low` to `high`.
  enum class Kind : std::uint8_t { kUnseen, kSame, kAffine, kDrifting, kIrregular };
  Kind kind = Kind::kUnseen;
  std::int64_t x = 0;
  std::int64_t y = 0;
  std::int64_t z = 0;
  std::int64_t row_x = 0;
  std::int64_t row_y = 0;
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  std::vector<std::uint64_t> common{};  // lines that most blocks use, in order; of kIrregular

  // Of kIrregular: the line that another block uses in place of this one. Any will do, but a block
  // keeps its distance: what it uses in a row lies in a row.
  std::uint64_t elsewhere(std::uint64_t line, const BlockStep& step) const {
    return ring(line).at(distance(step));
  }
  std::uint64_t distance(const BlockStep& step) const;  // that it keeps, in lines
  LineRing ring(std::uint64_t line) const;  // of all those lines, from this one or its like
  std::uint64_t first_line() const { return low / kLineBytes; }
  std::uint64_t extent_lines() const {
    return std::max<std::uint64_t>(1, (high - low) / kLineBytes);
  }

  // Along how many axes the addresses move.
  std::size_t axes() const {
    return static_cast<std::size_t>((x != 0) + (y != 0) + (z != 0) + (row_x != 0) + (row_y != 0));
  }
  std::int64_t shift(const BlockStep& s) const {
    return x * s.x + y * s.y + z * s.z + row_x * s.row_x + row_y * s.row_y;
  }
};

// Per instruction of the kernel, from traces of blocks of one launch: those that differ from the
// reference along one axis give the strides, and most of the others must agree.
struct StrideTable {
  std::vector<Strides> of;  // per instruction
  BlockNumbers numbers;     // whose steps the strides are of
  // All blocks executed the same instructions, at addresses that follow from their indices: one can
  // stand for another.
  bool alike = true;

  double exceptions = 0;  // pairs of blocks that the strides of their instructions do not explain

  bool whole_lines() const;       // from one block to the next, all addresses move by those
  std::size_t irregular() const;  // instructions whose addresses do not follow from the indices
};
StrideTable find_strides(std::size_t instructions, launch::Dims grid, const BlockTrace& reference,
                         std::span<const BlockTrace* const> others);

}  // namespace burin::timing
