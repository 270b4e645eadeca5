// Do warps wait as long as they must and no longer, and is it told what for?
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "made_block.h"
#include "timing/sm/sm.h"

namespace burin::timing {
namespace {

// A consumer is refused one cycle before the result is there, and issues when it is.
TEST(Sm, AScoreboardIsReleasedWhenTheResultIsThere) {
  for (const double latency : {23.0, 24.0, 30.5}) {
    MadeBlock made;
    made.machine.shared.latency = latency;
    const std::uint32_t load = made.op(shared_load(0));
    TimedOp use = plain();
    use.wait_mask = 1;
    const std::uint32_t consumer = made.op(use);
    made.warp({load, consumer});
    made.request(0, 0, shared_request());
    made.replay();
    EXPECT_EQ(made.run.end, std::ceil(latency) + 1);
    EXPECT_EQ(made.stall(consumer, launch::Stall::kShortScoreboard), std::ceil(latency) - 1);
    const std::vector<Blame> blames = made.account->blames();
    ASSERT_FALSE(blames.empty());
    EXPECT_EQ(blames[0].cause, load);
    EXPECT_EQ(blames[0].waits, consumer);
  }
}

TEST(Sm, BankConflictsTakeTheStageLonger) {
  const auto cycles = [](std::uint8_t passes) {
    MadeBlock made;
    const std::uint32_t load = made.op(shared_load(7));
    for (int w = 0; w < 8; ++w) {
      made.warp(std::vector<std::uint32_t>(40, load));
      for (std::size_t k = 0; k < 40; ++k) {
        made.request(static_cast<std::size_t>(w), k, shared_request(passes));
      }
    }
    made.replay();
    EXPECT_GT(made.stall(launch::Stall::kMioThrottle), 0);
    return made.run.end;
  };
  EXPECT_NEAR(cycles(32) / cycles(16), 2, 0.05);
  EXPECT_GE(cycles(32), 0.95 * 8 * 40 * 32 * 128 / h200().shared.bandwidth);
}

// Two warps meet: the one that comes first waits for the other, and for the barrier's latency.
TEST(Sm, ABarrierLetsAllGoOnWhenTheLastHasCome) {
  MadeBlock made;
  made.machine.barrier.latency = 20;
  TimedOp bar = plain();
  bar.kind = TimedOp::Kind::kBarrier;
  bar.block_barrier = true;
  const std::uint32_t slow = made.op(plain(10));
  const std::uint32_t early = made.op(bar);
  const std::uint32_t late = made.op(bar);
  const std::uint32_t after = made.op(plain());
  made.warp({early, after});
  made.warp({slow, slow, slow, late, after});
  Request meet;
  meet.kind = Request::Kind::kBarrier;
  meet.phases = 1;
  made.trace.phases = {{.barrier = 0, .phase = 0, .arrives = true, .waits = true},
                       {.barrier = 0, .phase = 0, .arrives = true, .waits = true}};
  made.trace.arrivals = {{2}};
  made.request(0, 0, meet);
  meet.first_phase = 1;
  made.request(1, 3, meet);
  made.replay();
  // The slow one arrives between 30 and 31; both go on 20 later, one behind the other.
  EXPECT_GE(made.run.end, 30 + 20 + 2);
  EXPECT_LE(made.run.end, 31 + 20 + 2);
  EXPECT_GE(made.stall(after, launch::Stall::kBarrier), 2 * 19 + 28);
  EXPECT_EQ(made.stall(slow, launch::Stall::kBarrier), 0);
  const std::vector<Blame> blames = made.account->blames();
  const auto worst = std::ranges::find(blames, launch::Stall::kBarrier, &Blame::stall);
  ASSERT_NE(worst, blames.end());
  EXPECT_EQ(worst->cause, late) << "who came last";
}

// A taken branch costs until its target is known; one to the next instruction does not.
TEST(Sm, ATakenBranchWaitsForItsTarget) {
  MadeBlock made;
  made.machine.issue.branch = 12;
  TimedOp jump = plain(5);
  jump.kind = TimedOp::Kind::kBranch;
  const std::uint32_t branch = made.op(jump);
  const std::uint32_t next = made.op(plain());
  const std::uint32_t target = made.op(plain());
  made.warp({branch, target});
  made.replay();
  EXPECT_EQ(made.run.end, 13);
  EXPECT_EQ(made.stall(target, launch::Stall::kBranchResolving), 12 - 5);
  made.trace.warps.clear();
  made.warp({branch, next});
  made.replay();
  EXPECT_EQ(made.run.end, 6);
}

// All that an instruction can wait for at once: its code, its constant and all six scoreboards, the
// later ones released later. Each has its stretch.
TEST(Sm, AnInstructionMayWaitForEverything) {
  MadeBlock made;
  std::vector<std::uint32_t> steps;
  for (std::uint8_t board = 0; board < 6; ++board) {
    TimedOp load = shared_load(board);
    load.stall = 2;
    steps.push_back(made.op(load));
  }
  TimedOp all = plain();
  all.wait_mask = 0x3f;
  all.constant = 3;
  all.fetch_line = 100;  // too far for straight code's fetching ahead
  steps.push_back(made.op(all));
  made.machine.fetch.l1_latency = made.machine.fetch.l2_latency = 2;
  made.machine.fetch.l1_gap = made.machine.fetch.l2_gap = 0;
  made.machine.constant.cold_latency = 20;
  made.machine.shared.latency = 60;
  made.warp(steps);
  for (std::size_t k = 0; k < 6; ++k) {
    made.request(0, k, shared_request(static_cast<std::uint8_t>(1 + 4 * k)));
  }
  made.replay(1, 1, true);
  std::set<std::uint32_t> causes;
  for (const Blame& b : made.account->blames())
    if (b.stall == launch::Stall::kShortScoreboard) causes.insert(b.cause);
  EXPECT_EQ(causes.size(), 6u) << "one scoreboard after another";
  EXPECT_GT(made.stall(steps.back(), launch::Stall::kWait), 0);
  EXPECT_GT(made.stall(steps.back(), launch::Stall::kNoInstruction), 0);
  EXPECT_GT(made.stall(steps.back(), launch::Stall::kImcMiss), 0);
}

}  // namespace
}  // namespace burin::timing
