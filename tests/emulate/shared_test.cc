#include "emulate/memory/shared.h"

#include <gtest/gtest.h>

#include <cstring>

namespace burin::emulate {
namespace {

constexpr std::uint32_t kWarps = 4;

// A block of four warps, with barriers as the engine has them.
class Watched : public testing::Test {
 protected:
  Watched() { begin(); }

  void begin() {
    shared.reset(4096, 1024);
    for (std::uint32_t w = 0; w < kWarps; ++w) {
      clock[w] = {};
      clock[w][w] = 1;
    }
  }
  void barrier() {
    Clock all{};
    for (const Clock& c : clock) join(all, c);
    for (std::uint32_t w = 0; w < kWarps; ++w) {
      join(clock[w], all);
      ++clock[w][w];
    }
  }
  // All lanes, `bytes` each, side by side from `from` on.
  SharedRaces use(std::uint32_t warp, SharedUse how, std::uint64_t from, unsigned bytes = 4,
                  Mask lanes = kAllLanes) {
    std::uint64_t address[32];
    for (unsigned i = 0; i < 32; ++i) address[i] = from + i * bytes;
    return shared.note({.address = address,
                        .lanes = lanes,
                        .bytes = bytes,
                        .use = how,
                        .instruction = 10 + warp,
                        .warp = warp,
                        .warps = kWarps},
                       clock[warp]);
  }

  SharedMemory shared;
  std::array<Clock, kWarps> clock;
};

constexpr auto kRead = SharedUse::kRead;
constexpr auto kWrite = SharedUse::kWrite;
constexpr auto kAtomic = SharedUse::kAtomic;

TEST_F(Watched, ABarrierOrdersAWriteAndTheReadsOfOthers) {
  EXPECT_EQ(use(0, kWrite, 1024).lanes, 0u);
  barrier();
  for (std::uint32_t w = 0; w < kWarps; ++w) EXPECT_EQ(use(w, kRead, 1024).lanes, 0u);
  barrier();
  EXPECT_EQ(use(3, kWrite, 1024).lanes, 0u);
}

TEST_F(Watched, WithoutOneTheReaderRaces) {
  use(0, kWrite, 1024);
  const SharedRaces races = use(2, kRead, 1024 + 64);
  EXPECT_EQ(races.lanes, 0x0000ffffu);
  EXPECT_EQ(races.first.instruction, 10u);
  EXPECT_EQ(races.first.thread, 16u);
  EXPECT_EQ(races.first.use, kWrite);
}

TEST_F(Watched, AWriterRacesWithEachReaderNoBarrierHasSeen) {
  use(0, kWrite, 1024);
  barrier();
  use(1, kRead, 1024);
  use(2, kRead, 1024);
  EXPECT_EQ(use(2, kWrite, 1024).lanes, kAllLanes) << "warp 1 has read it";
  begin();
  use(0, kWrite, 1024);
  barrier();
  use(1, kRead, 1024);
  const SharedRaces races = use(3, kWrite, 1024);
  EXPECT_EQ(races.first.use, kRead);
  EXPECT_EQ(races.first.thread, 32u);
  EXPECT_EQ(races.first.instruction, 11u);
}

TEST_F(Watched, AWarpDoesNotRaceWithItself) {
  use(1, kWrite, 1024);
  EXPECT_EQ(use(1, kRead, 1024 + 4, 4).lanes & 0x7fffffff, 0u);
  EXPECT_EQ(use(1, kWrite, 1024).lanes, 0u);
}

TEST_F(Watched, AtomicsDoNotRaceWithAtomicsButWithTheRest) {
  EXPECT_EQ(use(0, kAtomic, 1024).lanes, 0u);
  EXPECT_EQ(use(1, kAtomic, 1024).lanes, 0u);
  const SharedRaces races = use(2, kRead, 1024);
  EXPECT_EQ(races.lanes, kAllLanes);
  EXPECT_EQ(races.first.use, kAtomic);
}

TEST_F(Watched, ABarrierOfTwoWarpsOrdersThoseTwo) {
  use(0, kWrite, 1024);
  Clock both{};
  join(both, clock[0]);
  join(both, clock[1]);
  for (const std::uint32_t w : {0u, 1u}) {
    join(clock[w], both);
    ++clock[w][w];
  }
  EXPECT_EQ(use(1, kRead, 1024).lanes, 0u);
  EXPECT_EQ(use(2, kRead, 1024).lanes, kAllLanes);
}

TEST_F(Watched, ABarrierOrdersWhatAnEndedWarpDid) {
  use(0, kWrite, 1024);
  for (std::uint32_t w = 1; w < kWarps; ++w) clock[w][0] = kEndedClock;
  EXPECT_EQ(use(1, kRead, 1024).lanes, 0u);
  EXPECT_EQ(use(2, kWrite, 1024).lanes, kAllLanes) << "of the others it says nothing";
}

TEST_F(Watched, NeighbouringBytesOfAWordAreApart) {
  use(0, kWrite, 1024, 4, 1);
  barrier();
  const auto one = [&](std::uint32_t warp, SharedUse how, std::uint64_t at, unsigned bytes) {
    return shared.note(at, bytes, how, 5, warp, 3, clock[warp]);
  };
  EXPECT_FALSE(one(0, kWrite, 1024, 2).found);
  EXPECT_FALSE(one(1, kWrite, 1026, 1).found);
  EXPECT_FALSE(one(2, kRead, 1027, 1).found);
  EXPECT_TRUE(one(3, kRead, 1024, 4).found);
  const Race race = one(2, kWrite, 1026, 2);
  EXPECT_TRUE(race.found);
  EXPECT_EQ(race.thread, 32u + 3);
}

TEST_F(Watched, ALockPassesOnWhatWasSeen) {
  use(0, kWrite, 1024);
  shared.watch().synchronise(2048 / 4, 0, clock[0]);
  shared.watch().synchronise(2048 / 4, 1, clock[1]);
  EXPECT_EQ(use(1, kRead, 1024).lanes, 0u);
  EXPECT_EQ(use(2, kRead, 1024).lanes, kAllLanes);
}

TEST_F(Watched, ANewBlockForgetsTheOld) {
  for (unsigned n = 0; n < 20; ++n) barrier();
  use(0, kWrite, 1024);
  use(0, kWrite, 2048, 1);
  begin();
  EXPECT_EQ(use(1, kRead, 1024).lanes, 0u);
  EXPECT_EQ(use(1, kRead, 2048, 1).lanes, 0u);
  EXPECT_EQ(use(2, kWrite, 1024).lanes, kAllLanes) << "but keeps its own";
}

TEST(SharedMemory, KnowsWhatNobodyHasWritten) {
  SharedMemory shared;
  shared.reset(2048, 1024);
  Datum d;
  ASSERT_TRUE(shared.read(1024, 4, d));
  EXPECT_EQ(d.undefined, 0xf);
  EXPECT_FALSE(shared.read(1020, 4, d)) << "the system's own bytes";
  Datum in;
  in.bytes[0] = 5;
  in.unknown = 2;
  ASSERT_TRUE(shared.write(1025, 2, in));
  ASSERT_TRUE(shared.read(1024, 4, d));
  EXPECT_EQ(d.undefined, 0b1001);
  EXPECT_EQ(d.unknown, 0b1101);
  EXPECT_EQ(d.bytes[1], 5);
  EXPECT_FALSE(shared.read(2046, 4, d));
  EXPECT_FALSE(shared.write(2047, 2, in));
  shared.reset(2048, 1024);
  ASSERT_TRUE(shared.read(1025, 1, d));
  EXPECT_EQ(d.undefined, 1);
}

TEST(SharedMemory, WarpAccessesAgreeWithSingleOnes) {
  SharedMemory shared;
  for (const unsigned bytes : {1u, 2u, 4u, 8u, 16u}) {
    shared.reset(2048, 1024);
    std::array<std::uint64_t, 32> address;
    std::array<Lanes, 4> in;
    WarpStore s{.address = address.data(), .lanes = 0xfff0ffff, .bytes = bytes};
    for (unsigned i = 0; i < 32; ++i) address[i] = 1024 + i * (bytes == 16 ? 48 : bytes);
    for (unsigned k = 0; k < 4; ++k) {
      for (unsigned i = 0; i < 32; ++i) in[k][i] = 0x03050709 * (i + 1) + k;
      s.words[k] = &in[k];
    }
    s.unknown[0] = 0x3;
    shared.store(s);
    std::array<Lanes, 4> out{};
    WarpLoad l{.address = address.data(), .lanes = kAllLanes, .bytes = bytes, .words = out.data()};
    shared.load(l);
    EXPECT_EQ(l.outside != 0, bytes == 16);
    for (unsigned i = 0; i < 32; ++i) {
      Datum d;
      EXPECT_EQ(l.outside >> i & 1, !shared.read(address[i], bytes, d));
      EXPECT_EQ(l.undefined >> i & 1, d.undefined != 0);
      for (unsigned k = 0; k < words_of(bytes); ++k) {
        EXPECT_EQ(l.unknown[k] >> i & 1, (d.unknown >> 4 * k & 0xf) != 0);
        std::uint32_t word;
        std::memcpy(&word, d.bytes.data() + 4 * k, 4);
        EXPECT_EQ(out[k][i], word);
      }
    }
    EXPECT_EQ(l.undefined & ~l.outside, 0x000f0000u & ~l.outside);
  }
}

}  // namespace
}  // namespace burin::emulate
