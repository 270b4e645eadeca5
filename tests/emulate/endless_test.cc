// Is a kernel that never ends found, at once where that can be proved, and said what it waits for?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emulate/launched.h"

namespace burin::emulate {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

constexpr std::uint64_t kFarAway =
    1'000'000'000;  // a run that reaches it takes too long for a test

Launched launch_endless(const std::string& name, std::vector<std::string> arguments,
                        unsigned threads = 1, std::uint32_t grid = 4) {
  Launched::Shape shape{.grid = {grid}, .block = {64}, .arguments = std::move(arguments)};
  shape.options.threads = threads;
  shape.options.most_instructions = kFarAway;
  return Launched("endless", name, shape);
}

TEST(Endless, AWaitForAWordThatNobodyWritesIsProved) {
  for (const unsigned threads : {1u, 2u}) {
    const Launched run = launch_endless("wait_word", {"buf:4:zero", "buf:1K:undef"}, threads);
    EXPECT_THAT(run.error(), AllOf(StartsWith("the kernel never ends: warp "),
                                   HasSubstr("in the loop at endless.cu:4, which has run "),
                                   HasSubstr("waits for byte 0 of argument 0 (4 bytes), which "
                                             "stays 0x0: no running block writes it")));
    EXPECT_LT(run.run().executed(), 10'000'000u) << threads;
  }
}

TEST(Endless, ACounterThatNothingDependsOnIsNoProgress) {
  const Launched run = launch_endless("wait_and_count", {"buf:8:zero", "buf:1K:undef"});
  EXPECT_THAT(run.error(), AllOf(HasSubstr("never ends"), HasSubstr("byte 4 of argument 0")));
}

TEST(Endless, LanesThatWaitForOneAnother) {
  const Launched run = launch_endless("wait_both", {"buf:8:zero", "buf:1K:undef"});
  EXPECT_THAT(run.error(), HasSubstr("never ends"));
}

TEST(Endless, ALockThatIsTakenTwice) {
  const Launched run = launch_endless("lock_twice", {"buf:4:zero", "buf:1K:undef"});
  EXPECT_THAT(run.error(), AllOf(HasSubstr("never ends"), HasSubstr("which stays 0x1")));
}

// A lane that takes its time is waited for, and so is a word that is set from the beginning.
TEST(Endless, WhatEndsIsLeftToEnd) {
  for (const unsigned threads : {1u, 2u}) {
    EXPECT_EQ(launch_endless("set_late", {"buf:16:zero", "buf:1K:undef"}, threads, 8).error(), "");
  }
  EXPECT_EQ(launch_endless("wait_word", {"buf:4:int:1000000", "buf:1K:undef"}).error(), "");
}

TEST(Endless, ABlockHasALimitOfItsOwn) {
  Launched::Shape shape{.grid = {4}, .block = {64}, .arguments = {"u32:3", "buf:1K:undef"}};
  shape.options.most_instructions = kFarAway;
  shape.options.most_of_block = 1'000'000;
  EXPECT_THAT(Launched("endless", "step_over", shape).error(),
              AllOf(StartsWith("block 0,0,0 did not finish within 1,000,000 warp instructions "
                               "(--max-instructions sets another limit); warp 0 of block 0,0,0 is "
                               "in the loop at endless.cu:"),
                    HasSubstr(", which has run ")));
  shape.arguments = {"buf:1K:undef"};
  EXPECT_THAT(Launched("endless", "store_always", shape).error(),
              StartsWith("block 0,0,0 did not finish within 1,000,000 warp instructions"));
}

TEST(Endless, TheHeartGoesOnWithinABlock) {
  std::vector<std::uint64_t> beats;
  Launched::Shape shape{.block = {64}, .arguments = {"u32:200000", "buf:1K:undef"}};
  shape.options.most_instructions = kFarAway;
  shape.options.heartbeat = [&](std::uint64_t executed) { beats.push_back(executed); };
  const Launched run("endless", "step_over", shape);
  ASSERT_EQ(run.error(), "");
  ASSERT_GT(beats.size(), 10u);
  EXPECT_TRUE(std::ranges::is_sorted(beats));
  EXPECT_LE(beats.back(), run.run().executed());
  EXPECT_GT(static_cast<double>(beats.back()), 0.97 * static_cast<double>(run.run().executed()))
      << "looking whether it ends costs little";
}

}  // namespace
}  // namespace burin::emulate
