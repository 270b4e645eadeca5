// The blocks of a grid that do anything, where many leave at once: `if (!flags[blockIdx.x]) return`.
//
//   ActiveBlocks active({0, 50, 100, …}, 1, 13'200);
//   active.size(), active.block(2)       // 264, 100
//   active.nearest(120)                  // 2: the position of block 100
//
// Of a very large grid only one block in `one_in` was looked at. Those that were found then stand
// for as many others, evenly spread up to the next one.
#pragma once

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
  std::uint64_t idle() const { return blocks_ - size(); }
  std::uint64_t block(std::uint64_t position) const;
  std::uint64_t nearest(std::uint64_t block) const;                // its position
  std::optional<std::uint64_t> find(std::uint64_t block) const;  // likewise; empty: idle

 private:
  std::vector<std::uint64_t> found_;
  std::uint64_t one_in_ = 1;
  std::uint64_t blocks_ = 0;
};

}  // namespace burin::timing
