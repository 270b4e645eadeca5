// Loops that keep the best of several values, rows that two loops go through, and lanes that what
// they have loaded sends another way. The kernels are those of tests/data/emulate/choices.cu.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "advise/case/source_text.h"
#include "advise/patterns/mapping/row_walk.h"
#include "advise/patterns/reductions/carried.h"
#include "asked.h"

namespace burin::advise {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

Advised nearest() {
  return Advised("choices.fatbin", "nearest",
                 {.grid = {16},
                  .block = {128},
                  .arguments = {"buf:8192:f32", "buf:65536:f32", "buf:8192:undef", "buf:8192:undef",
                                "i32:16384"}});
}
Advised crossings() {
  return Advised("choices.fatbin", "crossings",
                 {.grid = {1024},
                  .block = {256},
                  .arguments = {"buf:1048576:f32", "buf:1024:f32", "buf:1024:f32",
                                "buf:1048576:undef", "i32:256"}});
}
// Of so many warp instructions, on all schedulers.
double h200_seconds(double issued) {
  const machine::Machine machine = timing::h200();
  return machine.seconds(issued / machine.sm.schedulers / machine.sm.count);
}
Advised of_rows(const std::string& kernel, const std::vector<std::string>& arguments) {
  return Advised("choices.fatbin", kernel, {.grid = {256}, .block = {128}, .arguments = arguments});
}

TEST(ChoiceRules, IterationsThatKeepTheBestAreSplitOverTheGrid) {
  const Advised launch = nearest();
  const Case c = launch.launch_case();
  bool chooses = false;
  for (std::uint32_t l = 0; l < c.kernel.loops.size(); ++l) {
    const CarriedValues carried(c, l);
    chooses |= carried.chooses() && carried.only_reductions() && !carried.in_order();
  }
  EXPECT_TRUE(chooses);
  const auto found = ask("block-increase", launch);
  ASSERT_TRUE(found);
  EXPECT_GT(found->speedup, 3);
  EXPECT_THAT(found->hint, HasSubstr("stores the best value of its part, with the index"));
  EXPECT_THAT(found->hint, Not(HasSubstr("atomicAdd")));
}

TEST(ChoiceRules, SumsDoNotChoose) {
  const Advised launch =
      of_rows("weigh_squares", {"buf:33554432:f32", "buf:131072:undef", "i32:32768", "i32:16"});
  const Case c = launch.launch_case();
  for (std::uint32_t l = 0; l < c.kernel.loops.size(); ++l) {
    EXPECT_FALSE(CarriedValues(c, l).chooses());
  }
}

TEST(ChoiceRules, InstructionsThatNobodyKnowsCarryNothing) {
  const Advised launch =
      of_rows("weigh_squares", {"buf:33554432:f32", "buf:131072:undef", "i32:32768", "i32:16"});
  const Case intact = launch.launch_case();
  read::Kernel damaged = launch.study().kernel();
  for (read::Instruction& i : damaged.instructions) {
    if (i.known() && i.opcode->loads) i.opcode = nullptr;
  }
  const Case c{.kernel = damaged,
               .machine = intact.machine,
               .blamed = intact.blamed,
               .grid = intact.grid,
               .block = intact.block,
               .study = intact.study,
               .accesses = intact.accesses};
  for (std::uint32_t l = 0; l < c.kernel.loops.size(); ++l) {
    EXPECT_FALSE(CarriedValues(c, l).chooses());
  }
}

TEST(ChoiceRules, ARowThatTwoLoopsGoThroughIsSharedByBoth) {
  const Advised launch =
      of_rows("weigh_squares", {"buf:33554432:f32", "buf:131072:undef", "i32:32768", "i32:16"});
  const auto found = ask("coalescing", launch);
  ASSERT_TRUE(found);
  EXPECT_THAT(found->hint, HasSubstr("(256 elements, 1,024 bytes from lane to lane)"));
  EXPECT_THAT(found->hint, HasSubstr("Let 4 lanes take one iteration of the outer loop: it begins "
                                     "at lane / 4 and advances by 8"));
  EXPECT_THAT(found->hint, HasSubstr("float4 number lane % 4 of that part"));
}

TEST(ChoiceRules, LanesThatCountCombineTheirCounts) {
  const Advised launch = of_rows("count_shared", {"buf:8388608:int:1000", "buf:8388608:int:1000",
                                                  "buf:131072:undef", "i32:32768", "i32:64"});
  const auto walk = row_walk(launch.launch_case());
  ASSERT_TRUE(walk);
  EXPECT_FALSE(walk->stores);
  const auto found = ask("coalescing", launch);
  ASSERT_TRUE(found);
  EXPECT_THAT(found->hint, HasSubstr("combine these after the loop with __shfl_down_sync"));
  EXPECT_THAT(found->hint, HasSubstr("a thread reads it"));
  EXPECT_THAT(found->hint, Not(HasSubstr("No result needs more than one element")));
}

// A warp for each row would leave 31 lanes without work.
TEST(ChoiceRules, RowsThatMustGoInOrderComeInTiles) {
  const auto found =
      ask("coalescing",
          of_rows("sweep_rows", {"buf:67108864:f32", "buf:67108864:f32", "i32:32768", "i32:512"}));
  ASSERT_TRUE(found);
  EXPECT_THAT(found->hint, HasSubstr("tiles of 32 rows × 32 elements"));
  EXPECT_THAT(found->hint, Not(HasSubstr("Let a warp process")));
}

// All lanes execute what they would have skipped: the gain is the branch alone.
TEST(ChoiceRules, AShortBranchIsReplacedByAChoice) {
  const Advised launch = crossings();
  const auto found = ask("divergence", launch);
  ASSERT_TRUE(found);
  EXPECT_THAT(found->hint, HasSubstr("choose the result with ?:"));
  EXPECT_LT(found->speedup, 1.4);
}

TEST(ChoiceRules, TheCheckKeepsTheLaunchsSharedMemory) {
  const Advised launch(
      "choices.fatbin", "weigh_squares",
      {.grid = {256},
       .block = {128},
       .shared_bytes = 2048,
       .arguments = {"buf:33554432:f32", "buf:131072:undef", "i32:32768", "i32:16"}});
  const auto found = ask("coalescing", launch);
  ASSERT_TRUE(found);
  EXPECT_THAT(found->hint, HasSubstr("--smem 2048"));
}

TEST(ChoiceRules, ThreadsOfOneElementTakeFour) {
  const auto found = ask(
      "vector-access", Advised("choices.fatbin", "activate",
                               {.grid = {65536},
                                .block = {256},
                                .arguments = {"buf:67108864:f32", "buf:4096:f32",
                                              "buf:67108864:undef", "i32:16777216", "i32:1000"}}));
  ASSERT_TRUE(found);
  EXPECT_GT(found->speedup, 1.1);
  EXPECT_THAT(found->hint, HasSubstr("Launch a grid of dim3(16384, 1, 1)"));
}

// What names are found by is shared by lanes; what they name stays where it is.
TEST(ChoiceRules, GathersBesideRowsAreNoRows) {
  const Advised launch = of_rows("sum_named", {"buf:67108864:f32", "buf:8388608:int:5000000",
                                               "buf:131072:undef", "i32:32768", "i32:64"});
  const Case c = launch.launch_case();
  bool gathered = false;
  const auto walk = row_walk(c);
  ASSERT_TRUE(walk);
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    if (!touches_global(c.at(i))) continue;
    gathered |= is_gathered(c, i);
    EXPECT_FALSE(is_gathered(c, i) && walk->accesses[i] != 0);
  }
  EXPECT_TRUE(gathered);
  const auto found = ask("coalescing", launch);
  ASSERT_TRUE(found);
  EXPECT_THAT(found->hint, HasSubstr("(64 elements, 256 bytes from lane to lane)"));
}

// A block has 256 words, and all blocks have most of the table.
TEST(ChoiceRules, RowsOfALargeTableAreNoFewWords) {
  EXPECT_FALSE(
      ask("atomic-contention", Advised("choices.fatbin", "add_to_rows",
                                       {.grid = {16384},
                                        .block = {256},
                                        .arguments = {"buf:16777216:f32", "buf:65536:int:32768",
                                                      "buf:33554432:zero", "i32:256"}})));
}

// Without loads the thread's number is its element: what it computes from that stays.
TEST(ChoiceRules, WhatThreadsDrawIsNotDrawnOnce) {
  const Advised launch(
      "choices.fatbin", "count_draws",
      {.grid = {65536}, .block = {256}, .arguments = {"buf:4:zero", "u32:7", "i32:16777216"}});
  const auto found = ask("atomic-contention", launch);
  ASSERT_TRUE(found);
  const timing::Prediction& base = launch.study().base();
  double issue_us = 0;
  for (const auto& cost : base.costs) issue_us += cost.issued;
  issue_us = h200_seconds(issue_us) * 1e6;
  EXPECT_GT(base.time_us / found->speedup, 0.8 * issue_us);
}

TEST(ChoiceRules, ArraysAreNamedAsTheSourceNamesThem) {
  const Advised launch = nearest();
  Case c = launch.launch_case();
  const Origins origins(c.kernel);
  std::uint32_t load = 0;
  while (!c.at(load).known() || !c.at(load).opcode->loads || !touches_global(c.at(load))) ++load;
  EXPECT_THAT(parameter_names(c), IsEmpty()) << "without the source";
  EXPECT_EQ(argument_text(c, origins, load), " of argument 0");
  std::vector<std::string> lines{""};
  std::ifstream file(BURIN_SOURCE_DIR "/tests/data/emulate/choices.cu");
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  c.source_line = [&](std::string_view, std::uint32_t line) {
    return line < lines.size() ? lines[line] : std::string();
  };
  EXPECT_THAT(parameter_names(c), ElementsAre("from", "to", "index", "distance", "count"));
  EXPECT_EQ(argument_text(c, origins, load), " of `from`");
}

}  // namespace
}  // namespace burin::advise
