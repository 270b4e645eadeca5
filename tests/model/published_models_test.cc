// Models of the literature as definitions, against the formulas written out.
#include "model/fit/published_models.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "formula/rational/chooser.h"
#include "machine/load.h"
#include "model/fit/hardware.h"
#include "model/fit/published_program.h"

namespace burin::model {
namespace {

LaunchCounts counts_of(double blocks, double warps, double resident, double instructions,
                       double requests, double sectors) {
  LaunchCounts counts;
  counts.blocks = blocks;
  counts.warps = warps;
  counts.threads = 32 * warps;
  counts.resident_blocks = resident;
  counts.instructions = instructions;
  counts.requests = requests * warps;
  counts.sectors = requests * warps * sectors;
  counts.l2_read_bytes = 32 * counts.sectors;
  counts.long_loads = requests;
  counts.long_waits = requests;
  return counts;
}

// Hong & Kim's three cases, as the header of published_models.h corrects them.
double mwp_cwp(const LaunchCounts& c, const machine::Machine& m) {
  const double n =
      std::max(1.0, std::min(c.resident_blocks * c.warps, c.blocks * c.warps / m.sm.count));
  const double requests = c.requests / c.warps;
  const double sectors = c.sectors / c.requests;
  const double delta = 32 * m.sm.count / m.dram.bandwidth;
  const double delay = sectors * delta + 1;
  const double latency = m.dram.latency + (sectors - 1) * delta;
  const double mwp = std::max(1.0, std::min(latency / delay, n));
  const double memory = latency * requests;
  const double compute = std::max(1.0, c.instructions / m.sm.schedulers);
  const double cwp = std::min((memory + compute) / compute, n);
  const double rounds = std::ceil(c.blocks / (c.resident_blocks * m.sm.count));
  const double period = compute / std::max(1.0, requests) * (mwp - 1);
  double cycles = latency + compute * n;
  if (mwp >= n && cwp >= n) {
    cycles = memory + compute + period;
  } else if (cwp >= mwp || compute > memory) {
    cycles = memory * n / mwp + period;
  }
  return cycles * rounds / m.sm.clock_mhz;
}

TEST(PublishedModels, MwpCwpIsItsThreeCases) {
  const Result<machine::Machine> h200 = machine::load_machine("h200");
  ASSERT_TRUE(h200.ok());
  const LaunchCounts launches[] = {
      counts_of(10, 1, 32, 1000, 2, 4),       // few warps: both bounded by their number
      counts_of(100000, 8, 8, 40, 10, 32),    // memory
      counts_of(100000, 8, 8, 100000, 1, 4),  // computation
      counts_of(1000, 4, 16, 500, 20, 8),
  };
  for (const LaunchCounts& launch : launches) {
    const double said = published_time_us(mwp_cwp_definitions(), launch, *h200);
    EXPECT_NEAR(said / mwp_cwp(launch, *h200), 1, 1e-9) << launch.blocks;
  }
}

TEST(PublishedModels, MoreWorkTakesLonger) {
  const Result<machine::Machine> h200 = machine::load_machine("h200");
  ASSERT_TRUE(h200.ok());
  for (const auto& model : {mwp_cwp_definitions(), sim_definitions()}) {
    const double one = published_time_us(model, counts_of(10000, 8, 8, 100, 10, 4), *h200);
    EXPECT_GT(one, 0);
    EXPECT_GT(published_time_us(model, counts_of(40000, 8, 8, 100, 10, 4), *h200), 3 * one);
    EXPECT_GT(published_time_us(model, counts_of(10000, 8, 8, 100, 10, 32), *h200), 2 * one);
    EXPECT_TRUE(std::isnan(published_time_us(model, counts_of(1, 8, 0, 1, 1, 1), *h200)));
  }
}

TEST(PublishedModels, TheirChoiceIsJudgedByTimes) {
  const Result<machine::Machine> h200 = machine::load_machine("h200");
  ASSERT_TRUE(h200.ok());
  // The second shape moves eight times the sectors, and is slower by half.
  const std::vector<CountedTime> launches = {
      {{1000}, {256, 1, 1}, counts_of(10000, 8, 8, 100, 10, 4), 10},
      {{1000}, {1, 256, 1}, counts_of(10000, 8, 8, 100, 10, 32), 15},
      {{4000}, {256, 1, 1}, counts_of(40000, 8, 8, 100, 10, 4), 60},  // measured the other way
      {{4000}, {1, 256, 1}, counts_of(40000, 8, 8, 100, 10, 32), 40},
  };
  for (const PublishedQuality& quality : judge_published(launches, *h200)) {
    EXPECT_EQ(quality.cases, 2u);
    EXPECT_NEAR(quality.worst, 40.0 / 60, 1e-9) << quality.name;
    EXPECT_NEAR(quality.mean, std::sqrt(40.0 / 60), 1e-9);
  }
}

TEST(PublishedModels, MetricsAreFunctionsOfSizesAndSides) {
  std::vector<CountedTime> launches;
  for (const std::int64_t n : {100, 300, 1000, 4000}) {
    for (const std::uint32_t bx : {8u, 16u, 32u, 64u}) {
      LaunchCounts counts = counts_of(100, 8, 8, 10 + 3.0 * double(n), 5, 4);
      launches.push_back({{n}, {bx, 256 / bx, 1}, counts, 1});
    }
  }
  const std::vector<MetricFit> fits = fit_metrics({"n"}, launches);
  ASSERT_EQ(fits.size(), 1u);  // the others are constant
  EXPECT_EQ(fits[0].name, "warp_instructions");
  EXPECT_LT(fits[0].fit.held_out, 1e-6);
}

// KLARAPTOR's method: metrics as functions of the block, MWP-CWP on top, the least time chosen.
TEST(PublishedProgram, ChoosesTheShapeOfTheLeastTime) {
  const Result<machine::Machine> h200 = machine::load_machine("h200");
  ASSERT_TRUE(h200.ok());
  std::vector<CountedTime> launches;
  formula::RationalProgram program;
  for (const std::uint32_t bx : {8u, 16u, 32u, 64u}) {
    program.shapes.push_back({bx, 256 / bx, 1});
    for (const std::int64_t n : {1000, 3000, 10000}) {
      // Wider blocks touch fewer sectors.
      const LaunchCounts counts = counts_of(double(n) / 256, 8, 8, 100, 10, 32 - 0.25 * bx);
      launches.push_back({{n}, program.shapes.back(), counts, NAN});
    }
  }
  program.registers = 16;
  program.sizes = {{"n", *formula::Expression::parse("n")}};
  for (const char* side : {"ceildiv(n, bx * by)", "1", "1"}) {
    program.grid.push_back(*formula::Expression::parse(side));
  }
  const std::vector<MetricFit> metrics = fit_metrics({"n"}, launches);
  for (const std::string_view model : published_model_names()) {
    formula::RationalProgram made = program;
    const Result<void> done = write_published_program(model, metrics, launches, made);
    ASSERT_TRUE(done.ok()) << done.error().message;
    formula::DeviceTable device;
    device.name = "h200";
    for (const std::string& input : made.inputs) {
      device.inputs.push_back(*hardware_value(*h200, input));
    }
    made.devices = {device};
    const Result<formula::Chooser> chooser = formula::Chooser::prepare(made);
    ASSERT_TRUE(chooser.ok()) << chooser.error().message;
    const std::int64_t sizes[] = {4000000};
    formula::Choice choice;
    ASSERT_TRUE(chooser->choose({.sizes = sizes, .device = 0}, choice)) << model;
    EXPECT_EQ(choice.block, (formula::Shape{64, 4, 1})) << model;
    EXPECT_GT(choice.predicted_us, 0);
  }
  EXPECT_FALSE(write_published_program("roofline", metrics, launches, program).ok());
  EXPECT_FALSE(write_published_program("mwp-cwp", metrics, {}, program).ok());
}

}  // namespace
}  // namespace burin::model
