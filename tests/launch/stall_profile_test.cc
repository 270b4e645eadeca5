#include "launch/stall_profile.h"

#include <gtest/gtest.h>

namespace burin::launch {
namespace {

TEST(StallProfile, NothingThatWasAddedIsLost) {
  StallProfile profile;
  profile.add(0x20, "wait", {.active = 1, .latency = 2});
  profile.add(0x10, "selected", {.active = 4});
  profile.add(0x20, "stall_wait", {.active = 8});
  profile.add(0x20, "a word of tomorrow", {.latency = 16});
  profile.unattributed = 32;
  ASSERT_EQ(profile.rows.size(), 2u);
  EXPECT_EQ(profile.rows[0].offset, 0x10u);
  EXPECT_EQ(profile.total(), 63);
  EXPECT_EQ(profile.issued(), 4);
  const auto stalls = profile.stalls();
  EXPECT_EQ(stalls[static_cast<std::size_t>(Stall::kWait)].active, 9);
  EXPECT_EQ(stalls[static_cast<std::size_t>(Stall::kWait)].latency, 2);
  EXPECT_EQ(stalls[static_cast<std::size_t>(Stall::kMisc)].latency, 16);
}

// The 18 reasons that a profiler of sm_90 names, in CUPTI's words and in those of Nsight Compute's
// columns, and what they are to us.
TEST(StallProfile, KnowsTheProfilersWords) {
  for (const char* word : {"barrier",
                           "branch_resolving",
                           "dispatch_stall",
                           "drain",
                           "imc_miss",
                           "lg_throttle",
                           "long_scoreboard",
                           "math_pipe_throttle",
                           "membar",
                           "mio_throttle",
                           "misc",
                           "no_instructions",
                           "not_selected",
                           "short_scoreboard",
                           "sleeping",
                           "tex_throttle",
                           "wait",
                           "warpgroup_arrive",
                           "stall_barrier",
                           "stall_branch_resolving",
                           "stall_dispatch",
                           "stall_drain",
                           "stall_imc",
                           "stall_lg",
                           "stall_long_sb",
                           "stall_math",
                           "stall_membar",
                           "stall_mio",
                           "stall_misc",
                           "stall_no_inst",
                           "stall_not_selected",
                           "stall_short_sb",
                           "stall_sleep",
                           "stall_sleeping",
                           "stall_tex",
                           "stall_wait",
                           "stall_gmma"}) {
    EXPECT_TRUE(stall_named(word)) << word;
  }
  EXPECT_EQ(stall_named("stall_long_sb"), Stall::kLongScoreboard);
  EXPECT_EQ(stall_named("no_instructions"), Stall::kNoInstruction);
  EXPECT_EQ(stall_named("selected"), std::nullopt);
  EXPECT_EQ(stall_named("stall"), std::nullopt);
}

TEST(StallProfile, AProfileAgreesWithItselfAtAnyScale) {
  StallProfile one, other;
  one.add(0, "wait", {.active = 1});
  one.add(16, "long_scoreboard", {.latency = 3});
  other.add(0, "wait", {.active = 100});
  other.add(16, "long_scoreboard", {.latency = 300});
  const StallAgreement same = compare(one, other);
  EXPECT_DOUBLE_EQ(same.overlap, 1);
  EXPECT_DOUBLE_EQ(same.place_overlap, 1);
  EXPECT_TRUE(same.same_top());
  other.add(32, "barrier", {.latency = 400});
  const StallAgreement half = compare(one, other);
  EXPECT_DOUBLE_EQ(half.overlap, 0.5);
  EXPECT_DOUBLE_EQ(half.place_overlap, 0.5);
  EXPECT_FALSE(half.same_top());
  EXPECT_DOUBLE_EQ(compare(one, {}).overlap, 0);
}

}  // namespace
}  // namespace burin::launch
