// Does advice count what the changed code still does, and does it say what the source has to look
// like? tests/data/emulate/advice_costs.cu.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "advise/patterns/code/library_tables.h"
#include "advise/patterns/code/wide_types.h"
#include "advise/patterns/mapping/footprint.h"
#include "asked.h"
#include "read/isa/traits.h"

namespace burin::advise {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

Advised costs(const std::string& kernel, const timing::TimedLaunch::Shape& shape) {
  return Advised("advice_costs.fatbin", kernel, shape);
}

timing::TimedLaunch::Shape matrix(launch::Dims grid) {
  return {.grid = grid,
          .block = {32, 8},
          .arguments = {"buf:2097152:u8", "buf:8388608:f32", "buf:8388608:f32", "buf:8388608:undef",
                        "i32:1024", "i32:2048"}};
}

// The estimate is that of the exchanged code, whose lines are fetched once: no bound of the present
// code limits it.
TEST(AdviceCosts, ExchangedAxesAreEmulated) {
  const Advised far = costs("far_lanes", matrix({32, 256}));
  const Advised near = costs("near_lanes", matrix({64, 128}));
  for (const std::string rule : {"coalescing", "memory-transaction-reduction"}) {
    const auto found = ask(rule, far);
    if (!found) continue;
    EXPECT_THAT(found->hint, HasSubstr("Exchange the two")) << rule;
    EXPECT_THAT(found->trust, Not(HasSubstr("capped"))) << rule;
    EXPECT_NEAR(found->speedup * near.study().base().time_us / far.study().base().time_us, 1,
                0.002);
  }
  EXPECT_TRUE(ask("coalescing", far));
}

// The shared memory that keeps other blocks away is no L1 cache any more, and no other blocks run
// through the work of several.
TEST(AdviceCosts, FewerBlocksAreThoseOfALaunch) {
  const auto found =
      ask("occupancy-decrease",
          Advised("align_reads", "align_reads",
                  {.grid = {1056},
                   .block = {128},
                   .arguments = {"buf:1048576:int:4294967296", "buf:540672:int:4194000",
                                 "buf:8:int:4294967296", "buf:1081344:undef", "i32:135168",
                                 "i32:64", "i32:32"}}));
  EXPECT_FALSE(found);
  const auto loops =
      ask("occupancy-decrease", Advised("leading_modes", "leading_modes",
                                        {.grid = {2112},
                                         .block = {96},
                                         .arguments = {"buf:77856768:f32", "buf:8448:undef",
                                                       "buf:811008:undef", "i32:2112", "i32:12"}}));
  ASSERT_TRUE(loops);
  EXPECT_THAT(loops->hint, AllOf(HasSubstr("Launch a grid of dim3(660, 1, 1)"),
                                 Not(HasSubstr("shared memory"))));
}

TEST(AdviceCosts, ValuesThatCopiesOfALoopReloadAreCountedOverAllCopies) {
  const auto found =
      ask("memory-transaction-reduction",
          costs("bit_by_bit", {.grid = {1056},
                               .block = {256},
                               .arguments = {"buf:540672:u8", "buf:1081344:undef", "i32:16"}}));
  ASSERT_TRUE(found);
  EXPECT_THAT(found->text, HasSubstr("88 % of a warp's loads"));
  EXPECT_THAT(found->hint, Not(HasSubstr("__restrict__")));
}

TEST(AdviceCosts, SumsOfDoublesAreLoadedAsDoubles) {
  const auto found = ask(
      "atomic-contention",
      costs("two_sums", {.grid = {8448},
                         .block = {256},
                         .arguments = {"buf:17301504:f64", "buf:17301504:f64", "buf:16:zero"}}));
  ASSERT_TRUE(found);
  EXPECT_THAT(found->hint, AllOf(HasSubstr("as double2"), Not(HasSubstr("float4"))));
  EXPECT_THAT(found->text, HasSubstr("advice_costs.cu:59 and advice_costs.cu:60"));
}

TEST(AdviceCosts, ReturnsBeforeANewBarrierBecomeConditions) {
  const auto found =
      ask("atomic-contention",
          costs("bins_of_pairs", {.grid = {264},
                                  .block = {256},
                                  .arguments = {"buf:270336:f32", "buf:256:zero", "i32:67500"}}));
  ASSERT_TRUE(found);
  EXPECT_THAT(found->hint, HasSubstr("Threads that return at advice_costs.cu:68 would not reach"));
}

TEST(AdviceCosts, HowANumberOfLongWorkIsLoadedIsNotSaid) {
  const Advised steps =
      costs("count_steps",
            {.grid = {2112},
             .block = {256},
             .arguments = {"buf:2162688:int:100000", "buf:32:int:60", "buf:4:zero", "i32:4"}});
  EXPECT_EQ(wide_loads_clause(steps.launch_case()), "");
  // Four threads' loops end at different times, and share nothing but a few loads.
  EXPECT_FALSE(ask("thread-coarsening", steps));
}

TEST(AdviceCosts, AnArrayOfAnyLengthTakesASelectForEachElement) {
  const auto found =
      ask("register-reuse", costs("largest", {.grid = {528},
                                              .block = {256},
                                              .arguments = {"buf:17301504:f32", "buf:4325376:undef",
                                                            "i32:32", "i32:6"}}));
  ASSERT_TRUE(found);
  EXPECT_THAT(found->hint, AllOf(HasSubstr("as a template parameter"),
                                 HasSubstr("all loops over it"), HasSubstr("room for 8 elements")));
  EXPECT_LT(found->speedup, 2.5);
}

const timing::TimedLaunch::Shape kRows{
    .grid = {64},
    .block = {128},
    .shared_bytes = 32768,
    .arguments = {"buf:400:int:400", "buf:1048576:undef", "i32:100", "i32:4096"}};

// The test that there is a next value takes as long as shared memory.
TEST(AdviceCosts, ValuesOfSharedMemoryAreNotPrefetched) {
  const auto found = ask("code-reordering", costs("steps_of_rows", kRows));
  EXPECT_LT(found ? found->speedup : 1, 1.05);
}

TEST(AdviceCosts, StoresKeepUnrolledLoadsInOrder) {
  const auto found = ask("loop-unrolling", costs("steps_of_rows", kRows));
  ASSERT_TRUE(found);
  EXPECT_THAT(found->hint, HasSubstr("variables before the first store"));
}

TEST(AdviceCosts, ATestThatEndsTheLoopGuardsTheUses) {
  const auto found =
      ask("loop-unrolling",
          costs("until_full",
                {.grid = {264},
                 .block = {128},
                 .arguments = {"buf:16777216:f32", "buf:135168:undef", "i32:256", "i32:1"}}));
  ASSERT_TRUE(found);
  EXPECT_THAT(found->hint, HasSubstr("Loaded values decide when the loop ends"));
}

TEST(AdviceCosts, TablesOfTheMathLibraryAreNoLoadsOfTheLoop) {
  const Advised sines =
      costs("sines", {.grid = {132},
                      .block = {128},
                      .arguments = {"buf:4325376:f32", "buf:67584:undef", "i32:64", "i32:16896"}});
  const Case c = sines.launch_case();
  const read::InstructionSet tables = library_tables(c);
  unsigned wide = 0;
  unsigned own = 0;
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    if (!read::is_read_only_load(c.at(i))) continue;
    const bool of_library = read::access_bytes(c.at(i)) != 4;
    EXPECT_EQ(tables[i] != 0, of_library) << i;
    ++(of_library ? wide : own);
  }
  EXPECT_GT(wide, 0u);
  EXPECT_GT(own, 0u);
}

TEST(AdviceCosts, LoadsOfAWindowAreCountedAsTheyWouldBeMade) {
  // 5 elements on each side of 4 results: one before, 12 in three vectors, one after.
  const RowLoads of_eleven = row_loads(11, 4, 4);
  EXPECT_EQ(of_eleven.wide, 3u);
  EXPECT_EQ(of_eleven.single, 2u);
  const RowLoads of_seven = row_loads(7, 4, 4);
  EXPECT_EQ(of_seven.wide, 3u);
  EXPECT_EQ(of_seven.single, 0u);
  const Advised window = costs("window_mean", {.grid = {32, 128},
                                               .block = {32, 8},
                                               .arguments = {"buf:4194304:f32", "buf:4194304:undef",
                                                             "i32:1024", "i32:1024", "i32:5"}});
  const auto tiled = ask("results-per-thread", window);
  ASSERT_TRUE(tiled);
  EXPECT_THAT(tiled->hint,
              AllOf(HasSubstr("3 aligned float4 loads and 2 single loads in each of 14 rows"),
                    HasSubstr("about 70 loads for 16 results"), HasSubstr("template parameter")));
  const auto staged = ask("shared-staging", window);
  ASSERT_TRUE(staged);
  EXPECT_THAT(staged->hint, AllOf(HasSubstr("i = threadIdx.y * blockDim.x + threadIdx.x; i < n; i "
                                            "+= 256"),
                                  HasSubstr("row i / w")));
}

}  // namespace
}  // namespace burin::advise
