#include "launch/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace burin::launch {
namespace {

TEST(RandomWord, IsSplitMix64) {
  // The first outputs from seed 1234567, as published for other implementations of it.
  EXPECT_EQ(random_word(1234567, 0), 6457827717110365317u);
  EXPECT_EQ(random_word(1234567, 1), 3203168211198807973u);
  EXPECT_EQ(random_word(1234567, 2), 9817491932198370423u);
}

TEST(Below, CoversItsRangeAndNoMore) {
  EXPECT_EQ(below(0, 10), 0u);
  EXPECT_EQ(below(~std::uint64_t{0}, 10), 9u);
  EXPECT_EQ(below(~std::uint64_t{0}, 1), 0u);
  EXPECT_EQ(below(~std::uint64_t{0}, std::uint64_t{1} << 32), 0xffffffffu);
}

TEST(Unit, StaysBelowOne) {
  EXPECT_EQ(unit_f64(~std::uint64_t{0}), 1 - 0x1p-53);
  EXPECT_EQ(unit_f32(~std::uint64_t{0}), 1 - 0x1p-24f);
  EXPECT_EQ(unit_f16(~std::uint64_t{0}), 0x3bff);  // 1 - 2^-11
  EXPECT_EQ(unit_f64(0), 0);
  EXPECT_EQ(unit_f32(0), 0);
  EXPECT_EQ(unit_f16(0), 0);
}

TEST(Unit, HalfIsExactForEveryValue) {
  for (std::uint64_t k = 1; k < 2048; ++k) {
    const std::uint16_t half = unit_f16(k << 53);
    const int exponent = half >> 10;
    ASSERT_GT(exponent, 0) << k;  // never subnormal
    const double value = std::ldexp(1024 + (half & 0x3ff), exponent - 25);
    ASSERT_EQ(value, static_cast<double>(k) / 2048) << k;
  }
}

std::vector<std::uint32_t> permuted(std::uint64_t count, std::uint64_t seed) {
  const Permutation permutation(count, seed);
  std::vector<std::uint32_t> values;
  for (std::uint64_t i = 0; i < count; ++i) values.push_back(permutation(i));
  return values;
}

TEST(Permutation, HasEveryIndexOnce) {
  std::vector<std::uint64_t> counts{511, 512, 513, 1000, 4095, 65536, 65537, 100003};
  for (std::uint64_t count = 1; count < 130; ++count) counts.push_back(count);
  for (const std::uint64_t count : counts) {
    for (const std::uint64_t seed : {0u, 1u, 12345u}) {
      std::vector<std::uint32_t> values = permuted(count, seed);
      std::ranges::sort(values);
      for (std::uint64_t i = 0; i < count; ++i) {
        ASSERT_EQ(values[i], i) << count << " elements, seed " << seed;
      }
    }
  }
}

TEST(Permutation, ReachesTheLargestCount) {
  const Permutation permutation(std::uint64_t{1} << 32, 1);
  EXPECT_NE(permutation(0), permutation(0xffffffffu));
  EXPECT_LT(Permutation((std::uint64_t{1} << 31) + 1, 1)(std::uint64_t{1} << 31),
            (std::uint64_t{1} << 31) + 1);
}

TEST(Permutation, ShufflesWell) {
  // A random permutation has one fixed point on average and half of all neighbours ascending.
  int fixed = 0, ascending = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const std::vector<std::uint32_t> values = permuted(101, seed);
    for (std::size_t i = 0; i < values.size(); ++i) fixed += values[i] == i ? 1 : 0;
    for (std::size_t i = 1; i < values.size(); ++i) ascending += values[i - 1] < values[i] ? 1 : 0;
  }
  EXPECT_NEAR(fixed, 200, 80);
  EXPECT_NEAR(ascending, 200 * 50, 400);
}

}  // namespace
}  // namespace burin::launch
