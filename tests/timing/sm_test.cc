// Do an SM's schedulers issue as they should: how often, to which units, from which warp?
#include "timing/sm/sm.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "made_block.h"

namespace burin::timing {
namespace {

TEST(Sm, AWarpIssuesOnceACycleAndWaitsTheStallCount) {
  for (const unsigned stall_count : {1u, 2u, 4u, 15u}) {
    MadeBlock made;
    const std::uint32_t op = made.op(plain(static_cast<std::uint8_t>(stall_count)));
    made.warp(std::vector<std::uint32_t>(100, op));
    made.replay();
    EXPECT_EQ(made.run.end, 99 * stall_count + 1);
    EXPECT_EQ(made.stall(launch::Stall::kWait), 99 * (stall_count - 1));
    EXPECT_EQ(made.account->issued(), 100);
  }
}

TEST(Sm, WarpsFillOneAnothersWaits) {
  for (const unsigned warps : {1u, 2u, 4u, 8u}) {
    MadeBlock made;
    const std::uint32_t op = made.op(plain(4));
    for (unsigned w = 0; w < warps; ++w) made.warp(std::vector<std::uint32_t>(100, op));
    made.replay();
    const double least = std::max(4.0 * 99 + 1, 100.0 * warps);
    EXPECT_GE(made.run.end, least);
    // Any that is ready is taken, which is not always the one that the others can spare best.
    EXPECT_LE(made.run.end, 1.05 * least + 4) << warps;
  }
}

// Replays of edited launches may have more warps on a scheduler than fit on an SM.
TEST(Sm, ASchedulerMayHaveManyWarps) {
  MadeBlock made;
  const std::uint32_t op = made.op(plain());
  unsigned instructions = 0;
  for (unsigned w = 0; w < 150; ++w) {
    const unsigned length = 1 + 37 * w % 100;  // they end in no order
    made.warp(std::vector<std::uint32_t>(length, op));
    instructions += length;
  }
  made.replay();
  EXPECT_EQ(made.account->issued(), instructions);
  EXPECT_EQ(made.run.end, instructions);
}

TEST(Sm, AUnitTakesOneInstructionPerGap) {
  for (const Unit unit : {Unit::kAlu, Unit::kFp64, Unit::kTensor, Unit::kFmaHeavy}) {
    for (const double gap : {1.0, 2.0, 8.0}) {
      MadeBlock made;
      const std::uint32_t op = made.op(arithmetic(unit, gap));
      for (int w = 0; w < 4; ++w) made.warp(std::vector<std::uint32_t>(50, op));
      made.replay();
      EXPECT_EQ(made.run.end, 199 * gap + 1);
      EXPECT_EQ(made.stall(launch::Stall::kMathPipeThrottle) > 0, gap > 1);
    }
  }
}

TEST(Sm, TwoFmaUnitsTakeTwiceAsMuch) {
  for (const double units : {1.0, 2.0}) {
    MadeBlock made;
    made.machine.issue.fma_units = units;
    const std::uint32_t op = made.op(arithmetic(Unit::kFma, 2));
    for (int w = 0; w < 8; ++w) made.warp(std::vector<std::uint32_t>(50, op));
    made.replay();
    EXPECT_NEAR(made.run.end, 400 * 2 / units, 2);
  }
}

TEST(Sm, PackedHalvesTakeBothFmaUnits) {
  MadeBlock made;
  made.machine.issue.fma_units = 2;
  const std::uint32_t halves = made.op(arithmetic(Unit::kFmaBoth, 2));
  const std::uint32_t single = made.op(arithmetic(Unit::kFma, 2));
  // The single one may begin when both are free, and keeps one of them from the next pair.
  for (int k = 0; k < 50; ++k) made.warp({halves, single});
  made.replay();
  EXPECT_GE(made.run.end, 50 * 3 - 2);
  EXPECT_LE(made.run.end, 50 * 4 + 2);
}

// An even and an odd register come at once, two of a kind one after the other; two instructions
// make it up to each other.
TEST(Sm, EachBankDeliversARegisterACycle) {
  using Reads = std::array<std::uint8_t, machine::kMaxRegisterBanks>;
  const auto cycles = [](Reads first, Reads second) {
    MadeBlock made;
    TimedOp op = plain();
    op.bank_reads = first;
    const std::uint32_t one = made.op(op);
    op.bank_reads = second;
    const std::uint32_t other = made.op(op);
    std::vector<std::uint32_t> steps;
    for (int k = 0; k < 50; ++k) steps.insert(steps.end(), {one, other});
    made.warp(steps);
    made.replay();
    return made.run.end;
  };
  EXPECT_NEAR(cycles({1, 1}, {1, 1}), 100, 2);
  EXPECT_NEAR(cycles({2, 1}, {1, 2}), 150, 2);
  EXPECT_NEAR(cycles({2, 1}, {2, 1}), 200, 2);
  EXPECT_NEAR(cycles({0, 3}, {0, 3}), 300, 3);
}

TEST(Sm, NothingGetsPastWhatWaitsForItsRegisters) {
  MadeBlock made;
  made.machine.issue.policy = machine::IssuePolicy::kRoundRobin;
  TimedOp op = plain(3);
  op.bank_reads = {3, 0};
  const std::uint32_t reads = made.op(op);
  const std::uint32_t other = made.op(plain());
  made.warp(std::vector<std::uint32_t>(50, reads));
  made.warp(std::vector<std::uint32_t>(100, other));
  made.replay();
  EXPECT_NEAR(made.run.end, 200, 4) << "of three cycles, one is left for the other warp";
}

TEST(Sm, WhatIsReusedIsLostToAnotherWarp) {
  const auto cycles = [](int warps) {
    MadeBlock made;
    made.machine.issue.policy = machine::IssuePolicy::kRoundRobin;
    TimedOp op = plain();
    op.bank_reads = {2, 0};
    op.reused = {1, 0};
    const std::uint32_t one = made.op(op);
    for (int w = 0; w < warps; ++w) made.warp(std::vector<std::uint32_t>(100, one));
    made.replay();
    return made.run.end / warps;
  };
  EXPECT_NEAR(cycles(1), 100, 2);
  EXPECT_NEAR(cycles(2), 200, 4);
}

TEST(Sm, NobodyIssuesInTheSlotsOfAnother) {
  MadeBlock made;
  TimedOp wide = plain();
  wide.slots = 3;
  const std::uint32_t op = made.op(wide);
  for (int w = 0; w < 4; ++w) made.warp(std::vector<std::uint32_t>(25, op));
  made.replay();
  EXPECT_NEAR(made.run.end, 300, 3);
  EXPECT_GT(made.stall(launch::Stall::kDispatch), 0);
}

TEST(Sm, EachSchedulerHasItsOwnUnits) {
  MadeBlock made;
  made.machine.sm.schedulers = 4;
  const std::uint32_t op = made.op(arithmetic(Unit::kAlu, 2));
  for (int w = 0; w < 4; ++w) made.warp(std::vector<std::uint32_t>(50, op));
  made.replay();
  EXPECT_EQ(made.run.end, 99);
}

// Two warps of the same plain steps, ready at once. What each waits for the other tells the order.
struct Waits {
  double older = 0;
  double younger = 0;
  bool operator==(const Waits&) const = default;
};
Waits waits(machine::IssuePolicy policy) {
  MadeBlock made;
  made.machine.issue.policy = policy;
  const std::uint32_t older = made.op(plain());
  const std::uint32_t younger = made.op(plain());
  made.warp(std::vector<std::uint32_t>(10, older));
  made.warp(std::vector<std::uint32_t>(10, younger));
  made.replay();
  EXPECT_EQ(made.run.end, 20) << "no policy leaves a cycle unused";
  return {made.stall(older, launch::Stall::kNotSelected),
          made.stall(younger, launch::Stall::kNotSelected)};
}

TEST(Sm, PoliciesTakeWarpsInTheirOwnOrder) {
  EXPECT_EQ(waits(machine::IssuePolicy::kGreedyYoungest), (Waits{10, 0}));
  EXPECT_EQ(waits(machine::IssuePolicy::kGreedyOldest), (Waits{0, 10}));
  const Waits any = waits(machine::IssuePolicy::kGreedyAny);
  EXPECT_EQ(any.older + any.younger, 10) << "it stays with the first that it takes";
  const Waits turns = waits(machine::IssuePolicy::kRoundRobin);
  EXPECT_NEAR(turns.older, 9.5, 0.5);
  EXPECT_NEAR(turns.younger, 9.5, 0.5);
}

// Four warps, of which three would fill all cycles.
TEST(Sm, TheOldestBlockComesFirst) {
  MadeBlock made;
  made.machine.issue.policy = machine::IssuePolicy::kGreedyOldestBlock;
  const std::uint32_t op = made.op(plain(3));
  for (int w = 0; w < 2; ++w) made.warp(std::vector<std::uint32_t>(50, op));
  made.replay(2, 2);
  EXPECT_NEAR(made.run.blocks[0].end, 150, 3) << "as if it were alone";
  EXPECT_GT(made.run.blocks[1].end, 220);
}

// Yield gives the turn away, to the warp that greed would have kept waiting.
TEST(Sm, AYieldEndsAWarpsTurn) {
  const auto kept_waiting = [](bool yield) {
    MadeBlock made;
    made.machine.issue.policy = machine::IssuePolicy::kGreedyOldest;
    const std::uint32_t pauses = made.op(plain(3));
    TimedOp runs = plain();
    runs.yield = yield;
    const std::uint32_t younger = made.op(runs);
    made.warp({pauses, pauses, pauses, pauses});
    made.warp(std::vector<std::uint32_t>(8, younger));
    made.replay();
    return made.stall(pauses, launch::Stall::kNotSelected);
  };
  EXPECT_EQ(kept_waiting(true), 0) << "the older is taken whenever it is ready";
  EXPECT_GT(kept_waiting(false), 0);
}

TEST(Sm, BlocksFollowOneAnother) {
  MadeBlock made;
  const std::uint32_t op = made.op(plain(4));
  made.warp(std::vector<std::uint32_t>(50, op));
  made.replay(6, 2);
  ASSERT_EQ(made.run.blocks.size(), 6u);
  std::vector<double> ends;
  for (const BlockTimes& b : made.run.blocks) ends.push_back(b.end);
  std::sort(ends.begin(), ends.end());
  for (std::size_t b = 2; b < 6; ++b) {
    EXPECT_EQ(made.run.blocks[b].begin, ends[b - 2]) << "two at a time";
  }
  EXPECT_NEAR(made.run.end, 3 * (4 * 49 + 1), 6);
  EXPECT_EQ(made.run.replayed, 300u);
}

// Warps that go over lines of their own twice, of which the middle is left out: how many of the
// lines that they ask for once more L1 has still.
double found_again(std::size_t warps) {
  constexpr std::uint32_t kLines = 200, kAgain = 8;
  MadeBlock made;
  TimedOp load = shared_load(7);
  load.queue_global = true;
  const std::uint32_t op = made.op(load);
  Sections sections;
  for (std::size_t w = 0; w < warps; ++w) {
    made.warp(std::vector<std::uint32_t>(2 * kLines, op));
    sections.push_back({{0, 1, 1}, {kLines, kLines + kAgain, 1}});
    for (std::uint32_t k = 0; k < 2 * kLines; ++k) {
      Request r;
      r.load = true;
      r.lanes = 32;
      r.bytes = 4;
      r.wavefronts = 1;
      r.lines = 1;
      r.first_line = static_cast<std::uint32_t>(made.trace.lines.size());
      made.trace.lines.emplace_back((1 << 20) + (w * kLines + k % kLines) * kLineBytes, 0xf);
      made.request(w, k, r);
    }
  }
  const std::vector<BlockJob> jobs(
      1, {.trace = &made.trace, .sections = &sections, .own = {}, .others = {}});
  StrideTable strides;
  strides.of.resize(1);
  MemorySystem memory(made.machine, strides, {});
  Account account(1);
  Sm sm(made.machine, made.code, memory, account, {.resident = 1});
  sm.run(jobs);
  return memory.take_traffic().l1_hits / (4.0 * kAgain * static_cast<double>(warps));
}

TEST(Sm, WhatIsLeftOutPushesLinesOutOfL1) {
  EXPECT_DOUBLE_EQ(found_again(4), 1) << "L1 has room for all";
  EXPECT_LT(found_again(32), 0.5) << "three times as many as there is room for, until some end";
}

}  // namespace
}  // namespace burin::timing
