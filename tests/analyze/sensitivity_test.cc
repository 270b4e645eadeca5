// Is the resource named that a launch's time follows, and the place?
#include "analyze/sensitivity/sensitivity.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "analyze/sensitivity/potential.h"
#include "analyze/sensitivity/share_sampling.h"
#include "studied.h"

namespace burin::analyze {
namespace {

const Sensitivity& row_of(const std::vector<Sensitivity>& rows, machine::Resource resource,
                          Mode mode) {
  return *std::ranges::find_if(
      rows, [&](const Sensitivity& row) { return row.resource == resource && row.mode == mode; });
}

TEST(Sensitivity, AChainFollowsItsLatency) {
  const Studied chain = fma_chain();
  const auto rows = sensitivities(chain.study());
  EXPECT_EQ(rows.size(), 2 * machine::kResources);
  EXPECT_EQ(rows[0].resource, machine::Resource::kFma);
  EXPECT_EQ(rows[0].mode, Mode::kLatency);
  EXPECT_GT(rows[0].share, 0.5);
  EXPECT_LE(rows[0].share, 1);
  EXPECT_LT(row_of(rows, machine::Resource::kFma, Mode::kThroughput).share, 0.1);
  EXPECT_EQ(near_ties(rows), 1u);
}

TEST(Sensitivity, AStreamFollowsTheBandwidth) {
  const Studied launch = stream();
  const auto rows = sensitivities(launch.study());
  EXPECT_EQ(rows[0].resource, machine::Resource::kDram);
  EXPECT_EQ(rows[0].mode, Mode::kThroughput);
  EXPECT_GT(rows[0].share, 0.8);
}

TEST(Sensitivity, WhatIsNotUsedIsNotReplayed) {
  const Studied chain = fma_chain();
  for (const Sensitivity& row : sensitivities(chain.study())) {
    if (row.resource == machine::Resource::kFp64) {
      EXPECT_FALSE(row.replayed);
      EXPECT_EQ(row.share, 0);
    }
  }
}

TEST(Sensitivity, AStepDownSaysTheSame) {
  const Studied chain = fma_chain();
  const auto up = sensitivities(chain.study(), {.step = 0.1});
  const auto down = sensitivities(chain.study(), {.step = -0.1});
  EXPECT_EQ(down[0].resource, up[0].resource);
  EXPECT_EQ(down[0].mode, up[0].mode);
  EXPECT_NEAR(down[0].share, up[0].share, 0.1);
}

// DRAM becomes the limit of this one only once it is about 10 % slower.
TEST(Sensitivity, AShareIsTheMeanForTwoSteps) {
  const timing::TimedLaunch::Shape copy{
      .grid = {2112},
      .block = {512},
      .arguments = {"buf:400000000:f32", "buf:400000000:undef", "i32:100000000"}};
  const Studied launch("stream", "copy", copy);
  const auto share_at = [&](double step) {
    const Change change{machine::Resource::kDram, Mode::kThroughput, 1 + step};
    const auto slower =
        launch.study().slowdowns_of_whole(std::vector<Study::Sample>{{{change}, 0}, {{change}, 1}});
    return ((slower[0] + slower[1]) / 2 - 1) / step;
  };
  const double smaller = share_at(0.2 * kSmallerStep);
  const double larger = share_at(0.2);
  ASSERT_GT(larger, smaller + 0.1);
  const Studied fresh("stream", "copy", copy);  // the replays above used up a part of the time
  const auto rows = sensitivities(fresh.study());
  const double share = row_of(rows, machine::Resource::kDram, Mode::kThroughput).share;
  EXPECT_NEAR(share, (smaller + larger) / 2, 0.03);
}

// Replays of a contraction differ by several percent: a step of 12 % would mostly show that.
TEST(Sensitivity, NoisyLaunchesHaveLargerSteps) {
  const Studied noisy(
      "contraction", "contract_places",
      {.grid = {64, 64},
       .block = {16, 16},
       .arguments = {"buf:524288:f64", "buf:524288:f64", "buf:134217728:f64", "i32:16", "i32:16",
                     "i32:16", "i32:16", "i32:16", "i32:16", "i32:16", "i32:1", "i32:256", "i32:16",
                     "i32:65536", "i32:4096", "i32:1048576"}});
  const auto rows = sensitivities(noisy.study());
  ASSERT_GE(rows[0].samples.size(), 2u);
  ASSERT_EQ(rows[0].steps.size(), rows[0].samples.size());
  for (const double step : rows[0].steps) EXPECT_DOUBLE_EQ(step, 0.2 * kLargerStep);

  const auto quiet = sensitivities(fma_chain().study());
  ASSERT_EQ(quiet[0].steps.size(), quiet[0].samples.size());
  for (const double step : quiet[0].steps) EXPECT_LE(step, 0.2);
}

// Copies by TMA take no turn of the load-store unit, but the bandwidth from L2 to the SM.
TEST(Sensitivity, CopiesByTmaUseWhatL1IsFilledBy) {
  const Studied launch("stmatrix_epilogue/tiny");
  const Potential potential(launch.study());
  EXPECT_GT(potential.of(machine::Resource::kL1, Mode::kThroughput), 0);
  EXPECT_TRUE(potential.is_used(machine::Resource::kL1));
}

TEST(Sensitivity, RegionsAndInteractionAddUp) {
  const Studied launch = stream();
  auto rows = sensitivities(launch.study());
  const Regions regions = find_regions(launch.study().kernel(), launch.executed());
  split_over_regions(launch.study(), regions, {}, rows);
  ASSERT_FALSE(rows[0].regions.empty());
  double sum = rows[0].interaction;
  for (const RegionShare& share : rows[0].regions) sum += share.share;
  EXPECT_NEAR(sum, rows[0].share, 1e-9);
  const auto most = std::ranges::max_element(rows[0].regions, {}, &RegionShare::share);
  EXPECT_TRUE(regions.list[most->region].name.starts_with("loop at stream.cu:"));
  EXPECT_NEAR(most->share, rows[0].share, 0.05);
}

TEST(Sensitivity, TheOnlyRegionThatTakesTimeHasTheWholeShare) {
  const Studied chain = fma_chain();
  auto rows = sensitivities(chain.study());
  const Regions regions = find_regions(chain.study().kernel(), chain.executed());
  const double before = chain.study().spent();
  split_over_regions(chain.study(), regions, {}, rows);
  EXPECT_EQ(chain.study().spent(), before);  // without a replay
  const auto most = std::ranges::max_element(rows[0].regions, {}, &RegionShare::share);
  ASSERT_NE(most, rows[0].regions.end());
  EXPECT_EQ(most->share, rows[0].share);
  EXPECT_EQ(rows[0].interaction, 0);
}

TEST(Sensitivity, NearTiesAreThoseCloseToTheFirst) {
  std::vector<Sensitivity> rows(4);
  rows[0].share = 0.5;
  rows[1].share = 0.45;
  rows[2].share = 0.3;
  EXPECT_EQ(near_ties(rows), 2u);
  // What cannot be ranked for noise is a tie too, unless it is small.
  rows[2].uncertainty = 0.15;
  EXPECT_EQ(near_ties(rows), 3u);
  rows[3] = {.share = 0.05, .uncertainty = 0.5};
  EXPECT_EQ(near_ties(rows), 3u);
  for (Sensitivity& row : rows) row.share = 0;
  EXPECT_EQ(near_ties(rows), 0u);
}

TEST(Sensitivity, SharesAreBetweenNoneAndAll) {
  const Studied launch = stream();
  for (const Sensitivity& row : sensitivities(launch.study())) {
    EXPECT_GE(row.share, 0);
    EXPECT_LE(row.share, 1);
    EXPECT_EQ(row.share, std::clamp(row.measured, 0.0, 1.0));
  }
}

// Noise is no effect: a replay that the change leaves as it was is held against itself.
TEST(Sensitivity, AChangeOfWhatIsNotUsedIsExactlyNone) {
  const Studied launch = stream();
  const Change tensor{machine::Resource::kTensor, Mode::kThroughput, 1.2};
  const Change fp64{machine::Resource::kFp64, Mode::kThroughput, 4};
  const Change dram{machine::Resource::kDram, Mode::kThroughput, 1.2};
  const auto slower = launch.study().slowdowns_of_whole(
      std::vector<Study::Sample>{{{tensor}, 0}, {{tensor}, 1}, {{fp64}, 0}, {{dram, tensor}, 0}});
  EXPECT_EQ(slower[0], 1);
  EXPECT_NE(slower[2], 1);
  EXPECT_GT(slower[3], 1.15);
}

// The later blocks stand for the first ones, and end nearly as they do where both are replayed.
TEST(Sensitivity, AReplayCanLeaveOutTheFirstBlocks) {
  const Studied launch("stream", "triad",
                       {.grid = {39063},
                        .block = {256},
                        .arguments = {"buf:80000000:undef", "buf:80000000:f64", "buf:80000000:f64",
                                      "f64:0.75", "i32:10000000"}});
  const Study& study = launch.study();
  ASSERT_EQ(study.traced().windows.size(), 2u);
  std::vector<timing::L2LookupLog> found;
  timing::replay(study.traced(), study.machine(), study.options(), {.record = &found});
  const auto windows = [&](bool without_first) {
    return timing::replay(study.traced(), study.machine(), study.options(),
                          {.windows_only = true, .without_first = without_first, .found = &found})
        .windows;
  };
  const auto both = windows(false);
  const auto rest = windows(true);
  EXPECT_GT(both[0].smooth_end, 0);
  EXPECT_EQ(rest[0].smooth_end, 0);
  EXPECT_NEAR(rest[1].smooth_end / both[1].smooth_end, 1, 0.02);
}

// By the estimate, which is close to the processor time: bench/explain.py selfcheck measures that.
TEST(Sensitivity, AnExplanationTakesLittleLongerThanAFewPredictions) {
  for (const char* name :
       {"product_registers/odd", "fft_radix2/large", "black_scholes_fast/large"}) {
    const Studied launch(name);
    auto rows = sensitivities(launch.study());
    EXPECT_LE(launch.study().spent(), 7) << name;
    const Regions regions = find_regions(launch.study().kernel(), launch.executed());
    split_over_regions(launch.study(), regions, {}, rows);
    EXPECT_LE(launch.study().spent(), 8) << name;
  }
}

// Where replays cost much, the time does not run out before a group that moves is divided: ALU
// latency has a quarter of this launch's time, and comes late among the rows.
TEST(Sensitivity, RowsOfGroupsThatMoveAreFound) {
  const Studied launch("kinds", "carry_columns",
                       {.grid = {2000},
                        .block = {256},
                        .shared_bytes = 4096,
                        .arguments = {"buf:65536000:u8", "buf:4096000:undef", "i32:512"}});
  const auto rows = sensitivities(launch.study());
  EXPECT_NEAR(row_of(rows, machine::Resource::kAlu, Mode::kLatency).share, 0.26, 0.1);
}

// What is busy for little of the time, or waited for rarely, is replayed in a group.
TEST(Sensitivity, RowsAreFoundInGroups) {
  const Studied chain = fma_chain();
  std::vector<Sensitivity> rows;
  ShareSampling::Group all;
  for (std::size_t r = 0; r < machine::kResources; ++r) {
    for (const Mode mode : kModes) {
      all.push_back(rows.size());
      rows.push_back({.resource = static_cast<machine::Resource>(r), .mode = mode});
    }
  }
  const SensitivityOptions options;
  ShareSampling sampling(chain.study(), options, rows);
  sampling.find({}, {}, all);
  EXPECT_GT(row_of(rows, machine::Resource::kFma, Mode::kLatency).share, 0.5);
  EXPECT_TRUE(row_of(rows, machine::Resource::kDram, Mode::kLatency).samples.empty());
  const auto alone =
      std::ranges::count_if(rows, [](const auto& row) { return !row.samples.empty(); });
  EXPECT_LE(alone, 8);
}

// The first two are much larger and much likelier.
TEST(Sensitivity, SmallRowsAreFoundBesideLargeOnes) {
  const Studied launch(
      "scan", "scan_tree",
      {.grid = {78125},
       .block = {128},
       .arguments = {"buf:80000000:int:1000", "buf:80000000:undef", "i32:20000000"}});
  const auto rows = sensitivities(launch.study());
  EXPECT_GT(row_of(rows, machine::Resource::kShared, Mode::kThroughput).share, 0.4);
  EXPECT_GT(row_of(rows, machine::Resource::kLsu, Mode::kThroughput).share, 0.2);
  EXPECT_GT(row_of(rows, machine::Resource::kDram, Mode::kLatency).share, 0.05);
}

// When the last of unequal blocks ends is noise; when blocks end on average is not. And warps that
// run in lockstep with their units lose it by any change: no step may depend on that.
TEST(Sensitivity, UnequalBlocksHaveSharesThatHoldForAnotherSeedAndStep) {
  const Studied launch("uneven_lanes/large");
  const Studied other("uneven_lanes/large", 1);
  const auto rows = sensitivities(launch.study(), {.step = 0.2});
  const auto others = sensitivities(other.study(), {.step = 0.15});
  EXPECT_GT(rows[0].share, 0.3);
  for (const Sensitivity& row : rows) {
    const Sensitivity& again = row_of(others, row.resource, row.mode);
    if (std::max(row.share, again.share) < 0.1) continue;
    EXPECT_NEAR(row.share, again.share, 0.1)
        << machine::name(row.resource) << " " << name(row.mode);
    EXPECT_LT(row.measured, 1.2) << machine::name(row.resource) << " " << name(row.mode);
  }
}

// The contended words are in one slice of the L2 cache, or in a few: that is time of the L2 cache.
TEST(Sensitivity, ContendedAtomicsFollowTheL2) {
  for (const unsigned words : {1, 64, 300}) {
    const Studied launch = contended(words);
    const auto rows = sensitivities(launch.study());
    EXPECT_EQ(rows[0].resource, machine::Resource::kL2) << words;
    EXPECT_EQ(rows[0].mode, Mode::kThroughput) << words;
    EXPECT_GT(rows[0].share, 0.8) << words;
    const auto& busy = launch.study().base().busy;
    EXPECT_GT(busy[static_cast<std::size_t>(machine::Resource::kL2)], 0.8) << words;
  }
}

}  // namespace
}  // namespace burin::analyze
