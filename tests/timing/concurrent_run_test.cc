// Blocks that mind each other: do the traces and the time have what that costs?
#include "timing/trace/concurrent_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "timed_launch.h"

namespace burin::timing {
namespace {

using testing::Contains;
using testing::HasSubstr;

std::string buffer(std::uint64_t bytes, const char* fill) {
  return "buf:" + std::to_string(bytes) + ":" + fill;
}

double counted(const TimedLaunch& launch) {
  const std::vector<double> counts = launch.counts();
  return std::accumulate(counts.begin(), counts.end(), 0.0);
}

TEST(ConcurrentRun, SaysHowBlocksMindEachOther) {
  EXPECT_EQ(inter_block_sync_of(TimedLaunch("saxpy/odd").kernel()), InterBlockSync::kNone);
  EXPECT_EQ(inter_block_sync_of(TimedLaunch("work_queue/odd").kernel()), InterBlockSync::kCounters);
  EXPECT_EQ(inter_block_sync_of(TimedLaunch("last_block_sums/odd").kernel()),
            InterBlockSync::kCounters);
  EXPECT_EQ(inter_block_sync_of(TimedLaunch("atomics_shared/odd").kernel()),
            InterBlockSync::kOwnBlock);
  EXPECT_EQ(inter_block_sync_of(TimedLaunch("cas_largest/odd").kernel()), InterBlockSync::kAll);
  EXPECT_EQ(inter_block_sync_of(TimedLaunch("chained_sums/odd").kernel()), InterBlockSync::kAll);
  EXPECT_EQ(inter_block_sync_of(TimedLaunch("scan_lookback/odd").kernel()),
            InterBlockSync::kAll);  // adds nothing
}

TEST(ConcurrentRun, AChainOfBlocksTakesItsLinksOneAfterTheOther) {
  const auto chained = [](std::uint32_t blocks) {
    const TimedLaunch launch(
        "uneven", "chained_sums",
        {.grid = {blocks},
         .block = {128},
         .arguments = {buffer(512ull * blocks, "int:100"), buffer(512ull * blocks, "undef"),
                       buffer(4ull * blocks, "zero"), buffer(4ull * blocks, "zero"),
                       "buf:4:zero"}});
    return launch.prediction();
  };
  const Prediction few = chained(264);
  const Prediction many = chained(528);
  // Twice the links take twice the time, though the GPU has room for all of them at once.
  EXPECT_GT(many.cycles - many.launch_cycles, 1.8 * (few.cycles - few.launch_cycles));
  EXPECT_GT(many.cycles, 528 * 2 * h200().l2.latency);
  EXPECT_THAT(many.notes, Contains(HasSubstr("inter-block synchronisation")));
}

TEST(ConcurrentRun, BlocksThatComeTooLateTryAgain) {
  const auto largest = [](std::uint32_t places) {
    return TimedLaunch("uneven", "cas_largest",
                       {.grid = {528},
                        .block = {256},
                        .arguments = {buffer(540672, "f32"), buffer(4ull * places, "zero"),
                                      "i32:" + std::to_string(places), "i32:135168"}})
        .prediction();
  };
  // At one place all are in each other's way.
  EXPECT_GT(largest(1).cycles, 5 * largest(100000).cycles);
}

TEST(ConcurrentRun, AQueueIsSharedByAllSms) {
  const TimedLaunch launch("uneven", "work_queue",
                           {.grid = {264},
                            .block = {128},
                            .arguments = {buffer(2048000, "f32"), buffer(2048000, "undef"),
                                          "buf:4:zero", "i32:4000", "i32:20"}});
  const Prediction p = launch.prediction();
  EXPECT_NEAR(p.instructions / counted(launch), 1, 0.25);
  EXPECT_LT(p.executed, counted(launch) / 2);
}

TEST(ConcurrentRun, TheLastBlockFinishesAlone) {
  const auto sums = [](std::uint32_t blocks) {
    return TimedLaunch("uneven", "last_block_sums",
                       {.grid = {blocks},
                        .block = {32},
                        .arguments = {buffer(4096, "f32"), buffer(4ull * blocks, "undef"),
                                      "buf:4:undef", "buf:4:zero", "i32:1024"}})
        .prediction();
  };
  // What it adds grows with the grid: 62 loads more for each of its lanes, four at a time.
  const double more = sums(4000).cycles - sums(2000).cycles;
  EXPECT_GT(more, 62 / 4 * h200().l2.latency);
}

TEST(ConcurrentRun, WarpsOfABlockContendInSharedMemory) {
  const TimedLaunch launch(
      "atomics", "atomics_shared",
      {.grid = {264},
       .block = {256},
       .arguments = {buffer(270336, "int:1000"), buffer(270336, "undef"), "i32:67584"}});
  EXPECT_GT(launch.prediction().instructions, 1.1 * counted(launch));
}

}  // namespace
}  // namespace burin::timing
