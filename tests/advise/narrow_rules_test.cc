// Rules for one thing each: denormal tests, bytes, room for registers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "advise/patterns/mapping/register_room.h"
#include "asked.h"

namespace burin::advise {
namespace {

using testing::HasSubstr;

TEST(FlushDenormals, TheTestAroundAFastFunctionIsAFlag) {
  const Advised launch("attract_bodies", "attract_bodies",
                       {.grid = {16},
                        .block = {1024},
                        .arguments = {"buf:262144:f32", "buf:262144:undef", "i32:16384"}});
  const auto found = ask("flush-denormals", launch);
  ASSERT_TRUE(found);
  EXPECT_THAT(found->hint, HasSubstr("-ftz=true"));
  EXPECT_THAT(found->text, HasSubstr("denormal"));
  EXPECT_GT(found->speedup, 1.05);
  EXPECT_LT(found->speedup, 1.4);  // the rest of the loop stays
}

TEST(FlushDenormals, CodeWithoutSuchTestsIsLeftAlone) {
  EXPECT_FALSE(ask("flush-denormals", Advised("saxpy/large")));
}

TEST(PackedBytes, AThreadTakesSeveralElements) {
  const Advised launch("yuv_to_rgb", "yuv_to_rgb",
                       {.grid = {2025},
                        .block = {256},
                        .arguments = {"buf:4147200:u8", "buf:2073600:u8", "buf:12441600:undef",
                                      "i32:960", "i32:4320"}});
  const auto found = ask("vector-access", launch);
  ASSERT_TRUE(found);
  EXPECT_THAT(found->text, HasSubstr("Each thread accesses 1 byte"));
  EXPECT_THAT(found->hint, HasSubstr("4 adjacent elements at once (uchar4 or similar)"));
  EXPECT_GT(found->speedup, 1.5);
}

// "launch 1 block instead of 1" would be no advice.
TEST(PackedBytes, ASingleBlockGetsFewerThreads) {
  const Advised launch("yuv_to_rgb", "yuv_to_rgb",
                       {.grid = {1},
                        .block = {256},
                        .arguments = {"buf:4147200:u8", "buf:2073600:u8", "buf:12441600:undef",
                                      "i32:960", "i32:4320"}});
  const auto found = ask("vector-access", launch);
  ASSERT_TRUE(found);
  EXPECT_THAT(found->hint, HasSubstr("launch blocks of 64 threads along x instead of 256"));
}

TEST(PackedBytes, WordsAreWideEnough) {
  EXPECT_FALSE(ask("vector-access", Advised("saxpy/large")));
}

TEST(RegisterRoom, MoreRegistersCostWhatTheirBlocksDid) {
  const Advised launch("saxpy/large");
  const Case c = launch.launch_case();
  EXPECT_FALSE(spills(c));
  EXPECT_EQ(more_registers_us(c, 0), 0);
  const double few = more_registers_us(c, 8);
  const double many = more_registers_us(c, 200);
  EXPECT_LE(few, many);
  EXPECT_GT(many, 0);  // an SM then holds an eighth of its warps
  EXPECT_LT(many, 100 * *c.time_us);
}

}  // namespace
}  // namespace burin::advise
