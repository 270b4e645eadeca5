// The random generator for buffer fills. Every number is a function of (seed, index) only, so any
// part of a buffer can be generated separately, in any order, on any machine, and is always the
// same. docs/arguments.md guarantees these numbers to users: they must never change.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "base/hash.h"

namespace burin::launch {

// Returns output number `index`, counted from 0, of SplitMix64 seeded with `seed`.
constexpr std::uint64_t random_word(std::uint64_t seed, std::uint64_t index) {
  return splitmix64(seed + fibonacci_hash(index + 1));
}

// Returns a number below `limit` (1 to 2^32), uniform except for a bias of limit / 2^32.
constexpr std::uint32_t below(std::uint64_t word, std::uint64_t limit) {
  return static_cast<std::uint32_t>((word >> 32) * limit >> 32);
}

// Uniform in [0,1): the top bits of the word, as many as the type's significand has, divided by the
// corresponding power of two. Each such number is exact in its type, so there is no rounding and
// the result is never 1.
constexpr double unit_f64(std::uint64_t word) {
  return static_cast<double>(word >> 11) * 0x1p-53;
}
constexpr float unit_f32(std::uint64_t word) {
  return static_cast<float>(word >> 40) * 0x1p-24f;
}
constexpr std::uint16_t unit_f16(std::uint64_t word) {  // bits of an IEEE half
  const auto k = static_cast<unsigned>(word >> 53);     // the value is k / 2^11
  if (k == 0) return 0;
  const auto width = static_cast<unsigned>(std::bit_width(k));  // 2^(width - 12) <= value
  return static_cast<std::uint16_t>((width + 3) << 10 | (k << (11 - width) & 0x3ff));
}

// A permutation of 0 … count - 1 that is computed per element and never stored.
//
// The index is split into a high and a low half, and each half in turn is XORed with a function of
// the other: a Feistel network, which is a bijection on numbers of that many bits. A result of
// `count` or above is fed in again until it is below `count`. This terminates, because the walk
// follows a cycle of a bijection, and no two indices give the same result. Fewer than half of the
// numbers are out of range, so the expected number of extra steps is at most about one.
class Permutation {
 public:
  constexpr Permutation(std::uint64_t count, std::uint64_t seed)  // count: 1 to 2^32
      : count_(count) {
    const auto bits = static_cast<unsigned>(std::bit_width(count - 1));
    low_bits_ = bits - bits / 2;
    low_mask_ = (std::uint64_t{1} << low_bits_) - 1;
    high_mask_ = (std::uint64_t{1} << bits / 2) - 1;
    for (std::uint64_t round = 0; round < keys_.size(); ++round) {
      keys_[round] = random_word(seed, round);
    }
  }

  constexpr std::uint32_t operator()(std::uint64_t index) const {
    do {
      std::uint64_t high = index >> low_bits_, low = index & low_mask_;
      for (std::size_t round = 0; round < keys_.size(); round += 2) {
        low ^= splitmix64(keys_[round] + high) & low_mask_;
        high ^= splitmix64(keys_[round + 1] + low) & high_mask_;
      }
      index = high << low_bits_ | low;
    } while (index >= count_);
    return static_cast<std::uint32_t>(index);
  }

 private:
  std::uint64_t count_;
  unsigned low_bits_ = 0;
  std::uint64_t low_mask_ = 0, high_mask_ = 0;
  std::array<std::uint64_t, 4> keys_{};
};

}  // namespace burin::launch
