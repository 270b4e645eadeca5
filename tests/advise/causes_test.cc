// Are stalls listed by line and by loop, with their causes before and after pruning?
#include "advise/blame/causes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyze/studied.h"
#include "blamed.h"
#include "conserved.h"

namespace burin::advise {
namespace {

using test::Blamed;
using test::R;
using test::WrittenProgram;

// A load and a product that a sum in a loop depends on, and a barrier after it.
WrittenProgram sum_in_loop() {
  WrittenProgram p;
  p.op("MOV").writes(R(1));
  p.op("LDG").writes(R(0)).sets(0);                           // 1: head of the loop
  p.op("MOV").writes(R(2));                                   // 2
  p.op("MOV").writes(R(8)).reads(R(0)).reads(R(2)).waits(1);  // 3
  p.op("BRA").when(0).to(1);                                  // 4
  p.op("EXIT");
  return p;
}

const StallCause* row_of(const std::vector<StallCause>& rows, std::uint32_t cause) {
  const auto at = std::ranges::find(rows, cause, &StallCause::cause);
  return at == rows.end() ? nullptr : &*at;
}

TEST(Causes, PruningMovesTheShareToTheLoad) {
  const WrittenProgram program = sum_in_loop();
  Blamed b(program);
  b.issued(1, 10).issued(2, 10).stalled(3, launch::Stall::kLongScoreboard, 80);
  const BlamedProfile blamed = b.blame({.unpruned = true});
  const StallCauses causes = causes_of(b.kernel(), blamed);
  const StallCause* load = row_of(causes.lines, 1);
  const StallCause* move = row_of(causes.lines, 2);
  ASSERT_NE(load, nullptr);
  ASSERT_NE(move, nullptr);
  EXPECT_NEAR(load->share, 0.8, 1e-9);
  EXPECT_EQ(load->dependency, Dependency::kGlobalMemory);
  EXPECT_EQ(load->pairs, 1u);
  EXPECT_EQ(load->loop, 0u);
  // Equation 1: both issue as often, the load is twice as far away.
  EXPECT_NEAR(*load->share_unpruned, 0.8 / 3, 1e-9);
  EXPECT_NEAR(*move->share_unpruned, 0.8 * 2 / 3, 1e-9);
  EXPECT_EQ(move->share, 0);
  EXPECT_EQ(move->pairs, 0u);
  EXPECT_EQ(move->dependency, Dependency::kArithmetic);
  EXPECT_EQ(blamed.coverage_before, 2.0 / 3);
  EXPECT_EQ(blamed.coverage_after, 1);
  test::expect_conserved(b.kernel(), blamed, "sum");
}

TEST(Causes, LoopsAddUpTheirLines) {
  const WrittenProgram program = sum_in_loop();
  Blamed b(program);
  b.issued(1, 10)
      .stalled(1, launch::Stall::kLgThrottle, 20)
      .stalled(3, launch::Stall::kLgThrottle, 30)
      .stalled(5, launch::Stall::kLgThrottle, 40);
  const StallCauses causes = causes_of(b.kernel(), b.blame());
  EXPECT_EQ(causes.lines.size(), 3u);
  ASSERT_EQ(causes.loops.size(), 2u);
  EXPECT_NEAR(causes.loops[0].share, 0.5, 1e-9);
  EXPECT_EQ(causes.loops[0].loop, 0u);
  EXPECT_EQ(causes.loops[0].waits, 3u);  // the larger
  EXPECT_EQ(causes.loops[0].pairs, 2u);
  EXPECT_EQ(causes.loops[1].loop, read::kNoIndex);
  EXPECT_FALSE(causes.loops[0].share_unpruned.has_value());
}

TEST(Causes, OfAnEmulatedLaunchAreAllOfItsTime) {
  const analyze::Studied triad = analyze::stream();
  const BlamedProfile blamed = blame(triad.study().kernel(), triad.study().base());
  test::expect_conserved(triad.study().kernel(), blamed, "stream");
  EXPECT_GT(causes_of(triad.study().kernel(), blamed).lines.front().share, 0.1);
}

TEST(Causes, OfNoSamplesAreNone) {
  const WrittenProgram program = sum_in_loop();
  const Blamed b(program);
  const StallCauses causes = causes_of(b.kernel(), b.blame());
  EXPECT_TRUE(causes.lines.empty());
  EXPECT_TRUE(causes.loops.empty());
}

}  // namespace
}  // namespace burin::advise
