// Chooses the scheduler that gets the first warp of each block on an SM.
//
//   BlockPlaces places;
//   places.has_room(warps, schedulers, slots, [&](std::size_t s) { return warps_of(s); });
//   const std::size_t place = places.take(warps, schedulers);   // warp w: (place + w) % schedulers
//
// Each block starts on the scheduler after the previous block's last warp, or one scheduler further
// if all blocks would otherwise start on the same one. An H200 advances in this way regardless of
// which blocks have ended.
#pragma once

#include <algorithm>
#include <cstddef>

namespace burin::timing {

class BlockPlaces {
 public:
  // Returns whether the next block's warps fit. `taken(s)` is the number of occupied slots, out of
  // `slots`, of scheduler `s`.
  template <typename Taken>
  bool has_room(std::size_t warps, std::size_t schedulers, std::size_t slots, Taken taken) const {
    for (std::size_t w = 0; w < std::min(warps, schedulers); ++w) {
      const std::size_t more = (warps - w + schedulers - 1) / schedulers;
      if (taken((next_ + w) % schedulers) + more > slots) return false;
    }
    return true;
  }
  std::size_t take(std::size_t warps, std::size_t schedulers) {
    const std::size_t place = next_;
    next_ += warps % schedulers == 0 ? 1 : warps;
    return place;
  }

 private:
  std::size_t next_ = 0;
};

}  // namespace burin::timing
