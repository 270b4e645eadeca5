// How threads are mapped to memory: advice names the indices that the kernel has, and promises what
// the changed kernel gains.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "advise/patterns/mapping/flat_index.h"
#include "advise/patterns/mapping/lane_mapping.h"
#include "advise/patterns/mapping/row_walk.h"
#include "advise/patterns/mapping/search.h"
#include "asked.h"

namespace burin::advise {
namespace {

using testing::HasSubstr;
using testing::Not;

Advised mapped(const std::string& kernel, const launch::Dims& grid,
               const std::vector<std::string>& arguments) {
  return Advised("mapping.fatbin", kernel, {.grid = grid, .block = {256}, .arguments = arguments});
}

Advised particles(const std::string& kernel, std::uint32_t blocks) {
  return mapped(kernel, {blocks}, {"buf:67108864:f32", "buf:8388608:undef", "i32:2097152"});
}

std::vector<std::string> matrices(const std::string& width, const std::string& height) {
  return {"buf:8000000:f32", "buf:8000000:undef", "i32:" + width, "i32:" + height};
}

TEST(FlatIndex, ATranspositionWhoseLastBlockIsNotFull) {
  const auto found = ask("coalescing", mapped("turn", {7797}, matrices("1001", "1994")));
  ASSERT_TRUE(found);
  EXPECT_THAT(found->hint, HasSubstr("a transposition"));
  EXPECT_THAT(found->hint, HasSubstr("x and y are i % 1001 and i / 1001 of the thread index"));
  EXPECT_THAT(found->hint, HasSubstr("--grid 32,63,1 --block 32,8,1"));
}

TEST(FlatIndex, ATranspositionInALoopOverTheGrid) {
  const auto found = ask("coalescing", mapped("turn_all", {264}, matrices("1000", "2000")));
  ASSERT_TRUE(found);
  EXPECT_THAT(found->hint, HasSubstr("x and y are i % 1000 and i / 1000"));
  EXPECT_THAT(found->hint, HasSubstr("The loop over the grid is no longer needed"));
}

// Three indices: i % w is not the width that the addresses of one row suggest.
TEST(FlatIndex, LayersAreNotTakenForARow) {
  const auto found =
      ask("coalescing",
          mapped("turn_layers", {8192},
                 {"buf:8388608:f32", "buf:8388608:undef", "i32:256", "i32:512", "i32:16"}));
  ASSERT_TRUE(found);
  EXPECT_THAT(found->hint, Not(HasSubstr("x and y are i %")));
}

TEST(FlatIndex, ANumberThatIsSplitTheWrongWay) {
  const auto found = ask("coalescing", mapped("scale_columns", {7813}, matrices("1000", "2000")));
  ASSERT_TRUE(found);
  EXPECT_THAT(found->hint, HasSubstr("splits the number i of its thread into i % 2000 and i / "
                                     "2000"));
  EXPECT_THAT(found->hint, HasSubstr("i / 1000 is the row, and i % 1000 the element in it"));
  EXPECT_THAT(found->hint, HasSubstr("The launch stays the same"));
}

// Shared memory does not lower the traffic of DRAM.
TEST(Structures, WhereDramLimitsOnlyTheLayoutHelps) {
  const auto found = ask("coalescing", particles("weigh", 8192));
  ASSERT_TRUE(found);
  EXPECT_THAT(found->hint, HasSubstr("structures of 32 bytes"));
  EXPECT_THAT(found->hint, HasSubstr("structure of arrays"));
  EXPECT_THAT(found->hint, Not(HasSubstr("Otherwise go through shared memory")));
}

// Steps of a loop over the grid are not elements of a row.
TEST(Structures, ALoopOverTheGridWalksAlongNoRow) {
  const Advised launch = particles("weigh_all", 1056);
  EXPECT_FALSE(row_walk(launch.launch_case()));
  const auto found = ask("coalescing", launch);
  ASSERT_TRUE(found);
  EXPECT_THAT(found->hint, HasSubstr("structures of 32 bytes"));
}

TEST(Structures, ResultsOfATileAreStoredAtOnce) {
  const Advised launch = mapped(
      "product", {16, 16}, {"buf:4194304:f32", "buf:4194304:f32", "buf:4194304:undef", "i32:1024"});
  const Case c = launch.launch_case();
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    if (!touches_global(c.at(i))) continue;
    EXPECT_EQ(lane_structure(c, i).bytes, c.at(i).opcode->stores ? 16 : 0) << i;
  }
  const auto found = ask("coalescing", c);
  ASSERT_TRUE(found);
  EXPECT_THAT(found->hint, HasSubstr("Store them with 4 float4 accesses"));
}

TEST(Contractions, OneFindingForAnIndexInTheWrongPlace) {
  const Advised launch = mapped("contract", {4096},
                                {"buf:131072:f32", "buf:131072:f32", "buf:4194304:undef", "i32:32",
                                 "i32:32", "i32:32", "i32:32", "i32:32"});
  EXPECT_FALSE(row_walk(launch.launch_case()));
  const Advice advice = launch.advice();
  const Finding* found = find(advice, "coalescing");
  ASSERT_NE(found, nullptr);
  EXPECT_THAT(found->hint, HasSubstr("Change the order of the array's indices"));
  EXPECT_THAT(found->hint, Not(HasSubstr("of its own")));
  EXPECT_EQ(find(advice, "memory-transaction-reduction"), nullptr);
  EXPECT_EQ(find(advice, "shared-staging"), nullptr);
}

TEST(ElementsPerThread, CalledFunctionsHaveOneElementEach) {
  EXPECT_FALSE(ask("vector-access", mapped("add_squares", {16384},
                                           {"buf:16777216:f32", "buf:16777216:f32",
                                            "buf:16777216:undef", "i32:4194304"})));
}

TEST(ElementsPerThread, LoopsOfDataDependentLength) {
  EXPECT_FALSE(
      ask("vector-access", mapped("count_steps", {4096},
                                  {"buf:4194304:int:100000", "buf:4194304:undef", "i32:1048576"})));
}

TEST(Search, AnUnrolledSearchIsASearch) {
  const Advised launch = mapped(
      "search_unrolled", {1024},
      {"buf:16777216:rowptr:100", "buf:1048576:int:400000000", "buf:1048576:undef", "i32:262144"});
  const read::InstructionSet loads = Searches(launch.launch_case()).loads;
  EXPECT_EQ(std::ranges::count(loads, 1), 22);
  EXPECT_FALSE(ask("vector-access", launch));
  EXPECT_FALSE(ask("coalescing", launch));
}

TEST(Search, AnArrayIsNotCopiedForFewSteps) {
  EXPECT_FALSE(ask("shared-staging", mapped("search", {4096},
                                            {"buf:32768:rowptr:100", "buf:4194304:int:800000",
                                             "buf:4194304:undef", "i32:8192", "i32:1048576"})));
}

// Every block copies the first elements: that costs more than it saves if threads are few.
TEST(Search, TheCopyOfTheFirstStepsIsCounted) {
  const auto gain = [](std::uint32_t blocks) {
    const std::string bytes = std::to_string(1024 * blocks);
    const auto found = ask(
        "coalescing",
        mapped("search", {blocks},
               {"buf:67108864:rowptr:100", "buf:" + bytes + ":int:1600000000",
                "buf:" + bytes + ":undef", "i32:16777216", "i32:" + std::to_string(256 * blocks)}));
    return found ? found->speedup : 1;
  };
  const double few = gain(2048);
  EXPECT_LT(few, 1.1);
  EXPECT_GT(gain(8192), few);
}

// All lanes would execute a long body that one in thirty takes.
TEST(Choices, LongBodiesStayBranches) {
  const auto found =
      ask("divergence", mapped("rare_power", {1024},
                               {"buf:67108864:f32", "buf:1048576:undef", "i32:262144", "i32:64"}));
  EXPECT_FALSE(found && found->hint.find("?:") != std::string::npos);
}

}  // namespace
}  // namespace burin::advise
