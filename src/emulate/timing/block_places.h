// Where the blocks of an SM begin among its schedulers: the scheduler of a block's first warp.
//
//   BlockPlaces places;
//   const std::size_t place = places.take(warps, schedulers);   // warp w: (place + w) % schedulers
//   places.leave(place);                                        // the block has ended
//
// A block takes the place of one that has ended; the first ones stand behind each other, one
// scheduler further where they would all begin with the same.
#pragma once

#include <cstddef>
#include <vector>

namespace burin {

class BlockPlaces {
 public:
  std::size_t take(std::size_t warps, std::size_t schedulers) {
    if (!left_.empty()) {
      const std::size_t place = left_.back();
      left_.pop_back();
      return place;
    }
    const std::size_t place = next_;
    next_ += warps % schedulers == 0 ? 1 : warps;
    return place;
  }
  void leave(std::size_t place) { left_.push_back(place); }

 private:
  std::vector<std::size_t> left_;
  std::size_t next_ = 0;
};

}  // namespace burin
