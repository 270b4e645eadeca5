// Do lanes that part do each its own work, and meet where they should?
#include "emulate/state/split.h"

#include <gtest/gtest.h>

#include <set>

#include "emulate/launched.h"
#include "emulate/one_op.h"

namespace burin::emulate {
namespace {

class SplitTest : public testing::TestWithParam<unsigned> {
 protected:
  // One warp of the kernel.
  Launched launch(const std::string& name, std::vector<std::string> arguments) {
    return Launched("split", name,
                    {.block = {32}, .arguments = std::move(arguments), .sm = GetParam()});
  }

  // Everybody is there, in all of 32 words.
  static Words everybody() { return Words(32, kAllLanes); }
};

TEST_P(SplitTest, SidesOfABranchMeetBehindIt) {
  const Launched run = launch("sides", {"buf:256:zero"});
  ASSERT_EQ(run.error(), "");
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    std::uint32_t sum = 0;
    if (lane % 2 == 1) {
      for (std::uint32_t i = 0; i < lane; ++i) sum = sum * 3 + i;
    } else {
      for (std::uint32_t i = lane; i < 40; ++i) sum += i ^ 5;
    }
    EXPECT_EQ(run.word(0, lane), sum) << "lane " << lane;
  }
  EXPECT_EQ(run.words(0, 32, 32), everybody());
  EXPECT_GT(run.count_at(run.line("sum += i ^ 5")).divergent, 0u);
  EXPECT_EQ(run.count("VOTE").divergent, 0u);
  EXPECT_EQ(run.count("EXIT").warps, 1u);
}

TEST_P(SplitTest, NobodyWaitsForLanesThatHaveEnded) {
  const Launched run = launch("leaves", {"buf:256:zero"});
  ASSERT_EQ(run.error(), "");
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    std::uint32_t sum = 1;
    if (lane < 20)
      for (std::uint32_t i = 0; i <= lane; ++i) sum = sum * 5 + i;
    const bool leaves = lane >= 4 && lane < 8;
    EXPECT_EQ(run.word(0, lane), leaves ? 1004 : sum) << "lane " << lane;
    EXPECT_EQ(run.word(0, 32 + lane), leaves ? 0 : 0xffffff0f) << "lane " << lane;
  }
  EXPECT_EQ(run.count("EXIT").lanes, 32u);
}

TEST_P(SplitTest, LanesThatBreakAreNotWaitedFor) {
  const Launched run = launch("breaks", {"buf:256:int:9", "buf:256:zero"});
  ASSERT_EQ(run.error(), "");
  const std::vector<std::uint32_t> grid = run.given(0);
  const auto steps_of = [&](unsigned lane) {
    std::uint32_t steps = 0;
    for (unsigned y = 0; y < 6; ++y) {
      for (unsigned x = 0; x < 5 && (lane + y) % 3 != 0; ++x) {
        ++steps;
        if (grid[(lane * 7 + y * 5 + x) % 64] == 0) return steps;
        if (x * y > lane) break;
      }
      steps += 100;
    }
    return steps;
  };
  std::set<bool> found;
  for (unsigned lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(run.word(1, lane), steps_of(lane)) << "lane " << lane;
    found.insert(steps_of(lane) < 600);
  }
  EXPECT_EQ(found.size(), 2u) << "some lanes should break, and some not";
  EXPECT_GT(run.count("BREAK").lanes, 0u);
  EXPECT_EQ(run.words(1, 32, 32), everybody());
}

TEST_P(SplitTest, CallersKeepTheirMeetingPlaces) {
  const Launched run = launch("recurses", {"buf:256:zero"});
  ASSERT_EQ(run.error(), "");
  const auto tree = [](const auto& self, std::uint32_t n) -> std::uint32_t {
    if (n < 2) return n + 1;
    return (n % 2 == 1 ? 3 * self(self, n - 2) : 0) + self(self, n - 1);
  };
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(run.word(0, lane), tree(tree, lane % 8)) << "lane " << lane;
  }
  EXPECT_EQ(run.words(0, 32, 32), everybody());
  const auto calls = [](const auto& self, std::uint32_t n) -> std::uint32_t {
    if (n < 2) return 1;
    return 1 + (n % 2 == 1 ? self(self, n - 2) : 0) + self(self, n - 1);
  };
  std::uint32_t all = 0;
  for (std::uint32_t lane = 0; lane < 32; ++lane) all += calls(calls, lane % 8);
  EXPECT_EQ(run.count("RET").lanes, all);
}

TEST_P(SplitTest, AnIndirectBranchRunsOncePerTarget) {
  const Launched run = launch("chooses", {"buf:128:int:6", "buf:256:zero"});
  ASSERT_EQ(run.error(), "");
  std::set<std::uint32_t> ways;
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    const std::uint32_t way = run.given(0)[lane];
    ways.insert(way);
    const std::uint32_t value[] = {lane * 3,    lane + 100, lane ^ 77,
                                   lane * lane, lane - 9,   lane << 4};
    EXPECT_EQ(run.word(1, lane), value[way]) << "lane " << lane;
    EXPECT_EQ(run.word(1, 32 + way), way + 1);
  }
  ASSERT_EQ(ways.size(), 6u);
  EXPECT_EQ(run.count("BRX").warps, 6u);
  EXPECT_EQ(run.count("EXIT").warps, 1u);
}

TEST_P(SplitTest, AHalfOfAWarpMayWaitForTheOther) {
  for (const bool low : {false, true}) {
    const Launched run = launch("waits", {"buf:8:zero", "buf:128:zero", low ? "i32:1" : "i32:0"});
    ASSERT_EQ(run.error(), "");
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      EXPECT_EQ(run.word(1, lane), (lane < 16) == low ? 17u : 3u) << "lane " << lane;
    }
  }
}

TEST_P(SplitTest, LanesOfAWarpMayTakeALockInTurn) {
  const Launched run = launch("locks", {"buf:4:zero", "buf:4:zero", "buf:128:undef"});
  ASSERT_EQ(run.error(), "");
  EXPECT_EQ(run.word(1, 0), 32u * 33 / 2);
  std::set<Word> before;
  for (unsigned lane = 0; lane < 32; ++lane) before.insert(run.word(2, lane));
  EXPECT_EQ(before.size(), 32u) << "no two lanes held it at once";
}

// The sides take turns, for neither may wait for the other's end; their loops' ends are in the one
// set of uniform registers, which the hardware shares too but does not change sides within a loop.
TEST_P(SplitTest, SidesThatTakeTurnsKeepTheirUniformRegisters) {
  const Launched run = launch("marches", {"buf:256:zero", "i32:100", "i32:300"});
  ASSERT_EQ(run.error(), "");
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    const bool odd = lane % 2 == 1;
    std::uint32_t sum = lane;
    for (std::uint32_t k = 0; k < (odd ? 100 : 300); ++k) sum = sum * (odd ? 3 : 5) + k;
    EXPECT_EQ(run.word(0, lane), sum) << "lane " << lane;
  }
}

TEST_P(SplitTest, HalvesMeetAtWarpSyncsOnDifferentLines) {
  const Launched run = launch("meets", {"buf:128:zero"});
  ASSERT_EQ(run.error(), "");
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(run.word(0, lane), lane < 16 ? 2 * (lane + 16) : 10 * (lane - 16 + 2));
  }
  EXPECT_TRUE(run.run().faults.empty());
}

TEST_P(SplitTest, TilesMeetByThemselves) {
  const Launched run = launch("tiles", {"buf:128:zero"});
  ASSERT_EQ(run.error(), "");
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(run.word(0, lane), 400 + (lane ^ 1) + lane / 4) << "lane " << lane;
  }
}

INSTANTIATE_TEST_SUITE_P(Architectures, SplitTest, testing::Values(80u, 90u),
                         [](const auto& of) { return "sm_" + std::to_string(of.param); });

// WARPSYNC.EXCLUSIVE, which sm_80 does not have.
TEST(ExclusiveWarpSync, ATileVotesAlone) {
  const Launched run("split", "ballots",
                     {.block = {32}, .arguments = {"buf:128:int:1000", "buf:128:zero"}});
  ASSERT_EQ(run.error(), "");
  Mask odd = 0;
  for (unsigned lane = 0; lane < 32; ++lane) odd |= (run.given(0)[lane] & 1) << lane;
  for (unsigned lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(run.word(1, lane), odd & 0xffu << (lane & ~7u)) << "lane " << lane;
  }
  EXPECT_EQ(run.count("VOTE").warps, 4u) << "once for each tile";
}

// The bookkeeping itself, with no program.
class Splits : public testing::Test {
 protected:
  Splits() : one_({0x0000000000007918, 0x000fc00000000000}) {}  // NOP

  Warp& warp() { return one_.warp(); }
  void converge(std::size_t split, std::uint8_t barrier) {
    warp().splits[split].state = Split::State::kConverging;
    warp().splits[split].target = barrier;
    settle(warp());
  }
  void bssy(std::uint8_t barrier, Mask lanes) {
    for_each_lane(lanes, [&](unsigned lane) { warp().convergence[barrier][lane] = lanes; });
  }

  OneOp one_;
};

TEST_F(Splits, MeetWhenTheLastHasCome) {
  bssy(3, kAllLanes);
  part(warp(), 0xff, 7);
  part(warp(), 0xff00, 7);
  warp().splits[0].pc = 7;
  converge(0, 3);
  converge(2, 3);
  ASSERT_EQ(warp().splits.size(), 3u);
  EXPECT_EQ(warp().splits[0].state, Split::State::kConverging);
  converge(1, 3);
  ASSERT_EQ(warp().splits.size(), 1u);
  EXPECT_EQ(warp().splits[0].lanes, kAllLanes);
  EXPECT_EQ(warp().splits[0].pc, 8u);
  EXPECT_EQ(warp().splits[0].state, Split::State::kReady);
}

TEST_F(Splits, MeetWhenTheOnesAwayHaveEnded) {
  bssy(0, kAllLanes);
  part(warp(), 0xff, 7);
  converge(0, 0);
  EXPECT_EQ(warp().splits[0].state, Split::State::kConverging);
  end_lanes(warp(), 0x0f);
  EXPECT_EQ(warp().splits[0].state, Split::State::kConverging);
  end_lanes(warp(), 0xf0);
  ASSERT_EQ(warp().splits.size(), 1u);
  EXPECT_EQ(warp().splits[0].state, Split::State::kReady);
  EXPECT_EQ(warp().live, 0xffffff00u);
}

TEST_F(Splits, MeetingsOfOneNumberAreKeptApart) {
  bssy(2, 0xffff);
  bssy(2, 0xffff0000);
  part(warp(), 0xff, 7);
  part(warp(), 0xff00, 7);
  warp().splits[0].pc = 7;
  converge(1, 2);
  EXPECT_EQ(warp().splits[1].state, Split::State::kConverging);
  converge(0, 2);  // the other meeting: complete by itself
  EXPECT_EQ(warp().splits[0].state, Split::State::kReady);
  EXPECT_EQ(warp().splits[1].state, Split::State::kConverging);
  converge(2, 2);
  ASSERT_EQ(warp().splits.size(), 2u);
  EXPECT_EQ(warp().splits[1].lanes, 0xffffu);
}

// Lanes 0 to 7 branch out of the inner region without BREAK and wait at the end of the outer one;
// the others of the inner region wait for them at its end.
TEST_F(Splits, GoOnWithoutThoseThatLeftTheirRegion) {
  bssy(0, kAllLanes);
  bssy(1, 0xffff);
  part(warp(), 0xff, 20);
  part(warp(), 0xff00, 10);
  converge(0, 0);
  EXPECT_FALSE(release_left_behind(warp()));  // others may still come
  converge(1, 0);
  converge(2, 1);
  EXPECT_EQ(warp().splits[2].state, Split::State::kConverging);
  EXPECT_TRUE(release_left_behind(warp()));
  ASSERT_EQ(warp().splits.size(), 3u);
  EXPECT_EQ(warp().splits[2].state, Split::State::kReady);
  EXPECT_EQ(warp().splits[2].pc, 11u);
  EXPECT_EQ(warp().splits[0].state, Split::State::kConverging);
  EXPECT_FALSE(release_left_behind(warp()));  // the others wait for them
}

// The same where those that left wait at a WARPSYNC of the whole warp.
TEST_F(Splits, GoOnWithoutThoseAtAWarpsync) {
  bssy(0, kAllLanes);
  part(warp(), 0xff, 20);
  warp().splits[1].state = Split::State::kGathering;
  warp().splits[1].mask = kAllLanes;
  converge(0, 0);
  EXPECT_EQ(warp().splits[0].state, Split::State::kConverging);
  EXPECT_TRUE(release_left_behind(warp()));
  EXPECT_EQ(warp().splits[0].state, Split::State::kReady);
  EXPECT_EQ(warp().splits[1].state, Split::State::kGathering);
}

// A lane that waits for the block is expected to come.
TEST_F(Splits, WaitForThoseAtABarrierOfTheBlock) {
  bssy(0, kAllLanes);
  part(warp(), 0xff, 20);
  warp().splits[1].state = Split::State::kBarrier;
  converge(0, 0);
  EXPECT_FALSE(release_left_behind(warp()));
}

// What lanes wrote on one side of an Unknown branch is remembered when they meet on that side, and
// lanes on different sides do not become one.
TEST_F(Splits, MeetOnTheirSideOfAnUnknownBranch) {
  bssy(1, kAllLanes);
  warp().splits[0].forks.resize(1);
  part(warp(), 0xff, 7);
  part(warp(), 0xff00, 7);
  warp().splits[0].pc = 7;
  warp().splits[0].forks[0].slots.set(4);
  warp().splits[1].forks[0].slots.set(5);
  warp().splits[2].forks[0].second = true;
  converge(0, 1);
  converge(1, 1);
  converge(2, 1);
  ASSERT_EQ(warp().splits.size(), 2u);
  EXPECT_EQ(warp().splits[0].lanes, 0xffff00ffu);
  EXPECT_TRUE(warp().splits[0].forks[0].slots.test(4));
  EXPECT_TRUE(warp().splits[0].forks[0].slots.test(5));
  EXPECT_EQ(warp().splits[1].lanes, 0xff00u);
  EXPECT_EQ(warp().splits[1].state, Split::State::kReady);
  EXPECT_EQ(warp().splits[1].pc, 8u);
}

TEST_F(Splits, TakeTurns) {
  part(warp(), 0xff, 7);
  part(warp(), 0xff00, 9);
  EXPECT_TRUE(next_split(warp()));
  EXPECT_EQ(warp().current, 1u);
  warp().splits[2].state = Split::State::kBarrier;
  EXPECT_TRUE(next_split(warp()));
  EXPECT_EQ(warp().current, 0u);
  warp().splits[0].state = Split::State::kRetry;
  warp().splits[1].state = Split::State::kGathering;
  EXPECT_FALSE(next_split(warp()));
}

}  // namespace
}  // namespace burin::emulate
