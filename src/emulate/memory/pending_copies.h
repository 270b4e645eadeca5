// Tracks the asynchronous copies from global to shared memory (cp.async, LDGSTS) that the threads
// of a block have not waited for. In the emulator the bytes arrive immediately; code that uses them
// before waiting may see other values on a GPU.
//
// As with cp.async, a thread commits groups of its copies and waits until at most a given number of
// its most recent groups are in flight.
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
    std::uint32_t thread = 0;  // linear thread index in the block
    std::uint32_t instruction = 0;
    std::uint32_t word = 0;  // first 32-bit word of the shared window that it writes
    std::uint32_t words = 1;
    std::uint32_t group = 0;  // set by begin()
  };

  void reset(std::uint32_t bytes);  // starts a new block with `bytes` of shared window

  void begin(Copy copy);
  void commit(std::uint32_t warp, Mask lanes);
  void wait(std::uint32_t warp, Mask lanes, std::uint32_t groups_left);
  void finish(std::uint32_t warp, Mask lanes);  // completes all copies, committed or not

  bool any() const { return count_ != 0; }
  bool touches(std::uint64_t word) const { return under_way_[word] != 0; }
  // Returns a copy that writes the word; there must be one.
  const Copy& at(std::uint64_t word) const;

 private:
  // Removes the copies of the warp for which done(copy) is true.
  template <typename Done>
  void drop(std::uint32_t warp, Done done);

  struct OfWarp {
    std::vector<Copy> copies;
    std::array<std::uint32_t, kWarpLanes> groups{};  // groups committed per lane
  };
  std::vector<OfWarp> warps_;
  std::vector<std::uint16_t> under_way_;  // per word: copies in flight that write it
  std::uint64_t count_ = 0;
};

}  // namespace burin::emulate
