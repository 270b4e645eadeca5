// Where the blocks of an SM begin among its schedulers: the scheduler of a block's first warp.
//
//   BlockPlaces places;
//   const std::size_t place = places.take(warps, schedulers);   // warp w: (place + w) % schedulers
//
// Each block stands behind the one before, one scheduler further where all would begin with the
// same: an H200 goes round like this whichever blocks have ended.
#pragma once

#include <cstddef>

namespace burin {

class BlockPlaces {
 public:
  std::size_t next() const { return next_; }
  std::size_t take(std::size_t warps, std::size_t schedulers) {
    const std::size_t place = next_;
    next_ += warps % schedulers == 0 ? 1 : warps;
    return place;
  }

 private:
  std::size_t next_ = 0;
};

}  // namespace burin
