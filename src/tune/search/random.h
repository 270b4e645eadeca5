// Random numbers for strategies: the same on every platform, which std::uniform_int_distribution
// and its kind are not.
//
//   Random random(seed);
//   random.below(6)      // 0 … 5
//   random.unit()        // 0 <= x < 1
#pragma once

#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/hash.h"

namespace burin::tune {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(splitmix64(seed ^ kGoldenRatio)) {}

  std::uint64_t word() {
    state_ += kGoldenRatio;
    return splitmix64(state_);
  }

  // Uniform; `limit` is 1 or more.
  std::uint64_t below(std::uint64_t limit) {
    const std::uint64_t mask = limit <= 1 ? 0 : ~std::uint64_t{0} >> std::countl_zero(limit - 1);
    while (true) {
      const std::uint64_t candidate = word() & mask;
      if (candidate < limit) return candidate;
    }
  }

  double unit() { return static_cast<double>(word() >> 11) * 0x1p-53; }
  bool chance(double probability) { return unit() < probability; }

  template <typename T>
  void shuffle(std::vector<T>& items) {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
  }

 private:
  std::uint64_t state_;
};

}  // namespace burin::tune
