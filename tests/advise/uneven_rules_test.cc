// Does advice see work that is unevenly shared, queued or strided: by warps, by atomics at the L2
// slices, by blocks along one axis?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "asked.h"

namespace burin::advise {
namespace {

using testing::HasSubstr;

TEST(WarpBalance, OneWarpThatListsForUnequalBlocks) {
  const Advised launch("light_tiles", "light_tiles",
                       {.grid = {60, 34},
                        .block = {32, 32},
                        .arguments = {"buf:32768:f32", "buf:8294400:f32", "buf:8294400:undef",
                                      "hex:8007000038040000000800008fc2753d"}});
  const auto found = ask("warp-balance", launch);
  ASSERT_TRUE(found);
  EXPECT_THAT(found->text, HasSubstr("light_tiles.cu:41 32.0 times as often as the mean"));
  // Sharing the list gained 2.87× on an H200: blocks of unequal work are dealt out with what they
  // take afterwards.
  EXPECT_GT(found->speedup, 2.4);
  EXPECT_LT(found->speedup, 4);
}

TEST(WarpBalance, WarpsThatEndEarlyWithoutABarrier) {
  const Advised launch("picture_quality", "picture_quality",
                       {.grid = {32, 16},
                        .block = {192},
                        .arguments = {"buf:44728320:f32", "buf:44728320:f32", "buf:12288:undef",
                                      "i32:4096", "i32:2048"}});
  const auto found = ask("warp-balance", launch);
  ASSERT_TRUE(found);
  EXPECT_THAT(found->text, HasSubstr("4.5 times as often as the mean. The others end early"));
  EXPECT_THAT(found->hint, HasSubstr("advances by 192"));
  EXPECT_GT(found->speedup, 2);  // 2.50× on an H200
  EXPECT_LT(found->speedup, 3.5);
}

TEST(Atomics, SharedLoadsThatQueueAfterAtomics) {
  const Advised launch("room_echoes", "room_echoes",
                       {.grid = {264},
                        .block = {256},
                        .arguments = {"buf:256:f32", "buf:540672:f32", "buf:512:zero", "i32:67584",
                                      "i32:32", "hex:cdcc4c3e6666663f06000000"}});
  const auto found = ask("atomic-contention", launch);
  ASSERT_TRUE(found);
  EXPECT_THAT(found->text, HasSubstr("room_echoes.cu:59 update 128 words"));
  EXPECT_GT(found->speedup, 4);  // 5.35× on an H200
  EXPECT_LT(found->speedup, 7);
}

TEST(TilePrefetch, TwoLoadsOfALineAreOneIteration) {
  const Advised launch("dedisperse", "dedisperse",
                       {.grid = {132},
                        .block = {512},
                        .arguments = {"buf:69730304:u8", "buf:4096:int:4096", "buf:8650752:undef",
                                      "i32:1024", "i32:68096"}});
  const auto found = ask("code-reordering", launch);
  ASSERT_TRUE(found);
  EXPECT_THAT(found->hint, HasSubstr("prefetch the next iteration's value at dedisperse.cu:19"));
  EXPECT_GT(found->speedup, 1.3);  // 1.56× on an H200
  EXPECT_LT(found->speedup, 1.7);
}

TEST(LocalMemory, AnIndexThatTheLoopKeepsInTheFrame) {
  const Advised launch(
      "grow_polymers", "grow_polymers",
      {.grid = {1056},
       .block = {128},
       .arguments = {"buf:540672:undef", "buf:540672:undef", "i32:135168", "i32:512", "u32:2026"}});
  const auto found = ask("register-reuse", launch);
  ASSERT_TRUE(found);
  EXPECT_GT(found->speedup, 1.6);  // 2.55× on an H200
}

TEST(Accumulators, AllOfALoopAreOneFinding) {
  const Advised launch(
      "melt_snow", "melt_snow",
      {.grid = {1056},
       .block = {256},
       .arguments = {"buf:69206016:f32", "buf:69206016:f32", "buf:1081344:f32", "buf:1081344:f32",
                     "buf:1081344:f32", "buf:1081344:f32", "buf:69206016:undef", "i32:270336",
                     "i32:64", "hex:0000404000007042cdcc4c3d0000a041"}});
  const auto found = ask("memory-transaction-reduction", launch);
  ASSERT_TRUE(found);
  EXPECT_THAT(found->text, HasSubstr("melt_snow.cu:36, melt_snow.cu:37 and 1 more"));
  EXPECT_GT(found->speedup, 1.8);  // 2.36× on an H200
}

TEST(FewBlocks, LongIterationsAreSplitOneByOne) {
  const Advised launch("score_poses", "score_poses",
                       {.grid = {48},
                        .block = {256},
                        .arguments = {"buf:1024:f32", "buf:135168:f32", "buf:1344:f32",
                                      "buf:192:zero", "i32:8448"}});
  const auto found = ask("block-increase", launch);
  ASSERT_TRUE(found);
  EXPECT_THAT(found->hint, HasSubstr("Split the iterations of the loop at score_poses.cu:26-45"));
  EXPECT_GT(found->speedup, 2.7);  // 3.22× on an H200
  EXPECT_LT(found->speedup, 3.8);
}

TEST(FewBlocks, TheAxisThatTheLoopStridesBy) {
  const Advised launch(
      "match_chirps", "match_chirps",
      {.grid = {6},
       .block = {256},
       .arguments = {"buf:1050624:f32", "buf:24576:f32", "buf:48:zero", "i32:512"}});
  const auto found = ask("block-increase", launch);
  ASSERT_TRUE(found);
  EXPECT_THAT(found->hint, HasSubstr("(gridDim.y = "));
  EXPECT_GT(found->speedup, 20);
}

TEST(FewBlocks, OneBlockPerSmWhereMoreCostMore) {
  const Advised launch("calibrate_gain", "calibrate_gain",
                       {.grid = {1},
                        .block = {1024},
                        .arguments = {"buf:8388608:u8", "buf:24:zero", "i32:1048576"}});
  const auto found = ask("block-increase", launch);
  ASSERT_TRUE(found);
  EXPECT_THAT(found->hint, HasSubstr("launch 132 blocks instead of 1."));
}

}  // namespace
}  // namespace burin::advise
