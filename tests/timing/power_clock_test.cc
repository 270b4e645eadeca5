#include "timing/grid/power_clock.h"

#include <gtest/gtest.h>

#include "timed_launch.h"

namespace burin::timing {
namespace {

// The clock of a kernel of the corpus whose tensor cores are busy for `share` of the time.
double clock_at(const std::string& line, double share) {
  const TimedLaunch launch(line);
  const machine::Machine machine = h200();
  Prediction p;
  p.cycles = 18'000;
  p.clock_mhz = machine.sm.tensor_clock_mhz;
  p.time_us = p.cycles / p.clock_mhz;
  p.busy[static_cast<std::size_t>(machine::Resource::kTensor)] = share;
  slow_by_power(launch.kernel(), timed_code(launch.kernel(), machine), machine, p);
  EXPECT_DOUBLE_EQ(p.time_us, p.cycles / p.clock_mhz);
  return p.clock_mhz;
}

TEST(PowerClock, FallsWithTheShareOfTimeThatTensorCoresAreBusy) {
  const machine::Machine machine = h200();
  EXPECT_DOUBLE_EQ(clock_at("wgmma_registers/two", 0.3), machine.sm.tensor_clock_mhz);
  EXPECT_DOUBLE_EQ(clock_at("wgmma_registers/two", 1), machine.sm.full_tensor_clock_mhz);
  const double some = clock_at("wgmma_registers/two", 0.6);
  const double more = clock_at("wgmma_registers/two", 0.9);
  EXPECT_LT(some, machine.sm.tensor_clock_mhz);
  EXPECT_LT(more, some);
  EXPECT_GT(more, machine.sm.full_tensor_clock_mhz);
}

TEST(PowerClock, ProductsOfSingleWarpsLeaveItAsItIs) {
  EXPECT_DOUBLE_EQ(clock_at("wmma_f16/tiny", 1), h200().sm.tensor_clock_mhz);
}

}  // namespace
}  // namespace burin::timing
