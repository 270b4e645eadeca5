// Does a prediction say how far it can be relied on?
#include "timing/result/certainty.h"

#include <gtest/gtest.h>

#include "timed_launch.h"

namespace burin::timing {
namespace {

Prediction made(double time_us, const char* unit, double bound_us, double unknown = 0) {
  Prediction p;
  p.time_us = time_us;
  p.bound.unit = unit;
  p.bound.time_us = bound_us;
  p.unknown_share = unknown;
  return p;
}

TEST(Certainty, KindsOfLaunches) {
  EXPECT_EQ(kind_of_launch(made(100, "dram", 90), false), "dram");
  EXPECT_EQ(kind_of_launch(made(100, "lsu", 90), false), "shared");
  EXPECT_EQ(kind_of_launch(made(100, "fma", 90), false), "arithmetic");
  EXPECT_EQ(kind_of_launch(made(100, "dram", 20), false), "latency");
  EXPECT_EQ(kind_of_launch(made(100, "dram", 90), true), "waits");
  EXPECT_EQ(kind_of_launch(made(5, "dram", 4), false), "short");
  EXPECT_EQ(kind_of_launch(made(100, "dram", 90, 0.3), false), "unknown");
}

TEST(Certainty, TheIntervalHoldsThePrediction) {
  const machine::Machine machine = h200();
  for (const char* line : {"saxpy/odd", "transpose_shared/odd", "wmma_f16/odd"}) {
    const Prediction p = TimedLaunch(line).prediction(machine);
    EXPECT_LT(p.certainty.low_us, p.time_us) << line;
    EXPECT_GT(p.certainty.high_us, p.time_us) << line;
    EXPECT_FALSE(p.certainty.defer) << line << ": " << p.certainty.reason;
    EXPECT_EQ(p.certainty.approximated_share, 0) << line;
  }
}

TEST(Certainty, OtherMachinesHaveWiderIntervals) {
  machine::Machine machine = h200();
  const Prediction p = made(100, "dram", 90);
  const Certainty measured = certainty_of(p, machine, false);
  EXPECT_EQ(measured.validation, "");
  machine = *machine::load_machine("rtx4090");
  const Certainty other = certainty_of(p, machine, false);
  EXPECT_EQ(other.validation, "not compared with measurements of an RTX 4090");
  EXPECT_LT(other.low_us, measured.low_us);
  EXPECT_GT(other.high_us, measured.high_us);
}

TEST(Certainty, IntervalsAreNarrowerNearABound) {
  const machine::Machine machine = h200();
  const auto width = [&](double time_us, double bound_us) {
    const Certainty c = certainty_of(made(time_us, "dram", bound_us), machine, false);
    return c.high_us / c.low_us;
  };
  EXPECT_LT(width(5, 4), width(5, 1));
  EXPECT_LT(width(100, 55), width(100, 30));
  EXPECT_LT(width(100, 30), width(100, 10));
}

TEST(Certainty, DefersToAMeasurement) {
  const machine::Machine machine = h200();
  EXPECT_FALSE(certainty_of(made(100, "dram", 90, 0.1), machine, false).defer);
  const Certainty unknown = certainty_of(made(100, "dram", 90, 0.8), machine, false);
  EXPECT_TRUE(unknown.defer);
  EXPECT_NE(unknown.reason.find("80 %"), std::string::npos) << unknown.reason;
  EXPECT_TRUE(certainty_of(made(100, "dram", 90, 0.03), machine, true).defer);
  EXPECT_FALSE(certainty_of(made(100, "dram", 90, 0), machine, true).defer);
  Prediction raised = made(100, "tensor", 100);
  raised.bound.raised_from_us = 40;
  EXPECT_TRUE(certainty_of(raised, machine, false).defer);
}

}  // namespace
}  // namespace burin::timing
