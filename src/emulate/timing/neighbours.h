// What the other SMs do while one is emulated: the same, at addresses of their own. How addresses
// go with the block's index is read off the traces of a few blocks.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "emulate/timing/trace.h"

namespace burin {

// The difference of two blocks' indices.
struct BlockStep {
  std::int32_t x = 0;
  std::int32_t y = 0;
  std::int32_t z = 0;
};
BlockStep step_between(Dims from, Dims to);
Dims block_index(std::uint64_t linear, Dims grid);

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
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  std::vector<std::uint64_t> common{};  // lines that most blocks use, in order; of kIrregular

  // All blocks use this line, each time one of them does.
  bool is_shared(std::uint64_t line) const {
    return kind == Kind::kSame || std::binary_search(common.begin(), common.end(), line);
  }
  // Of kIrregular: the line that another block uses in place of this one. Any will do, but a block
  // keeps its distance: what it uses in a row lies in a row.
  std::uint64_t elsewhere(std::uint64_t line, const BlockStep& step) const;
  std::uint64_t distance(const BlockStep& step) const;  // that it keeps, in lines
  std::uint64_t first_line() const { return low / kLineBytes; }
  std::uint64_t extent_lines() const {
    return std::max<std::uint64_t>(1, (high - low) / kLineBytes);
  }

  std::int64_t shift(const BlockStep& s) const { return x * s.x + y * s.y + z * s.z; }
};

// Per instruction of the kernel, from traces of blocks of one launch: those that differ from the
// reference along one axis give the strides, and most of the others must agree.
struct StrideTable {
  std::vector<Strides> of;  // per instruction
  // The grid whose steps the strides are of: the launch's, or rows of that, where its blocks are
  // numbered along one axis but go over a plane (x / n and x % n).
  Dims grid{1, 1, 1};
  // All blocks executed the same instructions, at addresses that follow from their indices: one can
  // stand for another.
  bool alike = true;
};
StrideTable find_strides(std::size_t instructions, Dims grid, const BlockTrace& reference,
                         std::span<const BlockTrace* const> others);

}  // namespace burin
