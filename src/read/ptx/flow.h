// What holds along the control flow of a function: which registers are live, and where paths that
// part at a branch meet again.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "read/dominator_tree.h"
#include "read/ptx/body.h"

namespace burin::read::ptx {

class RegisterSet {
 public:
  RegisterSet() = default;
  explicit RegisterSet(std::size_t registers) : words_((registers + 63) / 64) {}

  bool contains(Register r) const { return (words_[r / 64] >> (r % 64) & 1) != 0; }
  void insert(Register r) { words_[r / 64] |= std::uint64_t{1} << (r % 64); }
  void erase(Register r) { words_[r / 64] &= ~(std::uint64_t{1} << (r % 64)); }
  // All of `other`, or those that are also in `within`. True if there was anything to add.
  bool insert_all(const RegisterSet& other);
  bool insert_common(const RegisterSet& other, const RegisterSet& within);

  template <typename Visit>
  void visit(Visit visit) const {
    for (std::size_t w = 0; w < words_.size(); ++w) {
      for (std::uint64_t left = words_[w]; left != 0; left &= left - 1) {
        visit(static_cast<Register>(64 * w + static_cast<std::size_t>(std::countr_zero(left))));
      }
    }
  }

 private:
  std::vector<std::uint64_t> words_;
};

struct Flow {
  explicit Flow(const Body& body);

  // The blocks between a branch and the block where all paths from it meet: those that can be
  // reached from the branch without passing its post-dominator. A branch that leaves a loop is in
  // its own region. Sorted.
  std::vector<std::uint32_t> region_of(std::uint32_t block) const;

  const Body& body;
  Graph graph;                                // blocks, and the exit
  std::vector<std::uint32_t> order;           // reverse postorder of the blocks that are reachable
  std::vector<std::uint32_t> post_dominator;  // immediate; kNoIndex: no path leaves the function
  std::vector<RegisterSet> live_in;           // per block, and for the exit
  std::vector<RegisterSet> live_out;
};

}  // namespace burin::read::ptx
