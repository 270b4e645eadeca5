// Are the sectors of an access counted as the caches see them?
#include "emulate/traffic.h"

#include <gtest/gtest.h>

namespace burin::emulate {
namespace {

Access access(std::uint8_t bytes, std::uint64_t stride, std::uint64_t base = 0) {
  Access a;
  a.space = read::Space::kGlobal;
  a.load = true;
  a.bytes = bytes;
  a.lanes = kAllLanes;
  for (std::size_t lane = 0; lane < kWarpLanes; ++lane) a.address[lane] = base + lane * stride;
  return a;
}

TEST(Traffic, SectorsOfAnAccess) {
  EXPECT_EQ(sectors_of(access(4, 4)), 4u);
  EXPECT_EQ(sectors_of(access(4, 4, 16)), 5u);  // not aligned to a sector
  EXPECT_EQ(sectors_of(access(4, 0)), 1u);
  EXPECT_EQ(sectors_of(access(4, 32)), 32u);
  EXPECT_EQ(sectors_of(access(16, 16)), 16u);
  EXPECT_EQ(sectors_of(access(1, 1)), 1u);
  EXPECT_EQ(sectors_of(access(4, 64, 30)), 64u);  // each lane across two sectors

  Access shuffled = access(4, 4);
  for (std::size_t lane = 0; lane < kWarpLanes; ++lane)
    shuffled.address[lane] = (lane * 7 % 32) * 4;
  EXPECT_EQ(sectors_of(shuffled), 4u);

  Access few = access(4, 4);
  few.lanes = 0x80000001;
  EXPECT_EQ(sectors_of(few), 2u);
}

TEST(Traffic, UnknownAddressesFollowThePolicy) {
  Access a = access(4, 4);
  a.unknown = 0xffff0000;
  const auto sectors = [&](launch::UnknownAccess policy) {
    Traffic traffic(2, policy);
    Event event;
    event.instruction = 1;
    event.access_count = 1;
    event.accesses = &a;
    traffic.executed(event);
    EXPECT_EQ(traffic.counts()[0].requests, 0u);
    EXPECT_EQ(traffic.counts()[1].requests, 1u);
    EXPECT_EQ(traffic.counts()[1].unknown, 1u);
    EXPECT_EQ(traffic.counts()[1].bytes, 128u);
    return traffic.counts()[1].sectors;
  };
  EXPECT_EQ(sectors({launch::UnknownAccess::Policy::kWorst}), 2u + 16u);
  EXPECT_EQ(sectors({launch::UnknownAccess::Policy::kCoalesced}), 2u + 2u);
  EXPECT_EQ(sectors({launch::UnknownAccess::Policy::kGiven, 5}), 2u + 5u);
}

TEST(Traffic, OnlyGlobalMemoryCounts) {
  Access a = access(4, 4);
  a.space = read::Space::kShared;
  Traffic traffic(1, {});
  Event event;
  event.access_count = 1;
  event.accesses = &a;
  traffic.executed(event);
  EXPECT_EQ(traffic.counts()[0].requests, 0u);
}

}  // namespace
}  // namespace burin::emulate
