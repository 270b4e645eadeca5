#include "timing/trace/traced_launch.h"

#include <gtest/gtest.h>

#include <set>

#include "timed_launch.h"
#include "timing/result/kernel_needs.h"

namespace burin::timing {
namespace {

TEST(SmShare, DealsTheFirstOutInOrderAndThenToWhoeverHasRoom) {
  SmShare share(1000, 132);
  share.dealt = 2;
  EXPECT_EQ(share.place(0), share.own);
  EXPECT_EQ(share.place(1), share.own);
  std::set<std::uint64_t> places;
  for (std::uint64_t i = 2; i < share.count; ++i) {
    places.insert(share.place(i));
    EXPECT_EQ(share.block(i) / share.sms, i);
    EXPECT_LT(share.block(i), share.blocks) << i;
  }
  EXPECT_GT(places.size(), 3u);
}

TEST(TracedLaunch, OfUnequalBlocksThatAllRunAtOnceEmulatesTheSmWithTheLongest) {
  // 77 blocks on 132 SMs; the first has 77 rows to add up, the last has one, or the other way
  // round.
  const machine::Machine machine = h200();
  for (const auto& [line, longest] :
       {std::pair{"triangle_falling/odd", 0}, {"triangle_rows/odd", 76}}) {
    const TimedLaunch timed(line);
    const auto fits = machine::occupancy(machine, needs_of(timed.kernel(), timed.launch()));
    ASSERT_TRUE(fits);
    const auto traced = trace_launch(timed.kernel(), timed.launch(), machine, *fits, {});
    ASSERT_TRUE(traced) << traced.error().message;
    EXPECT_NEAR(static_cast<double>((*traced)->share.own), longest, 2) << line;
  }
}

TEST(TracedWindow, OfARowKnowsItsBlocks) {
  const TracedWindow window{.first = 10, .count = 5};
  EXPECT_EQ(window.number(3), 13u);
  EXPECT_EQ(window.nearest(13), 3u);
}

TEST(TracedWindow, OfRunsTakesOneFromEachStretch) {
  const TracedWindow window{.first = 10, .count = 12, .run = 4, .stretch = 100};
  for (std::uint64_t k = 0; k < window.count; ++k) {
    const std::uint64_t number = window.number(k);
    EXPECT_EQ((number - window.first) / window.stretch, k / window.run);
    EXPECT_EQ(window.nearest(number), k);
    if (k % window.run != 0) {
      EXPECT_EQ(number, window.number(k - 1) + 1);
    }
  }
  EXPECT_LT(window.nearest(10), 4u);  // what stands beside a run goes with it
  EXPECT_GE(window.nearest(309), 8u);
}

}  // namespace
}  // namespace burin::timing
