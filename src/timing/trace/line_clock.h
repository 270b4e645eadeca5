// Tracks when each cache line is free for the next atomic. A line that is already free behaves like
// one that was never requested, so free lines are dropped when many are tracked.
//
//   LineClock clock;
//   double& free = clock.of(address / kLineBytes);   // initially 0; valid until the next call
//   free = std::max(free, now) + gap;
//   clock.forget(now);
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "timing/trace/lines.h"

namespace burin::timing {

class LineClock {
 public:
  double& of(std::uint64_t line) {
    if (2 * (size_ + 1) > places_.size()) put_anew(2 * places_.size(), 0);
    return place(line).free;
  }
  // Drops free lines if there are many. No later call may refer to a time before `now`.
  void forget(double now) {
    if (size_ < most_) return;
    put_anew(places_.size(), now);
    if (2 * size_ > most_) most_ = 2 * size_;
  }
  std::size_t size() const { return size_; }

 private:
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};
  struct Place {
    std::uint64_t line = kNone;
    double free = 0;
  };

  // Returns the entry of the line, or the free entry where it goes.
  Place& place(std::uint64_t line) {
    std::size_t at = scatter(line) & (places_.size() - 1);
    while (places_[at].line != line && places_[at].line != kNone) {
      at = (at + 1) & (places_.size() - 1);
    }
    if (places_[at].line == kNone) {
      places_[at].line = line;
      ++size_;
    }
    return places_[at];
  }
  void put_anew(std::size_t places, double now) {
    const std::vector<Place> old = std::exchange(places_, std::vector<Place>(places));
    size_ = 0;
    for (const Place& p : old)
      if (p.line != kNone && p.free > now) place(p.line).free = p.free;
  }

  std::vector<Place> places_ = std::vector<Place>(1 << 15);  // a power of two, at most half in use
  std::size_t size_ = 0;
  std::size_t most_ = 1 << 14;  // size at which free lines are dropped
};

}  // namespace burin::timing
