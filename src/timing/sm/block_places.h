// Where the blocks of an SM begin among its schedulers: the scheduler of a block's first warp.
//
//   BlockPlaces places;
//   places.has_room(warps, schedulers, slots, [&](std::size_t s) { return warps_of(s); });
//   const std::size_t place = places.take(warps, schedulers);   // warp w: (place + w) % schedulers
//
// Each block stands behind the one before, one scheduler further where all would begin with the
// same: an H200 goes round like this whichever blocks have ended.
#pragma once

#include <algorithm>
#include <cstddef>

namespace burin::timing {

class BlockPlaces {
 public:
  // Whether the next block's warps find room: of its `slots`, a scheduler has `taken(number)`.
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
