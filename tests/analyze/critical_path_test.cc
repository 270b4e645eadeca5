// Is the chain found that sets the time?
#include "analyze/critical_path.h"

#include <gtest/gtest.h>

#include "studied.h"

namespace burin::analyze {
namespace {

TEST(CriticalPath, IsWalkedBackFromTheLast) {
  // 0 ← 1 ← 3; 2 is beside the path.
  const timing::PathSteps steps = {
      {.at = 5, .instruction = 0, .before = timing::PathStep::kNone, .stall = launch::Stall::kWait},
      {.at = 25, .instruction = 1, .before = 0, .stall = launch::Stall::kLongScoreboard},
      {.at = 26, .instruction = 2, .before = 0, .stall = launch::Stall::kNotSelected},
      {.at = 30, .instruction = 3, .before = 1, .stall = launch::Stall::kWait},
  };
  const CriticalPath path = critical_path(steps);
  ASSERT_EQ(path.links.size(), 3u);
  EXPECT_EQ(path.cycles, 30);
  EXPECT_EQ(path.links[0].instruction, 1u);
  EXPECT_EQ(path.links[0].cause, 0u);
  EXPECT_EQ(path.links[0].stall, launch::Stall::kLongScoreboard);
  EXPECT_EQ(path.links[0].cycles, 20);
  EXPECT_TRUE(critical_path({}).links.empty());
}

TEST(CriticalPath, AddsUpToTheWindow) {
  for (const char* name : {"saxpy/odd", "heat_tile/odd", "bitonic/odd"}) {
    const Studied launch(name);
    const timing::PathSteps& steps = launch.study().path();
    ASSERT_FALSE(steps.empty());
    std::int64_t last = 0;
    for (const timing::PathStep& step : steps) {
      last = std::max(last, step.at);
      if (step.before == timing::PathStep::kNone) continue;
      EXPECT_LT(step.before, steps.size());
      EXPECT_LE(steps[step.before].at, step.at);
    }
    const CriticalPath path = critical_path(steps);
    double sum = 0;
    for (const PathLink& link : path.links) sum += link.cycles;
    EXPECT_NEAR(sum, path.cycles, 1e-6 * path.cycles);
    EXPECT_GE(path.cycles, static_cast<double>(last) * 0.999);
  }
}

TEST(CriticalPath, OfAChainIsTheChain) {
  const Studied launch = fma_chain();
  const CriticalPath path = critical_path(launch.study().path());
  double waits = 0;
  for (const PathLink& link : path.links) {
    if (link.stall == launch::Stall::kWait) waits += link.cycles;
  }
  EXPECT_GT(waits, 0.5 * path.cycles);
}

}  // namespace
}  // namespace burin::analyze
