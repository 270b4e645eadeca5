// Stores on their way out of an SM: of the last few lines that were stored to, what the same warp
// stores there within a while joins what is on its way, and the L2 cache is asked once.
//
//   StoreGathering gathering(16, 256);
//   unsigned sectors = gathering.join(&warp, line, 0xf, now);    // that have to be sent: 0xf, then
//   0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace burin::timing {

class StoreGathering {
 public:
  // So many lines, and cycles since the last store to one of them.
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
    double last = -1e300;  // stored to
  };
  std::vector<Held> held_;
  double cycles_;
};

}  // namespace burin::timing
