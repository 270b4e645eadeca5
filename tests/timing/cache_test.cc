// Does a cache keep the lines that were used last, and does a sample of it tell of the whole?
#include "timing/memory/cache.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace burin::timing {
namespace {

TEST(Cache, TheLeastRecentlyUsedLineLeavesFirst) {
  Cache cache(4, 4);  // one set
  Leaving leaving;
  for (std::uint64_t line = 1; line <= 4; ++line) cache.touch(line, leaving);
  cache.touch(1, leaving);  // 2 is the oldest now
  cache.touch(5, leaving);
  EXPECT_EQ(cache.find(2), nullptr);
  for (const std::uint64_t line : {1, 3, 4, 5}) EXPECT_NE(cache.find(line), nullptr) << line;
  cache.touch(6, leaving);
  EXPECT_EQ(cache.find(3), nullptr);
  EXPECT_NE(cache.find(1), nullptr);
}

// Whatever the number of ways, also one that fills no word of marks.
TEST(Cache, IsThatOfAListInOrderOfUse) {
  for (const unsigned ways : {1u, 3u, 8u, 16u, 64u, 77u}) {
    Cache cache(ways, ways);  // one set
    std::vector<std::uint64_t> by_age;
    std::mt19937 random(ways);
    for (unsigned k = 0; k < 20'000; ++k) {
      const std::uint64_t line = random() % (2 * ways);
      const auto at = std::find(by_age.begin(), by_age.end(), line);
      ASSERT_EQ(cache.find(line) != nullptr, at != by_age.end()) << ways << " ways, touch " << k;
      if (at != by_age.end()) by_age.erase(at);
      by_age.push_back(line);
      if (by_age.size() > ways) by_age.erase(by_age.begin());
      Leaving leaving;
      CacheLine& touched = cache.touch(line, leaving);
      ASSERT_EQ(cache.find(line), &touched);
      if (k % 5'000 == 4'999) {
        cache.clear();
        by_age.clear();
      }
    }
  }
}

TEST(Cache, FindingALineDoesNotMakeItYounger) {
  Cache cache(2, 2);
  Leaving leaving;
  cache.touch(1, leaving);
  cache.touch(2, leaving);
  EXPECT_NE(cache.find(1), nullptr);
  cache.touch(3, leaving);
  EXPECT_EQ(cache.find(1), nullptr);
  EXPECT_NE(cache.find(2), nullptr);
}

TEST(Cache, ALineThatLeavesTellsItsDirtySectors) {
  Cache cache(2, 2);
  Leaving leaving{0xff, 0xff};
  CacheLine& line = cache.touch(1, leaving);
  EXPECT_EQ(leaving.dirty, 0) << "an empty place had nothing";
  EXPECT_EQ(line.valid, 0);
  line.valid = 0b0111;
  line.dirty = 0b0101;
  cache.touch(2, leaving).valid = 0xf;
  cache.touch(1, leaving);
  EXPECT_EQ(leaving.dirty, 0) << "it was there";
  EXPECT_EQ(cache.find(1)->valid, 0b0111);
  cache.touch(3, leaving);  // in place of 2, which is clean
  EXPECT_EQ(leaving.dirty, 0);
  cache.touch(4, leaving);  // in place of 1
  EXPECT_EQ(leaving.dirty, 0b0101);
  EXPECT_EQ(leaving.partial, 0);
  EXPECT_EQ(cache.find(4)->valid, 0);
  EXPECT_EQ(cache.find(4)->dirty, 0);
}

TEST(Cache, ASectorWrittenInPartIsWholeWhenAllItsBytesAre) {
  CacheLine line;
  line.write(0b0011, 12);
  line.write(0b0001, 20);
  EXPECT_EQ(line.dirty, 0b0011);
  EXPECT_EQ(line.valid, 0b0001);
  line.write(0b1000, 32);
  EXPECT_EQ(line.valid, 0b1001);
}

TEST(Cache, ALineThatLeavesTellsWhatIsMissingOfIt) {
  Cache cache(2, 2);
  Leaving leaving;
  CacheLine& line = cache.touch(1, leaving);
  line.write(0b0001, 32);
  line.write(0b0110, 4);
  line.valid |= 0b0100;  // read
  cache.touch(2, leaving);
  cache.touch(3, leaving);
  EXPECT_EQ(leaving.dirty, 0b0111);
  EXPECT_EQ(leaving.partial, 0b0010);
}

TEST(Cache, HalfOfASetMayBeDirty) {
  Cache cache(4, 4, {.dirty = 0.5});
  Leaving leaving;
  for (std::uint64_t line = 1; line <= 2; ++line) {
    cache.touch(line, leaving).write(0xf, 32);
    EXPECT_EQ(cache.limit_dirty(line).dirty, 0) << line;
  }
  cache.touch(3, leaving).write(0b0011, 32);
  const Leaving oldest = cache.limit_dirty(3);
  EXPECT_EQ(oldest.dirty, 0xf);
  EXPECT_EQ(oldest.partial, 0);
  EXPECT_EQ(cache.find(1)->dirty, 0) << "the oldest is written back";
  EXPECT_EQ(cache.find(1)->valid, 0xf) << "and stays";
}

TEST(Cache, FewLinesOfASetMayBeWrittenInPart) {
  Cache cache(16, 16, {.partial = 2.0 / 16});
  Leaving leaving;
  for (std::uint64_t line = 1; line <= 2; ++line) {
    cache.touch(line, leaving).write(0b0011, 4);
    EXPECT_EQ(cache.limit_dirty(line).dirty, 0) << line;
  }
  cache.touch(3, leaving).write(1, 4);
  const Leaving oldest = cache.limit_dirty(3);
  EXPECT_EQ(oldest.dirty, 0b0011);
  EXPECT_EQ(oldest.partial, 0b0011);
  EXPECT_EQ(cache.find(1)->valid, 0b0011) << "what was missing has been read";
}

TEST(Cache, ClearingForgetsAllAndForgettingTimesNothingElse) {
  Cache cache(64, 4);
  Leaving leaving;
  cache.touch(7, leaving).valid = 3;
  cache.find(7)->ready = 900;
  cache.forget_times();
  EXPECT_EQ(cache.find(7)->ready, 0);
  EXPECT_EQ(cache.find(7)->valid, 3);
  cache.clear();
  EXPECT_EQ(cache.find(7), nullptr);
}

TEST(Cache, HoldsAsManyLinesAsItHas) {
  const Cache cache(1000, 16);
  EXPECT_LE(cache.lines(), 1000u);
  EXPECT_GE(cache.lines(), 1000u - 16);
  EXPECT_EQ(Cache(0, 16).lines(), 16u) << "a cache without room has one set";
}

// Strides of powers of two, which a cache indexed by low bits would put into a few sets.
TEST(Cache, NoStrideIsWorseThanAnother) {
  for (const std::uint64_t stride : {1, 2, 32, 1024, 65536}) {
    Cache cache(4096, 16);
    Leaving leaving;
    for (std::uint64_t k = 0; k < 2048; ++k) cache.touch(k * stride, leaving);
    std::size_t kept = 0;
    for (std::uint64_t k = 0; k < 2048; ++k) kept += cache.find(k * stride) != nullptr ? 1 : 0;
    EXPECT_GT(kept, 2000u) << stride;
  }
}

bool sampled(std::uint64_t line, unsigned sample) {
  return (scatter(line) & (sample - 1)) == 0;
}

TEST(CacheSample, IsAFairShareOfTheLinesOfAnyStride) {
  for (const unsigned sample : {4u, 16u, 64u}) {
    for (const std::uint64_t stride : {1, 3, 64, 4096, 1 << 20}) {
      double chosen = 0;
      const double lines = 1 << 17;
      for (std::uint64_t k = 0; k < 1 << 17; ++k) chosen += sampled(k * stride, sample) ? 1 : 0;
      EXPECT_NEAR(chosen, lines / sample, 0.08 * lines / sample) << sample << ", " << stride;
    }
  }
}

// A working set around the cache's size, used at random: the hit rate of a sample, in a cache as
// much smaller, is that of the whole.
TEST(CacheSample, HasTheHitRateOfTheWhole) {
  constexpr std::uint64_t kLines = 1 << 14;
  constexpr unsigned kSample = 8;
  for (const double share : {0.5, 1.2, 2.0}) {
    Cache whole(kLines, 16);
    Cache part(kLines / kSample, 16);
    std::mt19937_64 random(5);
    std::uniform_int_distribution<std::uint64_t> line(
        0, static_cast<std::uint64_t>(share * static_cast<double>(kLines)));
    double hits = 0, uses = 0, sample_hits = 0, sample_uses = 0;
    Leaving leaving;
    for (int k = 0; k < 300'000; ++k) {
      const std::uint64_t l = line(random);
      hits += whole.find(l) != nullptr ? 1 : 0;
      uses += 1;
      whole.touch(l, leaving);
      if (!sampled(l, kSample)) continue;
      sample_hits += part.find(l) != nullptr ? 1 : 0;
      sample_uses += 1;
      part.touch(l, leaving);
    }
    EXPECT_NEAR(sample_hits / sample_uses, hits / uses, 0.02) << share;
  }
}

}  // namespace
}  // namespace burin::timing
