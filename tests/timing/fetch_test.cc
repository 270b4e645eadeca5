// When are instructions and constants at hand?
#include "timing/sm/fetch.h"

#include <gtest/gtest.h>

#include "timed_launch.h"

namespace burin::timing {
namespace {

constexpr std::size_t kCodeLines = 4096;  // more than any cache of the SM holds

TEST(Fetch, WarmCodeIsAtHand) {
  const machine::Machine machine = h200();
  Fetch fetch(machine, 16, false);
  for (std::uint32_t line = 0; line < 16; ++line)
    EXPECT_EQ(fetch.instruction(3, line, 40, machine), 40);
  EXPECT_EQ(fetch.constant(5, 40, machine), 40);
}

TEST(Fetch, ParametersAreNewWithEachLaunch) {
  const machine::Machine machine = h200();
  Fetch fetch(machine, 16, false, 9);
  const auto bank = static_cast<std::uint32_t>(65536 / machine.constant.line);
  EXPECT_EQ(fetch.instruction(3, 2, 40, machine), 40) << "its code is not";
  EXPECT_EQ(fetch.constant(8, 40, machine), 40) << "the first of them come with the block";
  const double there = fetch.constant(9, 40, machine);
  EXPECT_EQ(there, 40 + machine.l2.latency);
  EXPECT_EQ(fetch.constant(9, there + 1, machine), there + 1);
  EXPECT_EQ(fetch.constant(3 * bank + 9, 40, machine), 40) << "constants of the program";
}

TEST(Fetch, ColdCodeComesFromAfarAndOnlyOnce) {
  const machine::Machine machine = h200();
  Fetch fetch(machine, kCodeLines, true);
  const double first = fetch.instruction(0, 0, 100, machine);
  EXPECT_GE(first, 100 + machine.fetch.l2_latency);
  EXPECT_EQ(fetch.instruction(0, 0, 120, machine), first) << "under way";
  EXPECT_EQ(fetch.instruction(0, 0, first + 9, machine), first + 9);
  // Another scheduler has it from the SM's cache.
  const double later = first + 1000;
  const double other = fetch.instruction(1, 0, later, machine);
  EXPECT_GT(other, later);
  EXPECT_LE(other, later + machine.fetch.l1_latency);
  EXPECT_LT(other - later, first - 100);
}

TEST(Fetch, StraightCodeIsFetchedAhead) {
  const machine::Machine machine = h200();
  Fetch fetch(machine, kCodeLines, true);
  double now = fetch.instruction(0, 0, 0, machine);
  const double first = now;
  for (std::uint32_t line = 1; line < 64; ++line)
    now = fetch.instruction(0, line, now + 8, machine);
  const double straight = (now - first) / 63;

  Fetch jumps(machine, kCodeLines, true);
  now = 0;
  for (std::uint32_t k = 0; k < 64; ++k) now = jumps.instruction(0, k * 64, now + 8, machine);
  EXPECT_GE(now / 64, machine.fetch.l2_latency) << "every jump misses";
  EXPECT_LT(straight, 0.5 * now / 64);
}

TEST(Fetch, TimeNeverGoesBack) {
  const machine::Machine machine = h200();
  Fetch fetch(machine, kCodeLines, true);
  double now = 0;
  for (std::uint32_t k = 0; k < 3000; ++k) {
    const std::uint32_t line = k * 37 % kCodeLines;
    const double there = fetch.instruction(k % 4, line, now, machine);
    EXPECT_GE(there, now);
    now = there + 1;
  }
}

// What is loaded again after more code than the caches hold is fetched again.
TEST(Fetch, CodeThatDoesNotFitIsFetchedAgain) {
  const machine::Machine machine = h200();
  Fetch fetch(machine, kCodeLines, true);
  double now = 0;
  for (std::uint32_t line = 0; line < kCodeLines; ++line)
    now = fetch.instruction(0, line, now + 8, machine);
  ASSERT_GT(static_cast<double>(kCodeLines) * machine.fetch.line, machine.fetch.l1);
  EXPECT_GT(fetch.instruction(0, 0, now, machine), now);
  // A loop that fits L0 stays there.
  Fetch loop(machine, kCodeLines, true);
  const auto fits = static_cast<std::uint32_t>(0.5 * machine.fetch.l0 / machine.fetch.line);
  now = 0;
  for (std::uint32_t line = 0; line < fits; ++line)
    now = loop.instruction(0, line, now + 8, machine);
  for (std::uint32_t line = 0; line < fits; ++line)
    EXPECT_EQ(loop.instruction(0, line, now, machine), now) << line;
}

// With room for two lines, three in turn miss every time; beyond the first level they are there.
TEST(Fetch, ConstantsThatDoNotFitMissAgain) {
  machine::Machine machine = h200();
  machine.constant.size = 2 * machine.constant.line;
  for (const bool cold : {true, false}) {
    Fetch fetch(machine, 1, cold);
    for (std::uint32_t line = 0; line < 3; ++line) fetch.constant(line, 0, machine);
    EXPECT_EQ(fetch.constant(0, 5000, machine), 5000 + machine.constant.miss_latency);
    EXPECT_EQ(fetch.constant(2, 5000, machine), 5000) << "the last two are held";
    EXPECT_EQ(fetch.constant(0, 6000, machine), 6000);
  }
}

TEST(Fetch, AColdConstantMissesOnce) {
  const machine::Machine machine = h200();
  Fetch fetch(machine, 1, true);
  const double there = fetch.constant(3, 10, machine);
  EXPECT_GT(there, 10);
  EXPECT_EQ(fetch.constant(3, 20, machine), there) << "under way";
  EXPECT_EQ(fetch.constant(3, there + 5, machine), there + 5);
  EXPECT_GT(fetch.constant(4, there, machine), there);
}

TEST(Fetch, WarpsThatDriftedApartWaitForEveryConstant) {
  machine::Machine machine = h200();
  machine.constant.buffer = 2 * machine.constant.line;
  const double gap = machine.constant.buffer_gap;
  Fetch fetch(machine, 4, false);
  EXPECT_EQ(fetch.indexed_constant(0, 7, 100, machine), 100 + gap);
  EXPECT_EQ(fetch.indexed_constant(0, 7, 110, machine), 100 + gap) << "under way";
  EXPECT_EQ(fetch.indexed_constant(1, 7, 100, machine), 100 + 2 * gap) << "another scheduler";
  // In step: the second load of a line finds it there.
  EXPECT_EQ(fetch.indexed_constant(0, 7, 1000, machine), 1000);
  // Three lines in turn, and room for two.
  for (const double now : {2000.0, 3000.0}) {
    for (std::uint32_t line = 20; line < 23; ++line) {
      EXPECT_EQ(fetch.indexed_constant(0, line, now, machine), now + (line - 19) * gap);
    }
  }
}

}  // namespace
}  // namespace burin::timing
