// Is no prediction shorter than its units need, and does one that was raised say so?
#include "timing/grid/unit_bounds.h"

#include <gtest/gtest.h>

#include "timed_launch.h"

namespace burin::timing {
namespace {

UnitDemand demand_of(const TimedLaunch& launch, const Prediction& p,
                     const machine::Machine& machine) {
  const double sms = std::min(machine.sm.count, static_cast<double>(launch.launch().grid.total()));
  return unit_demand(p, timed_code(launch.kernel(), machine), launch.kernel(), machine, sms);
}

TEST(UnitBounds, PredictionsNameTheUnitNearestToItsPeak) {
  const machine::Machine machine = h200();
  const std::pair<const char*, const char*> cases[] = {{"scale_float4/large", "dram"},
                                                       {"transpose_shared/odd", "shared"}};
  for (const auto& [name, unit] : cases) {
    const Prediction p = TimedLaunch(name).prediction(machine);
    EXPECT_EQ(p.bound.unit, unit) << name;
    EXPECT_GT(p.bound.time_us, 0) << name;
    EXPECT_LE(p.bound.time_us, p.time_us) << name;
    EXPECT_EQ(p.bound.raised_from_us, 0) << name;
  }
}

TEST(UnitBounds, DemandGrowsWithTheWork) {
  const machine::Machine machine = h200();
  const TimedLaunch launch("wmma_f16/odd");
  Prediction p = launch.prediction(machine);
  const UnitDemand once = demand_of(launch, p, machine);
  const auto tensor = static_cast<std::size_t>(machine::Resource::kTensor);
  ASSERT_GT(once.of_sm[tensor], 0);
  for (InstructionCost& cost : p.costs) cost.issued *= 3;
  EXPECT_NEAR(demand_of(launch, p, machine).of_sm[tensor], 3 * once.of_sm[tensor],
              1e-6 * once.of_sm[tensor]);
  p.bulk_bytes = 1e9;
  EXPECT_EQ(demand_of(launch, p, machine).largest().unit, "tma");
}

// Steps that were skipped count bytes that warps running at once would have shared.
TEST(UnitBounds, DramIsNotBoundByMoreThanItsReplayedWork) {
  const machine::Machine machine = h200();
  const TimedLaunch launch("scale_float4/large");
  Prediction p = launch.prediction(machine);
  const auto dram = static_cast<std::size_t>(machine::Resource::kDram);
  const double counted = demand_of(launch, p, machine).of_gpu[dram];
  EXPECT_GT(counted, 0);
  p.dram_read_bytes *= 100;
  const double more = demand_of(launch, p, machine).of_gpu[dram];
  EXPECT_NEAR(more, counted, 0.02 * counted);
  EXPECT_LE(more, p.cycles - p.launch_cycles);
}

TEST(UnitBounds, ATooShortPredictionIsRaisedAndSaysSo) {
  const machine::Machine machine = h200();
  Prediction p;
  p.cycles = 10'500;
  p.launch_cycles = 500;
  p.clock_mhz = machine.sm.clock_mhz;
  p.time_us = machine.seconds(p.cycles) * 1e6;
  const double before = p.time_us;
  p.busy.fill(0.5);
  raise_to_bound({"tensor", 20'000}, machine, p);
  EXPECT_EQ(p.cycles, 20'500);
  EXPECT_DOUBLE_EQ(p.time_us, machine.seconds(20'500) * 1e6);
  EXPECT_EQ(p.bound.unit, "tensor");
  EXPECT_DOUBLE_EQ(p.bound.raised_from_us, before);
  EXPECT_DOUBLE_EQ(p.busy[0], 0.25);
  ASSERT_EQ(p.notes.size(), 1u);
  EXPECT_NE(p.notes[0].find("tensor"), std::string::npos);
  raise_to_bound({"dram", 100}, machine, p);  // long enough
  EXPECT_EQ(p.cycles, 20'500);
  EXPECT_EQ(p.notes.size(), 1u);
}

}  // namespace
}  // namespace burin::timing
