// Does advice see work that is unevenly shared, queued or strided: by warps, by atomics at the L2
// slices, by blocks along one axis?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "asked.h"

namespace burin::advise {
namespace {

using testing::HasSubstr;
using testing::Not;

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
  EXPECT_THAT(found->hint, HasSubstr("Split the iterations of the loop at score_poses.cu:43-45"));
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

TEST(WarpBalance, WhatDataDecidesIsNotShared) {
  // Each thread searches its own trace until something is found there.
  const Advised launch(
      "pick_arrivals", "pick_arrivals",
      {.grid = {1056},
       .block = {256},
       .arguments = {"buf:276824064:f32", "buf:1081344:undef", "buf:1081344:undef", "i32:270336",
                     "i32:256", "hex:0000803e0ad7a33c0000c03f08000000"}});
  EXPECT_FALSE(ask("warp-balance", launch));
  EXPECT_FALSE(ask("divergence", launch));  // nobody can sort by lengths that are not known
  const auto found = ask("loop-unrolling", launch);
  ASSERT_TRUE(found);
  EXPECT_GT(found->speedup, 1.5);  // 2.05× on an H200
}

TEST(Atomics, FewWordsOfSharedMemoryAreSummedInRegisters) {
  const Advised launch("channel_dwells", "channel_dwells",
                       {.grid = {1056},
                        .block = {256},
                        .arguments = {"buf:1081344:int:4294967296", "buf:8:zero", "i32:270336",
                                      "i32:128", "hex:000020420000c8410000003f3333333f"}});
  const auto found = ask("atomic-contention", launch);
  ASSERT_TRUE(found);
  EXPECT_THAT(found->text, HasSubstr("about 2 words of shared memory"));
  EXPECT_THAT(found->hint, HasSubstr("__reduce_add_sync"));
  EXPECT_GT(found->speedup, 1.8);  // 2.12× on an H200
  EXPECT_LT(found->speedup, 2.5);
}

TEST(StrengthReduction, PowersThatTheSourceNames) {
  const Advised launch("heat_panels", "heat_panels",
                       {.grid = {1056},
                        .block = {256},
                        .arguments = {"buf:384:f32", "buf:1081344:f32", "buf:1081344:undef",
                                      "buf:1081344:undef", "buf:1081344:undef", "i32:270336",
                                      "i32:96", "hex:6666663f9a99593fcdcc4c3e0000fa44"}});
  Case c = launch.launch_case();
  c.source_line = [](std::string_view, std::uint32_t line) {
    return line == 16 ? "return emissivity * kStefan * powf(kelvin, 4.0f);" : "";
  };
  const auto found = ask("strength-reduction", c);
  ASSERT_TRUE(found);
  EXPECT_THAT(found->hint, HasSubstr("powf(kelvin, 4.0f) by kelvin * kelvin * kelvin * kelvin"));
  EXPECT_GT(found->speedup, 1.8);  // 2.35× on an H200
  c.source_line = [](std::string_view, std::uint32_t) { return "return powf(kelvin, power);"; };
  const auto without = ask("strength-reduction", c);
  EXPECT_THAT(without ? without->hint : "", Not(HasSubstr("powf")));
}

TEST(FastMath, LoadsThatSlowPathsKeepApart) {
  const Advised launch("evaporate_fields", "evaporate_fields",
                       {.grid = {1056},
                        .block = {256},
                        .arguments = {"buf:51904512:f32", "buf:51904512:f32", "buf:51904512:f32",
                                      "buf:1081344:undef", "buf:1081344:undef", "i32:270336",
                                      "i32:48", "hex:9a99ca42000000401f856b3e"}});
  const auto found = ask("fast-math", launch);
  ASSERT_TRUE(found);
  EXPECT_THAT(found->text, HasSubstr(" other lines"));
  EXPECT_GT(found->speedup, 1.5);  // 1.98× on an H200
}

TEST(Reloads, CoefficientsThatAStoreMightChange) {
  const Advised launch("filter_channels", "filter_channels",
                       {.grid = {528},
                        .block = {256},
                        .arguments = {"buf:51904512:u8", "buf:8110080:f32", "buf:3244032:f32",
                                      "buf:103809024:undef", "i32:135168", "i32:192", "f32:3e-5"}});
  const auto found = ask("memory-transaction-reduction", launch);
  ASSERT_TRUE(found);
  EXPECT_THAT(found->hint, HasSubstr("into local variables before the loop"));
  EXPECT_THAT(found->hint, HasSubstr("__restrict__"));
  EXPECT_GT(found->speedup, 1.5);  // 2.14× on an H200
}

TEST(Reloads, RowsThatMoveOnByOne) {
  const Advised launch(
      "terrain_slopes", "terrain_slopes",
      {.grid = {256, 32},
       .block = {32, 8},
       .arguments = {"buf:67108864:u8", "buf:33554432:undef", "hex:00200000001000006f12833a"}});
  const auto found = ask("memory-transaction-reduction", launch);
  ASSERT_TRUE(found);
  EXPECT_THAT(found->text, HasSubstr("terrain_slopes.cu:24 and terrain_slopes.cu:25"));
  EXPECT_THAT(found->hint, HasSubstr("pass them on"));
}

TEST(LoopUnrolling, LoadsThatStoresHoldBack) {
  const Advised launch(
      "garch_variances", "garch_variances",
      {.grid = {264},
       .block = {256},
       .arguments = {"buf:69206016:f32", "buf:69206016:undef", "buf:270336:undef", "i32:67584",
                     "i32:256", "f32:0.5", "hex:0ad7233ccdcccc3dcdcc4c3d9a99593f"}});
  const auto found = ask("loop-unrolling", launch);
  ASSERT_TRUE(found);
  EXPECT_GT(found->speedup, 1.5);  // 2.23× on an H200
}

}  // namespace
}  // namespace burin::advise
