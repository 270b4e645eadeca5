// The copies from global into shared memory (cp.async, LDGSTS) that the threads of a block have not
// waited for. The bytes are there at once in the emulator; whoever uses them now may find others on
// a GPU.
//
// As cp.async counts: a thread closes groups of its copies, and waits until at most so many of its
// last groups are under way.
//
//   PendingCopies copies;
//   copies.reset(4096);
//   copies.begin({.thread = 3, .instruction = 12, .word = 256, .words = 4});
//   copies.touches(256)      true
//   copies.commit(0, 1u << 3);
//   copies.wait(0, 1u << 3, 0);
//   copies.touches(256)      false
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "emulate/values/lanes.h"

namespace burin::emulate {

class PendingCopies {
 public:
  struct Copy {
    std::uint32_t thread = 0;  // linear in the block
    std::uint32_t instruction = 0;
    std::uint32_t word = 0;  // the first 32-bit word of the window that it writes
    std::uint32_t words = 1;
    std::uint32_t group = 0;  // set by begin()
  };

  void reset(std::uint32_t bytes);  // a new block with a window of so many

  void begin(Copy copy);
  void commit(std::uint32_t warp, Mask lanes);
  void wait(std::uint32_t warp, Mask lanes, std::uint32_t groups_left);
  void finish(std::uint32_t warp, Mask lanes);  // all of them, committed or not

  bool any() const { return count_ != 0; }
  bool touches(std::uint64_t word) const { return under_way_[word] != 0; }
  // One that writes the word; there must be one.
  const Copy& at(std::uint64_t word) const;

 private:
  // Drops the copies of the warp for which done(copy) holds.
  template <typename Done>
  void drop(std::uint32_t warp, Done done);

  struct OfWarp {
    std::vector<Copy> copies;
    std::array<std::uint32_t, kWarpLanes> groups{};  // closed by each lane
  };
  std::vector<OfWarp> warps_;
  std::vector<std::uint16_t> under_way_;  // per word: how many copies write it
  std::uint64_t count_ = 0;
};

}  // namespace burin::emulate
