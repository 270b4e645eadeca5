// Combines stores on their way out of an SM. Of the last few lines stored to, further stores by the
// same warp within a time limit join the store in flight, so the L2 cache receives one request.
//
//   StoreGathering gathering(16, 256);
//   // Sectors to send: 0xf for the first store, 0 for a second one soon after.
//   unsigned sectors = gathering.join(&warp, line, 0xf, now);
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace burin::timing {

class StoreGathering {
 public:
  // `lines` is the number of lines tracked, `cycles` the maximum time since the last store to a
  // line.
  StoreGathering(std::size_t lines, double cycles) : held_(lines), cycles_(cycles) {}

  unsigned join(const void* warp, std::uint64_t line, unsigned sectors, double now) {
    Held* oldest = &held_[0];
    for (Held& held : held_) {
      if (held.line == line && held.warp == warp && now - held.last <= cycles_) {
        const unsigned fresh = sectors & ~held.sectors;
        held.sectors |= sectors;
        held.last = std::max(held.last, now);
        return fresh;
      }
      if (held.last < oldest->last) oldest = &held;
    }
    *oldest = {warp, line, sectors, now};
    return sectors;
  }
  void clear() { std::fill(held_.begin(), held_.end(), Held{}); }

 private:
  struct Held {
    const void* warp = nullptr;
    std::uint64_t line = ~std::uint64_t{0};
    unsigned sectors = 0;
    double last = -1e300;  // time of the last store to the line
  };
  std::vector<Held> held_;
  double cycles_;
};

}  // namespace burin::timing
