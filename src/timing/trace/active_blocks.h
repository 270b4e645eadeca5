// The active blocks of a grid in which many blocks exit at once: `if (!flags[blockIdx.x]) return`.
//
//   ActiveBlocks active({0, 50, 100, …}, 1, 13'200);
//   active.size(), active.block(2)       // 264, 100
//   active.nearest(120)                  // 2: the position of block 100
//
// In a very large grid only one of each `one_in` blocks is probed. An active probed block
// represents all `one_in` of them if a neighbouring probe is active too; otherwise it represents
// the same number of blocks, spread evenly up to the next probe.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace burin::timing {

class ActiveBlocks {
 public:
  ActiveBlocks() = default;
  // `found`: block numbers, ascending; `blocks`: of the grid.
  ActiveBlocks(std::vector<std::uint64_t> found, std::uint64_t one_in, std::uint64_t blocks);

  std::uint64_t size() const { return found_.size() * one_in_; }
  std::uint64_t idle() const { return blocks_ - std::min(blocks_, size()); }
  std::uint64_t block(std::uint64_t position) const;
  std::uint64_t nearest(std::uint64_t block) const;  // its position
  // Returns the position of a certainly active block that represents this one. If not all blocks
  // were probed, block() may be a guess.
  std::uint64_t known(std::uint64_t position) const;
  std::uint64_t one_in() const { return one_in_; }
  std::optional<std::uint64_t> find(std::uint64_t block) const;  // likewise; empty: idle

 private:
  bool in_a_row(std::size_t at) const;  // a neighbouring probe is active too

  std::vector<std::uint64_t> found_;
  std::uint64_t one_in_ = 1;
  std::uint64_t blocks_ = 0;
};

}  // namespace burin::timing
