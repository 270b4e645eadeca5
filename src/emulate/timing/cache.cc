#include "emulate/timing/cache.h"

#include <algorithm>

namespace burin {

Cache::Cache(std::uint64_t lines, unsigned ways)
    : ways_(std::max(1u, ways)),
      sets_(std::max<std::uint64_t>(1, lines / std::max(1u, ways))),
      lines_(sets_ * ways_) {}

std::size_t Cache::set_of(std::uint64_t number) const {
  // The high bits of the scattered number pick the set, so that a sample by its low bits is fair.
  return static_cast<std::size_t>((scatter(number) >> 32) * sets_ >> 32) * ways_;
}

CacheLine& Cache::touch(std::uint64_t number, std::uint8_t& evicted) {
  CacheLine* set = &lines_[set_of(number)];
  CacheLine* oldest = set;
  evicted = 0;
  ++clock_;
  for (unsigned w = 0; w < ways_; ++w) {
    if (set[w].number == number) {
      set[w].used = clock_;
      return set[w];
    }
    if (set[w].used < oldest->used) oldest = &set[w];
  }
  evicted = oldest->dirty;
  *oldest = CacheLine{.number = number, .used = clock_};
  return *oldest;
}

CacheLine* Cache::find(std::uint64_t number) {
  CacheLine* set = &lines_[set_of(number)];
  for (unsigned w = 0; w < ways_; ++w)
    if (set[w].number == number) return &set[w];
  return nullptr;
}

void Cache::forget_times() {
  for (CacheLine& line : lines_) line.ready = 0;
}

void Cache::clear() {
  std::fill(lines_.begin(), lines_.end(), CacheLine{});
  clock_ = 0;
}

}  // namespace burin
