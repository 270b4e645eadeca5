// Do waits for a clock end, and take their time? Do the limits of instructions and memory end a
// run, and say why?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emulate/launched.h"
#include "emulate/state/warp.h"

namespace burin::emulate {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// The cycles for which instructions let each warp wait, and those of its clock.
class Sleeps : public Listener {
 public:
  void executed(const Event& event) override {
    slept_[event.warp->index] += event.warp->slept;
    cycles_[event.warp->index] = event.warp->cycles;
  }
  std::uint64_t slept() const { return slept_[0]; }
  std::uint64_t cycles() const { return cycles_[0]; }

 private:
  std::array<std::uint64_t, 32> slept_{};
  std::array<std::uint64_t, 32> cycles_{};
};

Launched run_waits(const std::string& name, std::vector<std::string> arguments, Listener* listener,
                   unsigned sm = 90) {
  Launched::Shape shape{.block = {64}, .arguments = std::move(arguments), .sm = sm};
  shape.options.listener = listener;
  return Launched("waits", name, shape);
}

TEST(ClockWait, TakesAsLongAsAsked) {
  for (const unsigned sm : {80u, 90u}) {
    for (const std::uint64_t cycles : {1000u, 1'000'000u, 2'000'000'000u}) {
      for (const std::string name : {"wait_cycles", "wait_clock"}) {
        Sleeps sleeps;
        const std::string type = name == "wait_cycles" ? "i64:" : "i32:";
        const Launched run =
            run_waits(name, {type + std::to_string(cycles), "buf:1K:undef"}, &sleeps, sm);
        ASSERT_EQ(run.error(), "") << name << sm;
        EXPECT_EQ(run.word(1, 63), 1u);
        EXPECT_GE(sleeps.cycles(), cycles) << name << sm;
        EXPECT_LE(static_cast<double>(sleeps.cycles()), 1.07 * static_cast<double>(cycles) + 200)
            << name << sm;
        EXPECT_LT(run.run().executed(), 20'000u) << name << sm;
      }
    }
  }
}

TEST(ClockWait, TheTimerCountsNanoseconds) {
  Sleeps sleeps;
  const Launched run = run_waits("wait_timer", {"u64:1000000", "buf:1K:undef"}, &sleeps);
  ASSERT_EQ(run.error(), "");
  EXPECT_NEAR(static_cast<double>(sleeps.cycles()), 2e6, 0.07 * 2e6);
}

TEST(ClockWait, SleepingTakesItsTime) {
  Sleeps sleeps;
  const Launched run = run_waits("sleep", {"u32:500", "i32:8", "buf:1K:undef"}, &sleeps);
  ASSERT_EQ(run.error(), "");
  EXPECT_EQ(sleeps.slept(), 8u * 500u * 2u);
}

TEST(ClockWait, WhatTheLoopCountsIsUnknown) {
  Sleeps sleeps;
  const Launched run = run_waits("count_while_waiting", {"i64:100000", "buf:1K:undef"}, &sleeps);
  ASSERT_EQ(run.error(), "");
  EXPECT_EQ(run.word(1, 0), std::nullopt);
  EXPECT_EQ(run.word(1, 64), 1u);
}

TEST(ClockWait, ALimitOfAPollDoesNotEndIt) {
  const Launched run = run_waits("wait_or_give_up", {"buf:8:zero", "buf:1K:undef"}, nullptr);
  EXPECT_EQ(run.error(), "");
}

TEST(Limits, AnEndlessLoopThatLoadsDoesNotWaitForWhatItLoads) {
  Launched::Shape shape{.block = {64},
                        .arguments = {"buf:1K:int:9", "i32:10", "i32:0", "buf:1K:undef"}};
  shape.options.most_instructions = 1'000'000'000;
  EXPECT_THAT(
      Launched("waits", "no_step", shape).error(),
      AllOf(StartsWith("the kernel never ends: warp 0 of block 0,0,0 is in the loop at "
                       "waits.cu:"),
            HasSubstr("changes nothing that its end depends on"), Not(HasSubstr("waits for"))));
}

TEST(Limits, ALoadBesideTheOneThatIsAwaitedIsNotNamed) {
  Launched::Shape shape{.block = {1}, .arguments = {"buf:4:zero", "u32:2", "buf:1K:zero"}};
  shape.options.most_instructions = 1'000'000'000;
  EXPECT_THAT(Launched("waits", "count_and_wait", shape).error(),
              HasSubstr("waits for byte 0 of argument 0 (4 bytes), which stays 0x1"));
}

TEST(Limits, TheWarpThatIsBusyIsNamed) {
  Launched::Shape shape{.block = {64}, .arguments = {"buf:4:zero", "u32:3", "buf:1K:undef"}};
  shape.options.most_of_block = 1'000'000;
  shape.options.most_instructions = 1'000'000'000;
  EXPECT_THAT(Launched("waits", "wait_for_counting", shape).error(),
              HasSubstr("; warp 1 of block 0,0,0 is in the loop at waits.cu:"));
}

TEST(Limits, BlocksThatTakeTurnsHaveOneTogether) {
  Launched::Shape shape{.grid = {64}, .block = {64}, .arguments = {"buf:4:zero", "buf:1M:undef"}};
  shape.options.most_of_block = 200'000;
  shape.options.most_instructions = 1'000'000'000;
  const Launched run("waits", "store_and_wait", shape);
  EXPECT_THAT(run.error(),
              AnyOf(StartsWith("no block has finished within the last 2,000,000 warp instructions "
                               "(--max-instructions sets another limit); warp "),
                    StartsWith("block ")));
  EXPECT_LT(run.run().executed(), 5'000'000u);
}

TEST(Limits, MemoryThatIsTouched) {
  for (const unsigned threads : {1u, 2u}) {
    Launched::Shape shape{.grid = {64}, .block = {256}, .arguments = {"buf:1G:undef", "u64:65536"}};
    shape.options.threads = threads;
    shape.options.most_memory = 16 << 20;
    const Launched run("waits", "scatter", shape);
    EXPECT_THAT(run.error(),
                AllOf(StartsWith("not enough memory: emulating this launch needs more than the 16 "
                                 "MiB that burin may use here; the kernel has touched "),
                      HasSubstr(" of its 1 GiB of buffers so far")));
    shape.options.most_memory = 256 << 20;
    EXPECT_EQ(Launched("waits", "scatter", shape).error(), "");
  }
}

TEST(Limits, ContentsAreReadAfterTheRun) {
  Launched::Shape shape{.block = {32}, .arguments = {"buf:1G:zero", "u64:65536"}};
  shape.options.most_memory = 1 << 20;
  const Launched run("waits", "scatter", shape);
  ASSERT_EQ(run.error(), "");
  for (std::size_t k = 0; k < 1024; ++k) EXPECT_EQ(run.word(0, 16384 * (k + 40)), 0u);
}

}  // namespace
}  // namespace burin::emulate
