// Are loops, functions and lines of instructions found?
#include "advise/case/place.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "advised.h"

namespace burin::advise {
namespace {

using testing::HasSubstr;

TEST(KernelPlaces, KnowLoops) {
  const Advised sum("sum_shared/odd");
  const read::Kernel& kernel = sum.study().kernel();
  const KernelPlaces places(kernel);
  ASSERT_FALSE(kernel.loops.empty());
  for (std::uint32_t l = 0; l < kernel.loops.size(); ++l) {
    const std::uint32_t first = kernel.blocks[kernel.loops[l].header].first;
    EXPECT_TRUE(places.in_loop(first, l));
    EXPECT_EQ(places.common_loop(first, first), places.loop_of(first));
    EXPECT_EQ(places.instructions_of_loop(l)[first], 1);
    EXPECT_THAT(places.loop_name(l), HasSubstr("loop at reduce.cu:"));
  }
  EXPECT_EQ(places.loop_of(0), read::kNoIndex);
  EXPECT_EQ(places.common_loop(0, kernel.blocks[kernel.loops[0].header].first), read::kNoIndex);
  EXPECT_EQ(places.loop_name(read::kNoIndex), "");
}

TEST(KernelPlaces, KnowFunctions) {
  const Advised chain("call_chain/odd");
  const read::Kernel& kernel = chain.study().kernel();
  const KernelPlaces places(kernel);
  ASSERT_GT(places.functions(), 1u);
  EXPECT_THAT(places.function_name(0), HasSubstr("call_chain"));
  bool trunk = false;
  for (std::uint32_t f = 1; f < places.functions(); ++f) {
    trunk |= short_name(places.function_name(f)) == "trunk";
    EXPECT_FALSE(places.of_compiler(f));
    EXPECT_EQ(places.function_of(kernel.blocks[kernel.entries[f]].first), f);
  }
  EXPECT_TRUE(trunk);
}

// The lines of a function that is inlined into a loop are not the loop's.
TEST(KernelPlaces, NameALoopByTheLinesOfItsOwnFunction) {
  const Advised damp(
      "few_warps.fatbin", "damp",
      {.grid = {2}, .block = {64}, .arguments = {"buf:4K:f32", "buf:4K:f32", "i32:1024"}});
  const KernelPlaces places(damp.study().kernel());
  ASSERT_FALSE(damp.study().kernel().loops.empty());
  for (std::uint32_t l = 0; l < damp.study().kernel().loops.size(); ++l) {
    EXPECT_EQ(places.loop_name(l), "loop at few_warps.cu:9-10");
  }
}

TEST(KernelPlaces, KnowTheCompilersFunctions) {
  const Advised divide("divide_64/odd");
  const KernelPlaces places(divide.study().kernel());
  ASSERT_GT(places.functions(), 1u);
  for (std::uint32_t f = 1; f < places.functions(); ++f) EXPECT_TRUE(places.of_compiler(f));
}

TEST(KernelPlaces, ShortenNames) {
  EXPECT_EQ(short_name("a::f<int>(float)"), "f");
  EXPECT_EQ(short_name("void g(int)"), "g");
  EXPECT_EQ(short_name("h"), "h");
}

}  // namespace
}  // namespace burin::advise
