// Does the time follow what is varied, and is what cannot be refused by name?
#include "analyze/what_if.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyze/ladder.h"
#include "analyze/sensitivity/sensitivity.h"
#include "base/format.h"
#include "studied.h"

namespace burin::analyze {
namespace {

using testing::HasSubstr;

double time_if(const Studied& launch, const std::string& text) {
  const Result<WhatIf> what_if = parse_what_if(text, launch.machine());
  if (!what_if) ADD_FAILURE() << what_if.error().message;
  if (!what_if) return 0;
  const Result<timing::Prediction> p = predict_what_if(launch.study(), *what_if);
  if (!p) ADD_FAILURE() << p.error().message;
  return p ? p->time_us : 0;
}

TEST(WhatIf, AStreamFollowsDramAndNotTheFmaUnits) {
  const Studied launch = stream();
  const double now = launch.study().base().time_us;
  EXPECT_LT(time_if(launch, "dram.bandwidth=2x"), 0.85 * now);
  EXPECT_GT(time_if(launch, "dram.throughput=0.5x"), 1.6 * now);
  EXPECT_NEAR(time_if(launch, "fma.latency=2x"), now, 0.03 * now);
  EXPECT_NEAR(time_if(launch, "dram.bandwidth=1x"), now, 0.01 * now);
}

TEST(WhatIf, AChainFollowsItsLatencyDownAndUp) {
  const Studied launch = fma_chain();
  const double now = launch.study().base().time_us;
  const double half = time_if(launch, "fma.latency=2");
  const double twice = time_if(launch, "fma.latency=8");
  EXPECT_LT(half, 0.8 * now);
  EXPECT_GT(twice, 1.5 * now);
  EXPECT_NEAR(time_if(launch, "fma.latency=2x"), twice, 0.02 * twice);
  EXPECT_LT(time_if(launch, "class.fma.latency=2"), 0.95 * now);
}

// Issue throughput is no entry of the machine.
TEST(WhatIf, IssueSlotsAreVaried) {
  const Studied launch(
      "bound_arithmetic", "mixed_work",
      {.grid = {1056}, .block = {256}, .arguments = {"buf:1081344:undef", "i32:256"}});
  EXPECT_GT(time_if(launch, "issue.throughput=0.5x"), 1.5 * launch.study().base().time_us);
}

// Whatever else changes reorders the atomics, and the time of one order is not that of another.
TEST(WhatIf, ContendedAtomicsFollowOnlyL2) {
  const Studied launch(
      "bound_atomics", "add_to_some",
      {.grid = {1056}, .block = {256}, .arguments = {"buf:1200:zero", "i32:300", "i32:16"}});
  const double now = launch.study().base().time_us;
  for (const char* change :
       {"alu.throughput=0.87x", "xu.throughput=0.87x", "constant.latency=1.15x"}) {
    EXPECT_NEAR(time_if(launch, change), now, 0.012 * now) << change;
  }
  EXPECT_GT(time_if(launch, "l2.throughput=0.87x"), 1.1 * now);
}

// A share and the same change by --what-if, with another seed and step, are one number.
TEST(WhatIf, AgreesWithTheSharesOfExplain) {
  for (const char* name : {"transpose_shared/odd", "softmax/odd", "spmm/odd", "heat_tile/odd"}) {
    const Studied one(name);
    const Studied other(name, 1);
    for (const Sensitivity& row : sensitivities(one.study())) {
      const double step = 0.15;
      const double factor = row.mode == Mode::kLatency ? 1 + step : 1 / (1 + step);
      const std::string change =
          fmt::format("{}.{}={}x", machine::name(row.resource), analyze::name(row.mode), factor);
      const double base = other.study().base().time_us;
      const double share = (time_if(other, change) / base - 1) / step;
      if (std::max(row.share, share) < 0.1) continue;
      EXPECT_NEAR(row.share, std::clamp(share, 0.0, 1.0), 0.2) << name << ' ' << change;
    }
  }
}

TEST(WhatIf, TheLaunchIsVariedToo) {
  const Studied launch = fma_chain();
  const double now = launch.study().base().time_us;
  EXPECT_GT(time_if(launch, "sm.count=8"), 1.5 * now);
  // As many threads in smaller blocks; the grid grows.
  EXPECT_NEAR(time_if(launch, "block=64"), now, 0.2 * now);
  EXPECT_NEAR(time_if(launch, "registers=128"), now, 0.05 * now);
  EXPECT_NEAR(time_if(launch, "shared=65536"), now, 0.05 * now);
  EXPECT_GT(time_if(launch, "sm.count=66+fma.latency=2x"), 1.5 * now);
}

// More blocks than now fit an SM when they are said to need less of it.
TEST(WhatIf, OccupancyGrowsWhereBlocksNeedLess) {
  const Studied launch("stream", "triad",
                       {.grid = {1056},
                        .block = {256},
                        .shared_bytes = 100'000,
                        .arguments = {"buf:80000000:undef", "buf:80000000:f64", "buf:80000000:f64",
                                      "f64:0.75", "i32:10000000"}});
  const double now = launch.study().base().time_us;
  EXPECT_EQ(launch.study().base().occupancy.blocks, 2u);
  EXPECT_LT(time_if(launch, "shared=1024"), 0.8 * now);
  EXPECT_NEAR(time_if(launch, "registers=16"), now, 0.02 * now);
}

TEST(WhatIf, WhatCannotBeVariedIsRefusedByName) {
  const machine::Machine machine = timing::h200();
  struct Wrong {
    const char* text;
    const char* says;
  };
  for (const Wrong& wrong : {
           Wrong{"dram.bandwith=2x", "did you mean dram.bandwidth?"},
           Wrong{"gpu=2x", "unknown parameter 'gpu'"},
           Wrong{"dram.bandwidth=0x", "is out of range"},
           Wrong{"dram.latency=5000x", "is out of range"},
           Wrong{"dram.latency=1", "dram.latency must be 100 to 5000"},
           Wrong{"l2.size=1", "l2.size must be"},
           Wrong{"dram.latency=fast", "expected a number or a factor"},
           Wrong{"dram.latency", "expected NAME=VALUE"},
           Wrong{"l2.gap=3", "give a factor"},
           Wrong{"block=0", "block=0"},
           Wrong{"registers=many", "expected a whole number from 1 to 255"},
           Wrong{"shared=300000", "shared=300000"},
           Wrong{"machine=h3000", "h3000"},
       }) {
    const Result<WhatIf> what_if = parse_what_if(wrong.text, machine);
    ASSERT_FALSE(what_if) << wrong.text;
    EXPECT_THAT(what_if.error().message, HasSubstr(wrong.says));
  }
}

TEST(WhatIf, ALaunchThatDoesNotFitIsRefused) {
  const Studied launch = fma_chain();
  for (const char* text : {"block=2048", "machine=a100"}) {
    const Result<WhatIf> what_if = parse_what_if(text, launch.machine());
    ASSERT_TRUE(what_if) << text;
    const Result<timing::Prediction> p = predict_what_if(launch.study(), *what_if);
    ASSERT_FALSE(p) << text;
    EXPECT_THAT(p.error().message, HasSubstr(text));
  }
}

TEST(Ladder, FewerBlocksTakeLongerOrAsLong) {
  const Studied launch = stream();
  const std::vector<Rung> ladder = occupancy_ladder(launch.study());
  ASSERT_GE(ladder.size(), 3u);
  EXPECT_EQ(ladder.front().blocks, launch.study().base().occupancy.blocks);
  EXPECT_EQ(ladder.back().blocks, 1u);
  EXPECT_GT(ladder.back().time_us, 1.5 * ladder.front().time_us);
  EXPECT_EQ(least_occupancy(ladder, 100).blocks, 1u);
  EXPECT_EQ(least_occupancy(ladder, 1).blocks, ladder.front().blocks);
}

}  // namespace
}  // namespace burin::analyze
