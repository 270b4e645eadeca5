// Do the threads of a block wait for one another, for as many as they say, and no longer?
#include "emulate/state/barrier.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/format.h"
#include "emulate/launched.h"

namespace burin::emulate {
namespace {

class BarrierTest : public testing::TestWithParam<unsigned> {
 protected:
  Launched launch(const std::string& name, launch::Dims block, std::vector<std::string> arguments) {
    return Launched("barrier", name,
                    {.block = block, .arguments = std::move(arguments), .sm = GetParam()});
  }
};

TEST_P(BarrierTest, ABlockWaitsForItsLastWarp) {
  const Launched run("barrier", "whole_block",
                     {.grid = {2}, .block = {64}, .arguments = {"buf:512:zero"}, .sm = GetParam()});
  ASSERT_EQ(run.error(), "");
  for (std::uint32_t i = 0; i < 128; ++i) EXPECT_EQ(run.word(0, i), 3 * (63 - i % 64));
  EXPECT_TRUE(run.run().faults.empty());
  EXPECT_EQ(run.count("BAR").warps, 4u) << "who waits runs it once all the same";
}

TEST_P(BarrierTest, NumberedBarriersAreApart) {
  const Launched run = launch("pairs", {128}, {"buf:512:zero"});
  ASSERT_EQ(run.error(), "");
  for (std::uint32_t i = 0; i < 128; ++i) {
    EXPECT_EQ(run.word(0, i), (i ^ 32) + (i < 64 ? 0 : 3)) << "thread " << i;
  }
  EXPECT_TRUE(run.run().faults.empty());
  EXPECT_EQ(run.count("BAR").lanes, 32u * 2 * 2 * (1 + 4));
}

TEST_P(BarrierTest, WhoArrivesDoesNotWait) {
  const Launched run = launch("producer", {64}, {"buf:256:zero"});
  ASSERT_EQ(run.error(), "");
  for (std::uint32_t i = 0; i < 64; ++i) EXPECT_EQ(run.word(0, i), i < 32 ? i + 32 : 1);
  EXPECT_TRUE(run.run().faults.empty());
}

TEST_P(BarrierTest, APartialWarpCountsWhole) {
  const Launched run = launch("partial", {48}, {"buf:192:zero"});
  ASSERT_EQ(run.error(), "");
  for (std::uint32_t i = 0; i < 48; ++i) EXPECT_EQ(run.word(0, i), 47 - i + 7);
}

TEST_P(BarrierTest, ReducesWhatItsThreadsBring) {
  constexpr std::uint32_t kThreads = 100;  // the last warp has four
  for (const char* values : {"buf:512:int:10", "buf:512:int:9", "buf:512:int:3", "buf:512:zero"}) {
    const Launched run = launch("reduces", {kThreads}, {values, "buf:2560:zero"});
    ASSERT_EQ(run.error(), "");
    std::vector<std::uint32_t> in = run.given(0);
    in.resize(kThreads);
    const auto number = [&](auto holds) {
      return static_cast<std::uint32_t>(std::ranges::count_if(in, holds));
    };
    const std::uint32_t expected[] = {
        number([](auto v) { return v > 2; }),
        number([](auto v) { return v < 9; }) == kThreads,
        number([](auto v) { return v == 9; }) != 0,
        number([](auto v) { return v < 8; }) == kThreads,
        number([](auto v) { return v > 10; }) != 0,
    };
    for (std::size_t k = 0; k < 5; ++k) {
      EXPECT_EQ(run.words(1, 128 * k, kThreads), Words(kThreads, expected[k]))
          << values << ", reduction " << k;
    }
  }
}

TEST_P(BarrierTest, ThreadsThatHaveEndedAreNotWaitedFor) {
  const Launched run = launch("ended", {96}, {"buf:384:zero"});
  ASSERT_EQ(run.error(), "");
  for (std::uint32_t i = 0; i < 96; ++i) {
    const std::uint32_t expected = i < 16 ? 2 * (i + 64) : i < 64 ? 0 : 2 * (i & 15);
    EXPECT_EQ(run.word(0, i), expected) << "thread " << i;
  }
  EXPECT_TRUE(run.run().faults.empty());
}

// The end of the last warps but one is what the other waits for.
TEST_P(BarrierTest, AWarpThatOnlyEndsIsProgress) {
  const Launched run = launch("last", {96}, {"buf:384:zero"});
  ASSERT_EQ(run.error(), "");
  EXPECT_EQ(run.words(0, 0, 32), Words(32, 1u));
}

TEST_P(BarrierTest, HalvesOfAWarpThatDoNotComeAreReported) {
  const Launched run = launch("divergent", {64}, {"buf:256:zero"});
  ASSERT_EQ(run.error(), "");
  const Fault* fault = run.fault(Fault::Kind::kBarrierDivergence);
  ASSERT_NE(fault, nullptr);
  EXPECT_EQ(fault->block, (launch::Dims{0, 0, 0}));
  EXPECT_EQ(fault->count, 2u) << "once for each warp";
  EXPECT_THAT(fault->detail, testing::HasSubstr("the warp is diverged at the barrier"));
  EXPECT_EQ(run.kernel().instructions[fault->instruction].mnemonic(), "BAR");
  for (std::uint32_t i = 0; i < 64; ++i) {
    const std::uint32_t passes = i % 8;
    EXPECT_EQ(run.word(0, i), i % 32 < 16 ? 2 : passes * (passes - 1) / 2) << "thread " << i;
  }
}

TEST_P(BarrierTest, ADeadlockNamesWhoWaitsAndWhere) {
  const Launched run = launch("crossed", {64}, {"buf:8:zero"});
  const auto waiting = [&](unsigned warp, std::string_view text) {
    return fmt::format("warp {} of block 0,0,0 waits at a barrier (barrier.cu:{})", warp,
                       run.line(text));
  };
  EXPECT_EQ(run.error(),
            fmt::format("deadlock: no warp can make progress; {}; {}",
                        waiting(0, "barrier.sync 1, 64"), waiting(1, "barrier.sync 2, 64")));
}

// With more than four it says how many.
TEST_P(BarrierTest, ADeadlockOfManyIsCutShort) {
  const Launched run = launch("stuck", {256}, {"buf:1K:zero"});
  EXPECT_THAT(run.error(), testing::StartsWith("deadlock: no warp can make progress; warp 0 "));
  EXPECT_THAT(run.error(), testing::EndsWith("; and 4 more"));
}

INSTANTIATE_TEST_SUITE_P(Architectures, BarrierTest, testing::Values(80u, 90u),
                         [](const auto& of) { return "sm_" + std::to_string(of.param); });

}  // namespace
}  // namespace burin::emulate
