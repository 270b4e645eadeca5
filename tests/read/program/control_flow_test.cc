// Does the graph of blocks say where lanes go?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "program_builder.h"

namespace burin::read {
namespace {

using test::kTrue;
using test::R;
using test::UP;
using test::UR;
using test::WrittenProgram;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr auto kFall = Edge::Kind::kFallThrough;
constexpr auto kTaken = Edge::Kind::kBranch;

MATCHER_P2(Goes, kind, block, "") {
  return arg.kind == kind && arg.block == block;
}

TEST(ControlFlow, EmptyCodeHasNoBlocks) {
  const WrittenProgram p;
  const Kernel k = p.build();
  EXPECT_TRUE(k.blocks.empty());
  EXPECT_TRUE(k.entries.empty());
  EXPECT_TRUE(k.loops.empty());
}

TEST(ControlFlow, IfElse) {
  WrittenProgram p;
  p.op("MOV");
  p.op("BRA").when(0).to(4);
  p.op("MOV");
  p.op("BRA").to(5);
  p.op("MOV");
  p.op("EXIT");
  const Kernel k = p.build();
  ASSERT_EQ(k.blocks.size(), 4u);
  EXPECT_THAT(k.blocks[0].successors, ElementsAre(Goes(kTaken, 2u), Goes(kFall, 1u)));
  EXPECT_THAT(k.blocks[1].successors, ElementsAre(Goes(kTaken, 3u)));
  EXPECT_THAT(k.blocks[2].successors, ElementsAre(Goes(kFall, 3u)));
  EXPECT_THAT(k.blocks[3].successors, IsEmpty());
  EXPECT_THAT(k.blocks[3].predecessors, ElementsAre(Goes(kTaken, 1u), Goes(kFall, 2u)));
  EXPECT_TRUE(k.blocks[3].exits);
  EXPECT_FALSE(k.blocks[0].exits);
  EXPECT_THAT(k.block_of, ElementsAre(0, 0, 1, 1, 2, 3));
  EXPECT_EQ(k.blocks[3].immediate_dominator, 0u);
  EXPECT_EQ(k.blocks[0].immediate_post_dominator, 3u);
  EXPECT_TRUE(k.dominates(0, 3));
  EXPECT_FALSE(k.dominates(1, 3));
  EXPECT_TRUE(k.post_dominates(3, 1));
}

TEST(ControlFlow, PredicatedExitGoesOn) {
  WrittenProgram p;
  p.op("EXIT").when(0);
  p.op("EXIT");
  const Kernel k = p.build();
  ASSERT_EQ(k.blocks.size(), 2u);
  EXPECT_TRUE(k.blocks[0].exits);
  EXPECT_THAT(k.blocks[0].successors, ElementsAre(Goes(kFall, 1u)));
  EXPECT_EQ(k.blocks[0].immediate_post_dominator, kNoIndex);
  EXPECT_FALSE(k.post_dominates(1, 0));
}

TEST(ControlFlow, ConditionsOtherThanTheGuard) {
  WrittenProgram p;
  p.op("BRA").reads(UP(0)).to(6);                      // BRA.U
  p.op("BRA").modifier("DIV").reads(UR(kTrue)).to(6);  // BRA.DIV ~URZ
  p.op("BRA").reads(test::P(kTrue)).to(4);             // PT: always
  p.op("NOP");                                         // skipped
  p.op("BRA").reads_not(test::P(kTrue)).to(3);         // !PT: never
  p.op("BRA").unless(kTrue).to(3);                     // @!PT: never, ends nothing
  p.op("EXIT");
  const Kernel k = p.build();
  ASSERT_EQ(k.blocks.size(), 7u);
  EXPECT_THAT(k.blocks[0].successors, ElementsAre(Goes(kTaken, 6u), Goes(kFall, 1u)));
  EXPECT_THAT(k.blocks[1].successors, ElementsAre(Goes(kTaken, 6u), Goes(kFall, 2u)));
  EXPECT_THAT(k.blocks[2].successors, ElementsAre(Goes(kTaken, 4u)));
  EXPECT_FALSE(k.blocks[3].reachable);
  EXPECT_THAT(k.blocks[4].successors, ElementsAre(Goes(kFall, 5u)));
  EXPECT_THAT(k.blocks[5].successors, ElementsAre(Goes(kFall, 6u)));
}

TEST(ControlFlow, IndirectBranch) {
  WrittenProgram p;
  p.op("BRX").reads(R(2), 2);
  for (int i = 0; i < 3; ++i) p.op("EXIT");
  p.function.indirect_branches = {{0, {48, 16, 48, 999}}};
  const Kernel known = p.build();
  EXPECT_THAT(known.blocks[0].successors,
              ElementsAre(Goes(Edge::Kind::kIndirect, 1u), Goes(Edge::Kind::kIndirect, 3u)));
  EXPECT_FALSE(known.blocks[0].unresolved);
  EXPECT_FALSE(known.blocks[2].reachable);

  p.function.indirect_branches.clear();
  const Kernel unknown = p.build();
  EXPECT_TRUE(unknown.blocks[0].unresolved);
  EXPECT_THAT(unknown.blocks[0].successors, IsEmpty());
}

TEST(ControlFlow, PlacesOutsideTheCodeAreUnresolved) {
  for (std::int64_t target : {-1, 2, 1 << 20}) {
    WrittenProgram p;
    p.op("BRA").when(0).to(target);
    p.op("EXIT");
    EXPECT_TRUE(p.build().blocks[0].unresolved) << target;
  }
  WrittenProgram p;  // runs off the end
  p.op("MOV");
  EXPECT_TRUE(p.build().blocks[0].unresolved);
}

TEST(ControlFlow, RelocatedBranchFollowsItsLabelOnly) {
  WrittenProgram p;
  p.op("BRA").to(1);
  p.op("EXIT");
  p.op("EXIT");
  p.function.relocations = {{0, 1, "elsewhere", 0}};
  EXPECT_TRUE(p.build().blocks[0].unresolved);
  p.function.labels = {{32, "elsewhere"}};
  EXPECT_THAT(p.build().blocks[0].successors, ElementsAre(Goes(kTaken, 2u)));
}

TEST(ControlFlow, LocalFunctionIsAGraphOfItsOwn) {
  WrittenProgram p;
  p.op("CALL").to(3);
  p.op("CALL").to(3);
  p.op("EXIT");
  p.op("MOV");
  p.op("RET").reads(R(20), 2).to(0);
  const Kernel k = p.build();
  ASSERT_EQ(k.blocks.size(), 4u);
  EXPECT_THAT(k.entries, ElementsAre(0, 3));
  EXPECT_THAT(k.blocks[0].successors, ElementsAre(Goes(Edge::Kind::kReturn, 1u)));
  EXPECT_EQ(k.blocks[0].callee, 3u);
  EXPECT_TRUE(k.blocks[3].reachable);
  EXPECT_TRUE(k.blocks[3].returns);
  EXPECT_THAT(k.blocks[3].predecessors, IsEmpty());
  EXPECT_EQ(k.blocks[3].immediate_dominator, kNoIndex);
  EXPECT_FALSE(k.dominates(0, 3));
  EXPECT_TRUE(k.post_dominates(2, 0));
}

TEST(ControlFlow, CallThroughARegisterLeavesTheCode) {
  WrittenProgram p;
  p.op("CALL").reads(R(2), 2).to(2);
  p.op("EXIT");
  p.op("EXIT");
  const Kernel k = p.build();
  EXPECT_EQ(k.blocks[0].callee, kNoIndex);
  EXPECT_THAT(k.entries, ElementsAre(0));
  EXPECT_FALSE(k.blocks[2].reachable);
}

TEST(ControlFlow, PredicatedCallAlsoFallsThrough) {
  WrittenProgram p;
  p.op("CALL").when(0).to(2);
  p.op("EXIT");
  p.op("RET");
  EXPECT_THAT(p.build().blocks[0].successors,
              ElementsAre(Goes(Edge::Kind::kReturn, 1u), Goes(kFall, 1u)));
}

TEST(ControlFlow, LabelIsAnEntryEvenWithoutACall) {
  WrittenProgram p;
  p.op("EXIT");
  p.op("RET");
  EXPECT_FALSE(p.build().blocks[1].reachable);
  p.function.labels = {{16, "f"}};
  EXPECT_TRUE(p.build().blocks[1].reachable);
}

TEST(ControlFlow, ConvergencePointBeginsABlock) {
  WrittenProgram p;
  p.op("BSSY").to(3);
  p.op("BRA").when(0).to(2);
  p.op("BSYNC");
  p.op("EXIT");
  const Kernel k = p.build();
  ASSERT_EQ(k.blocks.size(), 3u);
  EXPECT_EQ(k.blocks[2].first, 3u);
  EXPECT_THAT(k.blocks[0].successors, ElementsAre(Goes(kTaken, 1u), Goes(kFall, 1u)));
  EXPECT_THAT(k.blocks[1].successors, ElementsAre(Goes(kFall, 2u)));
}

TEST(ControlFlow, TrapAndUnknownWordsGoOn) {
  WrittenProgram p;
  p.op("BPT");
  p.op("some unknown word");
  p.op("EXIT");
  const Kernel k = p.build();
  EXPECT_EQ(k.blocks.size(), 1u);
  EXPECT_FALSE(k.blocks[0].unresolved);
}

TEST(ControlFlow, PaddingIsUnreachableAndNoLoop) {
  WrittenProgram p;
  p.op("EXIT");
  p.op("BRA").to(1);
  p.op("NOP");
  p.op("NOP");
  const Kernel k = p.build();
  ASSERT_EQ(k.blocks.size(), 3u);
  EXPECT_TRUE(k.blocks[0].reachable);
  EXPECT_FALSE(k.blocks[1].reachable);
  EXPECT_FALSE(k.blocks[2].reachable);
  EXPECT_TRUE(k.loops.empty());
  EXPECT_FALSE(k.dominates(0, 1));
  EXPECT_TRUE(k.dominates(1, 1));
}

TEST(ControlFlow, EndlessLoopLeavesFromItsLastBlock) {
  WrittenProgram p;
  p.op("MOV");
  p.op("MOV");
  p.op("BRA").when(0).to(4);
  p.op("MOV");
  p.op("BRA").to(1);
  const Kernel k = p.build();
  ASSERT_EQ(k.loops.size(), 1u);
  EXPECT_TRUE(k.loops[0].exits.empty());
  EXPECT_EQ(k.blocks[1].immediate_post_dominator, 3u);
  EXPECT_EQ(k.blocks[3].immediate_post_dominator, kNoIndex);
}

TEST(Lines, RowHoldsUntilTheNext) {
  WrittenProgram p;
  for (int i = 0; i < 4; ++i) p.op("EXIT");
  p.function.lines = {{16, 5}, {48, -1}};
  const Kernel k = p.build();
  EXPECT_EQ(k.location_at(0), -1);
  EXPECT_EQ(k.location_at(16), 5);
  EXPECT_EQ(k.location_at(32), 5);
  EXPECT_EQ(k.location_at(48), -1);
}

}  // namespace
}  // namespace burin::read
