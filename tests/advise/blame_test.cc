// Does every stall find who caused it? Programs by hand; blame_kernels_test.cc has real ones.
#include "advise/blame/blame.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "advise/blame/sources.h"
#include "blamed.h"

namespace burin::advise {
namespace {

using test::Blamed;

using test::R;
using test::WrittenProgram;
using testing::DoubleNear;
using testing::ElementsAre;
using testing::Pair;

void pad(WrittenProgram& p, int count, int stall = 1) {
  for (int k = 0; k < count; ++k) p.op("NOP").stall(stall);
}

// Figure 4 of the paper, a local load in place of its constant one: on today's GPUs LDC is not
// waited for as memory.
struct Figure4 {
  WrittenProgram p;
  Figure4() {
    p.op("LDL").unless(0).writes(R(0)).sets(0);  // 0: 10 instructions before the sum
    p.op("BRA").when(1).to(8);
    pad(p, 3);
    p.op("LDG").when(0).writes(R(0)).sets(0);  // 5: 5 before
    pad(p, 1);
    p.op("BRA").to(10);
    p.op("MOV").writes(R(0));  // 8: arithmetic, which the wait is not for
    pad(p, 1);
    pad(p, 2);
    p.op("MOV").writes(R(8)).reads(R(0)).waits(1);  // 12
    p.op("EXIT");
  }
};

TEST(Blame, Figure4SharesFourStallsAsTwoAndTwo) {
  const Figure4 figure;
  Blamed b(figure.p);
  b.issued(0, 2).issued(5, 1).issued(8, 3).stalled(12, launch::Stall::kLongScoreboard, 4);
  EXPECT_THAT(b.causes(12),
              ElementsAre(Pair(0, DoubleNear(2, 1e-9)), Pair(5, DoubleNear(2, 1e-9))));
  // The other way from the first load is shorter: 6 instructions, 8 on average.
  const double first = 2.0 / 8, second = 1.0 / 5;
  EXPECT_THAT(b.causes(12, {.average_path = true}),
              ElementsAre(Pair(0, DoubleNear(4 * first / (first + second), 1e-9)),
                          Pair(5, DoubleNear(4 * second / (first + second), 1e-9))));
  for (const BlamedStall& stall : b.blame().stalls) {
    EXPECT_EQ(stall.distance, stall.cause == 0 ? 10u : 5u);
    EXPECT_EQ(stall.dependency,
              stall.cause == 0 ? Dependency::kLocalMemory : Dependency::kGlobalMemory);
    EXPECT_NEAR(stall.cycles.active, stall.cycles.sum() / 4, 1e-9);
  }
}

TEST(Blame, CoverageCountsInstructionsWithOneSource) {
  const Figure4 figure;
  Blamed b(figure.p);
  b.issued(0, 2).issued(5, 1).stalled(12, launch::Stall::kLongScoreboard, 4);
  EXPECT_NEAR(b.blame().coverage_before, 2.0 / 3, 1e-9);
  EXPECT_NEAR(b.blame().coverage_after, 2.0 / 3, 1e-9);
  // The arithmetic alone is left for a wait: the instruction before it.
  Blamed waits(figure.p);
  waits.issued(0, 2).stalled(12, launch::Stall::kWait, 4);
  EXPECT_NEAR(waits.blame().coverage_before, 0.5, 1e-9);
  EXPECT_NEAR(waits.blame().coverage_after, 1, 1e-9);
}

TEST(Blame, OpcodePruningTellsMemoryFromTheRest) {
  WrittenProgram p;
  p.op("LDG").writes(R(0)).sets(0);
  p.op("MUFU").writes(R(1)).sets(0);
  p.op("MOV").reads(R(0)).reads(R(1)).waits(1);
  Blamed b(p);
  b.stalled(2, launch::Stall::kLongScoreboard, 8);
  EXPECT_THAT(b.causes(2), ElementsAre(Pair(0, 8)));
  EXPECT_EQ(b.only().dependency, Dependency::kGlobalMemory);
  Blamed s(p);
  s.stalled(2, launch::Stall::kShortScoreboard, 8);
  EXPECT_THAT(s.causes(2), ElementsAre(Pair(1, 8)));
  EXPECT_EQ(s.only().dependency, Dependency::kArithmetic);
}

TEST(Blame, DominatorPruningEndsAtWhoeverWaitedBefore) {
  WrittenProgram p;
  p.op("LDG").writes(R(0)).sets(0);
  p.op("MOV").reads(R(0)).waits(1);  // has waited for it
  p.op("LDL").writes(R(2)).sets(0);
  p.op("MOV").reads(R(0)).reads(R(2)).waits(1);
  Blamed b(p);
  b.stalled(3, launch::Stall::kLongScoreboard, 8);
  EXPECT_THAT(b.causes(3), ElementsAre(Pair(2, 8)));

  WrittenProgram skipped;
  skipped.op("LDG").writes(R(0)).sets(0);
  skipped.op("BRA").when(0).to(3);
  skipped.op("MOV").reads(R(0)).waits(1);  // only on one of two ways
  skipped.op("LDL").writes(R(2)).sets(0);
  skipped.op("MOV").reads(R(0)).reads(R(2)).waits(1);
  Blamed both(skipped);
  both.issued(0, 1).issued(3, 1).stalled(4, launch::Stall::kLongScoreboard, 8);
  EXPECT_THAT(both.causes(4, {.prune_by_order = false}),
              ElementsAre(Pair(0, testing::Gt(0)), Pair(3, testing::Gt(0))));
}

// The source is out as soon as it must be done before, and not a cycle sooner.
TEST(Blame, LatencyPruningIsTight) {
  for (const int late : {0, 1}) {
    WrittenProgram p;
    p.op("MUFU").writes(R(0)).sets(0).stall(1);
    const int bound = static_cast<int>(latency_bound(p.instructions[0], timing::h200()));
    pad(p, bound - 2 + late);
    p.op("LDS").writes(R(1)).sets(0).stall(1);
    p.op("MOV").reads(R(0)).reads(R(1)).waits(1);
    const auto waits = p.here() - 1;
    Blamed b(p);
    b.issued(0, 1).issued(waits - 1, 1).stalled(waits, launch::Stall::kShortScoreboard, 8);
    EXPECT_EQ(b.causes(waits).contains(0), late == 0);
    EXPECT_TRUE(b.causes(waits).contains(waits - 1));
  }
}

TEST(Blame, TheLastSourceIsNeverPruned) {
  WrittenProgram p;
  p.op("MUFU").writes(R(0)).sets(0);
  pad(p, 40, 15);
  p.op("MOV").reads(R(0)).waits(1);
  Blamed b(p);
  b.stalled(41, launch::Stall::kShortScoreboard, 8);
  EXPECT_THAT(b.causes(41), ElementsAre(Pair(0, 8)));
  Blamed odd(p);
  odd.stalled(41, launch::Stall::kLongScoreboard, 8);
  EXPECT_THAT(odd.causes(41), ElementsAre(Pair(0, 8)));
}

// Of two loads that are waited for together the later comes last, unless it may not execute.
TEST(Blame, OrderPruningLeavesTheLast) {
  WrittenProgram p;
  p.op("LDG").writes(R(0)).sets(0);
  p.op("LDG").writes(R(1)).sets(0);
  p.op("MUFU").writes(R(2)).sets(0);  // another unit: does not follow
  p.op("MOV").reads(R(0)).reads(R(1)).waits(1);
  Blamed b(p);
  b.issued(0, 1).issued(1, 1).stalled(3, launch::Stall::kLongScoreboard, 10);
  EXPECT_THAT(b.causes(3), ElementsAre(Pair(1, 10)));
  EXPECT_THAT(b.causes(3, {.prune_by_order = false}),
              ElementsAre(Pair(0, DoubleNear(4, 1e-9)), Pair(1, DoubleNear(6, 1e-9))));
  p.instructions[1].guard = {.index = 0};
  Blamed guarded(p);
  guarded.issued(0, 1).issued(1, 1).stalled(3, launch::Stall::kLongScoreboard, 10);
  EXPECT_EQ(guarded.causes(3).size(), 2u);
}

TEST(Blame, ScoreboardsAreMatchedExactly) {
  WrittenProgram p;
  p.op("LDG").writes(R(0)).sets(0);
  p.op("LDG").writes(R(1)).sets(1);
  p.op("MOV").reads(R(0)).waits(1);
  p.op("MOV").reads(R(1)).waits(2);
  Blamed b(p);
  b.stalled(2, launch::Stall::kLongScoreboard, 5).stalled(3, launch::Stall::kLongScoreboard, 7);
  EXPECT_THAT(b.causes(2), ElementsAre(Pair(0, 5)));
  EXPECT_THAT(b.causes(3), ElementsAre(Pair(1, 7)));
}

TEST(Blame, ReadBarriersAreWriteAfterRead) {
  WrittenProgram p;
  p.op("STG").reads(R(4)).frees(2);
  p.op("MOV").writes(R(4)).waits(4);
  Blamed b(p);
  b.stalled(1, launch::Stall::kShortScoreboard, 5);
  EXPECT_EQ(b.only().dependency, Dependency::kWriteAfterRead);
  EXPECT_EQ(b.only().cause, 0u);
}

TEST(Blame, SamplesBehindDepbarAreIts) {
  WrittenProgram p;
  p.op("LDGDEPBAR").sets(0);
  p.op("LDGDEPBAR").sets(0);
  p.op("DEPBAR").until(0, 1);
  p.op("BAR");
  Blamed b(p);
  b.stalled(3, launch::Stall::kLongScoreboard, 5);
  EXPECT_EQ(b.only().waits, 2u);
  EXPECT_EQ(b.only().cause, 0u);  // the last may still be under way
  EXPECT_EQ(b.only().dependency, Dependency::kGlobalMemory);
}

TEST(Blame, WaitIsTheDoingOfWhoeverAskedForIt) {
  WrittenProgram p;
  p.op("MOV").stall(13);
  p.op("BRA").when(0).to(4).stall(5);
  p.op("MOV").stall(1);
  p.op("NOP").stall(3);
  p.op("MOV").stall(2);  // reached from 1 and from 3
  Blamed b(p);
  b.issued(1, 10)
      .issued(3, 5)
      .stalled(1, launch::Stall::kWait, 12)
      .stalled(4, launch::Stall::kWait, 50);
  EXPECT_THAT(b.causes(1), ElementsAre(Pair(0, 12)));
  // 10 times 4 cycles and 5 times 2.
  EXPECT_THAT(b.causes(4),
              ElementsAre(Pair(1, DoubleNear(40, 1e-9)), Pair(3, DoubleNear(10, 1e-9))));
  for (const BlamedStall& stall : b.blame().stalls) {
    EXPECT_EQ(stall.dependency, stall.cause == 1 ? Dependency::kControl : Dependency::kArithmetic);
  }
}

TEST(Blame, AStallCountMayBeForAnEarlierResult) {
  WrittenProgram p;
  p.op("MOV").writes(R(0)).stall(2);
  p.op("MOV").writes(R(9)).stall(6);
  p.op("MOV").reads(R(0)).stall(4);
  p.op("MOV").reads(R(0)).reads(R(9)).stall(2);  // has had both
  p.op("MOV").reads(R(0));
  Blamed b(p);
  b.stalled(2, launch::Stall::kWait, 5).stalled(4, launch::Stall::kWait, 1);
  EXPECT_THAT(b.causes(2), ElementsAre(Pair(0, 5)));
  EXPECT_THAT(b.causes(4), ElementsAre(Pair(3, 1)));
  EXPECT_EQ(b.blame().stalls.front().distance, 2u);
}

TEST(Blame, BranchesAreWaitedForBehindThem) {
  WrittenProgram p;
  p.op("BRA").when(0).to(2);
  p.op("NOP");
  p.op("MOV");
  Blamed b(p);
  b.stalled(2, launch::Stall::kBranchResolving, 9);
  EXPECT_EQ(b.only().cause, 0u);
  EXPECT_EQ(b.only().dependency, Dependency::kControl);
}

TEST(Blame, BarriersDeferBlocking) {
  WrittenProgram p;
  p.op("BAR");
  pad(p, 20);
  p.op("LDS").writes(R(0));
  Blamed b(p);
  b.stalled(21, launch::Stall::kBarrier, 9);
  EXPECT_EQ(b.only().cause, 0u);
  EXPECT_EQ(b.only().dependency, Dependency::kSynchronization);
  EXPECT_EQ(b.only().distance, 21u);
}

TEST(Blame, BarriersAreFoundRoundALoop) {
  WrittenProgram p;
  p.op("LDS");
  p.op("BAR");
  p.op("BRA").when(0).to(0);
  p.op("EXIT");
  Blamed b(p);
  b.stalled(0, launch::Stall::kBarrier, 9);
  EXPECT_EQ(b.only().cause, 1u);
  EXPECT_EQ(b.only().distance, 2u);
}

TEST(Blame, ConstantsAreTheReadersOwn) {
  WrittenProgram p;
  p.op("MOV").writes(R(0)).reads_constant();
  Blamed b(p);
  b.stalled(0, launch::Stall::kImcMiss, 9);
  EXPECT_EQ(b.only().cause, 0u);
  EXPECT_EQ(b.only().dependency, Dependency::kConstantMemory);
}

TEST(Blame, ProductsAreWaitedForTogether) {
  WrittenProgram p;
  p.op("HGMMA");
  p.op("HGMMA");
  p.op("NOP");
  p.op("WARPGROUP");
  Blamed b(p);
  b.stalled(3, launch::Stall::kGmma, 9);
  EXPECT_EQ(b.only().cause, 1u);
}

TEST(Blame, ThrottlesAreTheirOwnAndTheUnexplainedIsUnknown) {
  WrittenProgram p;
  p.op("LDG").writes(R(0)).sets(0);
  p.op("MOV");
  Blamed b(p);
  b.stalled(1, launch::Stall::kLgThrottle, 9);
  EXPECT_EQ(b.only().dependency, Dependency::kOwn);
  EXPECT_EQ(b.only().cause, 1u);
  Blamed unknown(p);
  unknown.stalled(1, launch::Stall::kLongScoreboard, 9);  // waits for no scoreboard
  EXPECT_EQ(unknown.only().dependency, Dependency::kUnknown);
  EXPECT_EQ(unknown.only().cause, 1u);
}

TEST(Blame, RowsBeyondTheCodeAreUnattributed) {
  WrittenProgram p;
  p.op("EXIT");
  Blamed b(p);
  b.issued(0, 3).stalled(7, launch::Stall::kWait, 9);
  EXPECT_EQ(b.blame().unattributed, 9);
  EXPECT_EQ(b.blame().total, 12);
}

TEST(Blame, AgreementIsTheCommonPartOfEachPlace) {
  BlamedProfile a, b;
  a.stalls = {{.cause = 1,
               .waits = 5,
               .stall = launch::Stall::kWait,
               .dependency = Dependency::kArithmetic,
               .cycles = {.latency = 30}},
              {.cause = 2,
               .waits = 5,
               .stall = launch::Stall::kWait,
               .dependency = Dependency::kArithmetic,
               .cycles = {.latency = 10}},
              {.cause = 3,
               .waits = 9,
               .stall = launch::Stall::kWait,
               .dependency = Dependency::kArithmetic,
               .cycles = {.latency = 40}},
              {.cause = 9,
               .waits = 9,
               .stall = launch::Stall::kMisc,
               .dependency = Dependency::kOwn,
               .cycles = {.latency = 999}}};
  b.stalls = {{.cause = 1,
               .waits = 5,
               .stall = launch::Stall::kWait,
               .dependency = Dependency::kArithmetic,
               .cycles = {.latency = 1}}};
  EXPECT_NEAR(compare(a, b).same, 0.75, 1e-9);
  EXPECT_NEAR(compare(a, b).compared, 0.5, 1e-9);
  EXPECT_NEAR(agreement(a, a), 1, 1e-9);
}

// A warp that ends waits for the last store or atomic that it sent, on each path.
TEST(Blame, DrainIsTheLastStoresDoing) {
  WrittenProgram p;
  p.op("STG").reads(R(2)).reads(R(4));
  p.op("BRA").when(1).to(4);
  p.op("REDG").reads(R(2)).reads(R(5));
  pad(p, 1);
  p.op("EXIT");  // 4
  Blamed b(p);
  b.issued(0, 2).issued(2, 2).stalled(4, launch::Stall::kDrain, 8);
  const std::map<std::uint32_t, double> causes = b.causes(4);
  EXPECT_EQ(causes.size(), 2u);
  EXPECT_GT(causes.at(2), causes.at(0));  // as often, and nearer
  for (const BlamedStall& stall : b.blame().stalls) {
    EXPECT_EQ(stall.dependency, Dependency::kGlobalMemory);
  }
}

TEST(Blame, DrainWithoutAStoreHasNoKnownCause) {
  WrittenProgram p;
  pad(p, 2);
  p.op("EXIT");
  Blamed b(p);
  b.issued(0, 1).stalled(2, launch::Stall::kDrain, 3);
  EXPECT_EQ(b.only().dependency, Dependency::kUnknown);
}

}  // namespace
}  // namespace burin::advise
