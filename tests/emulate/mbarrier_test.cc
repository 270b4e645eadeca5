#include "emulate/memory/mbarrier.h"

#include <gtest/gtest.h>

namespace burin::emulate {
namespace {

// As mbarrier.init makes it.
std::uint64_t fresh(std::uint32_t count) {
  const std::uint64_t missing = 0x100000 - count;
  return missing << 11 << 32 | missing << 1;
}

TEST(Mbarrier, StartsAsTheInstructionsMakeIt) {
  const Mbarrier b = unpack(fresh(4));
  EXPECT_FALSE(b.phase);
  EXPECT_EQ(b.pending, 4u);
  EXPECT_EQ(b.expected, 4u);
  EXPECT_EQ(b.bytes, 0);
  EXPECT_EQ(pack(b), fresh(4));
}

TEST(Mbarrier, HasTheWordThatTheHardwareWritesBack) {
  Mbarrier b = unpack(fresh(4));
  ASSERT_TRUE(change(b, {.arrivals = 1}));
  EXPECT_EQ(pack(b), 0x7fffe800001ffff8u);  // mbarrier.inval on an H200, after one arrival of four
}

TEST(Mbarrier, EntersTheNextPhaseWithTheLastArrival) {
  Mbarrier b = unpack(fresh(3));
  for (int round = 0; round < 4; ++round) {
    EXPECT_EQ(b.phase, round % 2 != 0);
    ASSERT_TRUE(change(b, {.arrivals = 1}));
    ASSERT_TRUE(change(b, {.arrivals = 2}));
  }
}

TEST(Mbarrier, WaitsForBytesToo) {
  Mbarrier b = unpack(fresh(1));
  ASSERT_TRUE(change(b, {.arrivals = 1, .bytes = 256}));
  EXPECT_FALSE(b.phase);
  ASSERT_TRUE(change(b, {.bytes = -100}));
  EXPECT_FALSE(b.phase);
  EXPECT_EQ(unpack(pack(b)).bytes, 156);
  ASSERT_TRUE(change(b, {.bytes = -156}));
  EXPECT_TRUE(b.phase);
  // Bytes may come before anybody expects them.
  ASSERT_TRUE(change(b, {.bytes = -16}));
  EXPECT_EQ(unpack(pack(b)).bytes, -16);
  ASSERT_TRUE(change(b, {.arrivals = 1, .bytes = 16}));
  EXPECT_FALSE(b.phase);
}

TEST(Mbarrier, LeavesOutWhoDrops) {
  Mbarrier b = unpack(fresh(4));
  ASSERT_TRUE(change(b, {.arrivals = 1, .drop = true}));
  ASSERT_TRUE(change(b, {.arrivals = 3}));
  EXPECT_TRUE(b.phase);
  EXPECT_EQ(b.pending, 3u);
  ASSERT_TRUE(change(b, {.arrivals = 3}));
  EXPECT_FALSE(b.phase);
}

TEST(Mbarrier, RefusesWhatIsTooMuch) {
  Mbarrier b = unpack(fresh(20));
  EXPECT_FALSE(change(b, {.arrivals = 32}));
  EXPECT_FALSE(change(b, {.bytes = 1 << 20}));
  EXPECT_EQ(pack(b), fresh(20));
}

TEST(Mbarrier, CountsInPlainMemoryBeforeSm90) {
  // As sm_80 initialises it for 2 arrivals.
  std::uint64_t word = std::uint64_t{0x80000000 - 2} << 32 | (0x40000000 - 2);
  word = arrive_sm80(word);
  EXPECT_EQ(word >> 63, 0u);
  word = arrive_sm80(word);
  EXPECT_EQ(word, std::uint64_t{0xfffffffe} << 32 | 0x3ffffffe);
  word = arrive_sm80(arrive_sm80(word));
  EXPECT_EQ(word, std::uint64_t{0x7ffffffe} << 32 | 0x3ffffffe);
}

}  // namespace
}  // namespace burin::emulate
