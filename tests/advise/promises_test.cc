// Does a promise leave out what the changed code still has to do, and is the change possible?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "advise/patterns/code/division.h"
#include "advise/patterns/code/lanes.h"
#include "advise/patterns/mapping/one_thread.h"
#include "advise/patterns/mapping/register_tile.h"
#include "advise/patterns/reductions/carried.h"
#include "asked.h"

namespace burin::advise {
namespace {

using testing::HasSubstr;
using testing::Not;

Advised draws(std::uint32_t blocks) {
  const std::string bytes = std::to_string(std::uint64_t{blocks} * 256);
  return {"promises.fatbin",
          "draws",
          {.grid = {blocks},
           .block = {64},
           .arguments = {"buf:" + bytes + ":int:100000", "buf:" + bytes + ":undef", "i32:500"}}};
}
Advised exact_roots() {
  return {"promises.fatbin",
          "exact_roots",
          {.grid = {1056}, .block = {256}, .arguments = {"buf:1081344:f32", "buf:1081344:undef"}}};
}
Advised solves() {
  return {"sharing.fatbin",
          "solves",
          {.grid = {20}, .block = {128}, .arguments = {"buf:65536:f32", "buf:10240:f32"}}};
}
Advised decays() {
  return {"sharing.fatbin",
          "decays",
          {.grid = {132},
           .block = {128},
           .arguments = {"buf:540672:f32", "buf:540672:undef", "i32:1024"}}};
}
std::string hint_of(const std::optional<Finding>& found) {
  return found ? found->hint : "";
}

// Four elements per thread: a quarter of the SMs has work, which takes four times as long.
TEST(FewerThreads, ArithmeticOfFewBlocksStaysOnItsSms) {
  EXPECT_FALSE(find(draws(8).advice(), "vector-access"));
  EXPECT_FALSE(find(draws(64).advice(), "vector-access"));
  EXPECT_FALSE(find(draws(512).advice(), "vector-access"));
}

TEST(FewerThreads, LoopsAreRepeatedForEachElement) {
  EXPECT_FALSE(find(exact_roots().advice(), "vector-access"));
}

TEST(FewerThreads, AFewInstructionsPerElementStillGain) {
  const Advised map("stream", "saxpy",
                    {.grid = {2112},
                     .block = {256},
                     .arguments = {"f32:2", "buf:2162688:f32", "buf:2162688:f32", "i32:540672"}});
  const auto found = ask("vector-access", map);
  ASSERT_TRUE(found);
  EXPECT_GT(found->speedup, 1);
}

TEST(FastMath, NoFlagChangesFunctionsThatNameTheirRounding) {
  const Advised launch = exact_roots();
  Case c = launch.launch_case();
  c.source_line = [](std::string_view, std::uint32_t) {
    return "for (int k = 1; k < 24; ++k) sum += __fsqrt_rn(v * v + k);";
  };
  const auto named = ask("fast-math", c);
  ASSERT_TRUE(named);
  EXPECT_THAT(named->text, HasSubstr("precise version of __fsqrt_rn"));
  EXPECT_THAT(named->hint, HasSubstr("x * rsqrtf(x)"));
  EXPECT_THAT(named->hint, Not(HasSubstr("-prec-sqrt=false")));
  // Without the source it may be either.
  EXPECT_THAT(hint_of(ask("fast-math", launch)), HasSubstr("(__fsqrt_rn, __fdiv_rn) ignore"));
  c.source_line = [](std::string_view, std::uint32_t) { return "sum += sqrtf(v * v + k);"; };
  const auto plain = ask("fast-math", c);
  EXPECT_THAT(hint_of(plain), HasSubstr("compile with -prec-sqrt=false."));
  EXPECT_THAT(hint_of(plain), Not(HasSubstr("ignore")));
}

TEST(CarriedValues, ResultsThatOtherThreadsNeedInTheNextIteration) {
  const Advised launch = solves();
  const Case c = launch.launch_case();
  bool in_order = false;
  for (std::uint32_t loop = 0; loop < c.kernel.loops.size(); ++loop) {
    in_order |= CarriedValues(c, loop).in_order();
  }
  EXPECT_TRUE(in_order);
  EXPECT_THAT(hint_of(ask("coalescing", launch)), Not(HasSubstr("share a row")));
  EXPECT_THAT(hint_of(ask("divergence", launch)), Not(HasSubstr("first threads of the block")));
}

// Eight elements per lane, each loaded after the test of the one before.
TEST(Coalescing, ASearchAlongARowTakesTheLatencyOfItsSteps) {
  const Advised launch("sharing.fatbin", "finds_first",
                       {.grid = {32},
                        .block = {128},
                        .arguments = {"buf:4M:f32", "buf:16384:undef", "i32:256", "f32:0.99"}});
  const auto found = ask("coalescing", launch);
  ASSERT_TRUE(found);
  EXPECT_THAT(found->hint, HasSubstr("share a row"));
  const double promised = launch.study().base().time_us / found->speedup;
  EXPECT_GT(promised, 2);  // 5.9 µs with a warp per row; 1 µs of DRAM
  EXPECT_LT(promised, 9);
}

TEST(OneThread, ARecurrenceIsNotShared) {
  const Advised launch = decays();
  EXPECT_TRUE(one_thread_loops(launch.launch_case(), lanes_of(launch.study())).names.empty());
  EXPECT_FALSE(find(launch.advice(), "warp-balance"));
  EXPECT_FALSE(find(launch.advice(), "divergence"));
}

TEST(RegisterTile, BlocksThatMultiplyTheirOwnTileHaveNoLargerOne) {
  const Advised launch("sharing.fatbin", "squares_tiles",
                       {.grid = {32, 32},
                        .block = {32, 32},
                        .arguments = {"buf:4M:f32", "buf:4M:undef", "i32:1024"}});
  EXPECT_FALSE(register_tile(launch.launch_case()));
}

TEST(LoopUnrolling, BranchesOfASlowPathAreNoExitTests) {
  const auto found = ask(
      "loop-unrolling",
      Advised(
          "promises.fatbin", "four_roots",
          {.grid = {32}, .block = {1024}, .arguments = {"buf:524288:f32", "buf:524288:undef"}}));
  ASSERT_TRUE(found);
  EXPECT_THAT(found->hint, HasSubstr("each of its 4 iterations has a branch to the slow path"));
  EXPECT_THAT(found->hint, Not(HasSubstr("exit condition")));
}

TEST(StrengthReduction, ADividendThatBeginsWithTheThreadWrapsAround) {
  const Advised launch(
      "promises.fatbin", "around",
      {.grid = {1056},
       .block = {256},
       .arguments = {"buf:1081344:f32", "buf:1081344:undef", "i32:270336", "i32:64"}});
  const auto found = ask("strength-reduction", launch);
  ASSERT_TRUE(found);
  EXPECT_THAT(found->hint, HasSubstr("Divide before the loop only"));
  EXPECT_THAT(found->hint, Not(HasSubstr("two nested loops")));
}

TEST(StrengthReduction, ANegativeRemainderIsNoMask) {
  const Advised launch("promises.fatbin", "remainders",
                       {.grid = {1056},
                        .block = {256},
                        .arguments = {"buf:1081344:int:100000", "buf:1081344:undef", "i32:1013"}});
  for (const Division& d : integer_divisions(launch.launch_case())) EXPECT_TRUE(d.is_signed);
  EXPECT_THAT(hint_of(ask("strength-reduction", launch)), HasSubstr("never negative"));
}

TEST(StrengthReduction, TheLineWithTheDivisionIsNamed) {
  const Advised launch("promises.fatbin", "divides_rows",
                       {.grid = {1056},
                        .block = {32},
                        .arguments = {"buf:4325376:f32", "buf:4325376:undef", "i32:1024"}});
  const auto found = ask("strength-reduction", launch);
  ASSERT_TRUE(found);
  EXPECT_THAT(found->hint, HasSubstr("reciprocal of the divisor at promises.cu:44"));
}

// After the change a block sends one update, not one for each of its elements.
TEST(AtomicContention, AddingUpInRegistersRelievesTheSlices) {
  const Advised launch(
      "promises.fatbin", "adds_all",
      {.grid = {16384}, .block = {256}, .arguments = {"buf:16M:f32", "buf:4:zero"}});
  const auto found = ask("atomic-contention", launch);
  ASSERT_TRUE(found);
  EXPECT_LT(launch.study().base().time_us / found->speedup, 20);  // 16 MiB: 4 µs of DRAM
}

}  // namespace
}  // namespace burin::advise
