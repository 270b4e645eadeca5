// Does abstract emulation issue as the paper's Algorithm 1 does, and never beat its resources?
#include "timing/saake/abstract_emulation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace burin::timing {
namespace {

// Section 4.2: three warps, each a load, an addition, and one that needs the first addition.
AbstractProgram paper_example() {
  AbstractProgram program{.resources = {{.latency = 500, .gap = 100}, {.latency = 100, .gap = 20}}};
  for (int w = 0; w < 3; ++w) {
    AbstractWarp& warp = program.warps.emplace_back();
    warp.add(0, {});
    warp.add(1, {});
    warp.add(1, {1});
  }
  return program;
}

TEST(AbstractEmulation, ReplaysThePapersExample) {
  const AbstractTimes times = emulate_abstractly(paper_example());
  EXPECT_EQ(times.issued[0][0], 0);
  EXPECT_EQ(times.issued[0][1], 1);
  EXPECT_EQ(times.finished[0][0], 500);
  EXPECT_EQ(times.issued[0][2], 101);    // S13
  EXPECT_EQ(times.finished[2][1], 141);  // S32
  // The loads wait in the queue of global memory.
  EXPECT_EQ(times.finished[1][0], 600);
  EXPECT_EQ(times.finished[2][0], 700);
  EXPECT_EQ(times.cycles, 700);
  EXPECT_EQ(times.busy[0], 300);
  EXPECT_EQ(times.busy[1], 120);
}

// The gate is tight: one cycle earlier the operand is not there.
TEST(AbstractEmulation, AConsumerIssuesWhenItsOperandIsThereAndNotBefore) {
  for (const double latency : {1.0, 2.0, 7.0, 7.5}) {
    AbstractProgram program{.resources = {{.latency = latency, .gap = 1}}};
    AbstractWarp& warp = program.warps.emplace_back();
    warp.add(0, {});
    warp.add(0, {0});
    EXPECT_EQ(emulate_abstractly(program).issued[0][1], std::ceil(latency));
  }
}

TEST(AbstractEmulation, StaysWithAWarpThenTakesTheOneThatIsReadyLongest) {
  AbstractProgram program{.resources = {{.latency = 10, .gap = 0}}};
  for (int w = 0; w < 3; ++w) program.warps.emplace_back();
  // Warp 0 waits for its first; 1 and 2 are free. 1 issues all it has before 2 begins.
  program.warps[0].add(0, {});
  program.warps[0].add(0, {0});
  for (int k = 0; k < 3; ++k) program.warps[1].add(0, {});
  for (int k = 0; k < 10; ++k) program.warps[2].add(0, {});
  const AbstractTimes times = emulate_abstractly(program);
  EXPECT_EQ(times.issued[1], (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(times.issued[2].front(), 4);
  // Warp 2 is ready all the time, so 0 comes when it is done.
  EXPECT_EQ(times.issued[2].back(), 13);
  EXPECT_EQ(times.issued[0][1], 14);
}

TEST(AbstractEmulation, SchedulersIssueSideBySideAndShareWhatIsShared) {
  AbstractProgram program{
      .resources = {{.latency = 8, .gap = 4, .per_scheduler = true}, {.latency = 8, .gap = 4}},
      .schedulers = 2};
  for (int w = 0; w < 2; ++w) {
    AbstractWarp& warp = program.warps.emplace_back();
    warp.add(0, {});
    warp.add(1, {});
  }
  const AbstractTimes times = emulate_abstractly(program);
  EXPECT_EQ(times.finished[0][0], 8);
  EXPECT_EQ(times.finished[1][0], 8);
  EXPECT_EQ(times.finished[0][1], 9);
  EXPECT_EQ(times.finished[1][1], 13);  // behind the other's
}

TEST(AbstractEmulation, ResourcesOfOneUnitWaitForOneAnother) {
  AbstractProgram program{.resources = {{.latency = 8, .gap = 4, .unit = 0},
                                        {.latency = 5, .gap = 2, .unit = 0},
                                        {.latency = 5, .gap = 2}}};
  AbstractWarp& warp = program.warps.emplace_back();
  for (std::uint32_t r = 0; r < 3; ++r) warp.add(r, {});
  const AbstractTimes times = emulate_abstractly(program);
  EXPECT_EQ(times.finished[0][1], 4 + 5);
  EXPECT_EQ(times.finished[0][2], 2 + 5);
}

TEST(AbstractEmulation, RequestsOfOneInstructionComeOneBehindAnother) {
  AbstractProgram program{.resources = {{.latency = 20, .gap = 3}}};
  AbstractWarp& warp = program.warps.emplace_back();
  warp.add(0, {}, 32);
  warp.add(0, {});
  const AbstractTimes times = emulate_abstractly(program);
  EXPECT_EQ(times.finished[0][0], 31 * 3 + 20);
  EXPECT_EQ(times.finished[0][1], 32 * 3 + 20);
}

TEST(AbstractEmulation, ABarrierHoldsAllUntilAllIsFinished) {
  AbstractProgram program{.resources = {{.latency = 4, .gap = 1}, {.latency = 300, .gap = 1}}};
  for (int w = 0; w < 3; ++w) {
    AbstractWarp& warp = program.warps.emplace_back();
    if (w == 1) warp.add(1, {});
    const std::uint32_t barrier = warp.add(0, {});
    warp.meetings.push_back({.instruction = barrier, .meeting = 0});
    warp.add(0, {});
  }
  const AbstractTimes times = emulate_abstractly(program);
  const double load_ends = times.finished[1][0];
  EXPECT_GE(load_ends, 300);
  for (std::size_t w = 0; w < 3; ++w) EXPECT_GE(times.issued[w].back(), load_ends) << w;
  EXPECT_EQ(times.issued[0].back(), load_ends);
}

TEST(AbstractEmulation, OneWhoOnlyArrivesGoesOn) {
  AbstractProgram program{.resources = {{.latency = 50, .gap = 1}}};
  for (int w = 0; w < 2; ++w) {
    AbstractWarp& warp = program.warps.emplace_back();
    warp.add(0, {});
    warp.meetings.push_back({.instruction = 0, .meeting = 0, .arrives = w == 0, .waits = w == 1});
    warp.add(0, {});
  }
  const AbstractTimes times = emulate_abstractly(program);
  EXPECT_EQ(times.issued[0][1], 1);
  EXPECT_EQ(times.issued[1][1], times.finished[0][0]);
}

class RandomPrograms : public testing::Test {
 protected:
  std::uint32_t below(std::uint32_t limit) {
    return std::uniform_int_distribution<std::uint32_t>(0, limit - 1)(random_);
  }
  AbstractProgram make() {
    AbstractProgram program{.schedulers = 1 + below(4)};
    const std::uint32_t resources = 1 + below(4);
    for (std::uint32_t r = 0; r < resources; ++r) {
      const double gap = 0.5 * below(20);
      program.resources.push_back(
          {.latency = gap + below(100), .gap = gap, .per_scheduler = below(2) == 0});
    }
    const std::uint32_t warps = 1 + below(12);
    for (std::uint32_t w = 0; w < warps; ++w) add_warp(program);
    return program;
  }
  void add_warp(AbstractProgram& program) {
    AbstractWarp& warp = program.warps.emplace_back();
    const std::uint32_t length = 1 + below(60);
    for (std::uint32_t i = 0; i < length; ++i) {
      std::vector<std::uint32_t> needs;
      for (std::uint32_t k = below(3); k > 0 && i > 0; --k) needs.push_back(below(i));
      warp.add(below(static_cast<std::uint32_t>(program.resources.size())), needs, 1 + below(4));
    }
  }

  std::mt19937 random_{1};
};

TEST_F(RandomPrograms, NeverBeatTheirResourcesTheirIssueOrTheirDependences) {
  for (int n = 0; n < 300; ++n) {
    const AbstractProgram program = make();
    const AbstractTimes times = emulate_abstractly(program);
    for (std::size_t r = 0; r < program.resources.size(); ++r) {
      const double copies = program.resources[r].per_scheduler ? program.schedulers : 1;
      EXPECT_GE(times.cycles * copies, times.busy[r]);
    }
    std::vector<std::vector<double>> issues(program.schedulers);
    for (std::size_t w = 0; w < program.warps.size(); ++w) {
      const AbstractWarp& warp = program.warps[w];
      double chain = 0;
      std::vector<double> ends;
      for (std::size_t i = 0; i < warp.instructions.size(); ++i) {
        const AbstractInstruction& instruction = warp.instructions[i];
        double begins = 0;
        for (std::uint32_t k = 0; k < instruction.predecessors; ++k) {
          const std::uint32_t p = warp.predecessors[instruction.first_predecessor + k];
          EXPECT_GE(times.issued[w][i], times.finished[w][p]);
          begins = std::max(begins, ends[p]);
        }
        ends.push_back(begins + program.resources[instruction.resource].latency);
        chain = std::max(chain, ends.back());
        if (i > 0) {
          EXPECT_GT(times.issued[w][i], times.issued[w][i - 1]);
        }
        issues[w % program.schedulers].push_back(times.issued[w][i]);
      }
      EXPECT_GE(times.cycles, chain);
    }
    for (std::vector<double>& all : issues) {
      std::ranges::sort(all);
      EXPECT_EQ(std::ranges::adjacent_find(all), all.end()) << "two issues in one cycle";
    }
  }
}

TEST_F(RandomPrograms, AreAlwaysTheSame) {
  const AbstractProgram program = make();
  EXPECT_EQ(emulate_abstractly(program).issued, emulate_abstractly(program).issued);
}

// A warp more is more work: all of it together never ends before the bounds of the larger program.
TEST_F(RandomPrograms, MoreWarpsKeepTheUnitsBusyLonger) {
  for (int n = 0; n < 100; ++n) {
    AbstractProgram program = make();
    const AbstractTimes before = emulate_abstractly(program);
    add_warp(program);
    const AbstractTimes after = emulate_abstractly(program);
    for (std::size_t r = 0; r < program.resources.size(); ++r) {
      EXPECT_GE(after.busy[r], before.busy[r]);
    }
  }
}

// Equal warps that use one unit: the next warp waits behind the others, so time never falls.
TEST(AbstractEmulation, MoreEqualWarpsAreNeverFaster) {
  double before = 0;
  for (std::uint32_t warps = 1; warps <= 24; ++warps) {
    AbstractProgram program{.resources = {{.latency = 40, .gap = 4}}};
    for (std::uint32_t w = 0; w < warps; ++w) {
      AbstractWarp& warp = program.warps.emplace_back();
      for (std::uint32_t i = 0; i < 20; ++i) {
        const std::vector<std::uint32_t> needs(i > 0 ? 1 : 0, i - 1);
        warp.add(0, needs);
      }
    }
    const double cycles = emulate_abstractly(program).cycles;
    EXPECT_GE(cycles, before) << warps;
    before = cycles;
  }
}

}  // namespace
}  // namespace burin::timing
