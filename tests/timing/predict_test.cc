// Does a prediction behave: the same twice, cheaper than the grid, faster on a faster machine?
#include "timing/predict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>

#include "read/isa/decode.h"
#include "timed_launch.h"
#include "timing/code/timed_code.h"

namespace burin::timing {
namespace {

using testing::HasSubstr;

TimedLaunch::Shape saxpy(std::uint32_t blocks) {
  const std::string n = std::to_string(256ull * blocks);
  const std::string bytes = std::to_string(1024ull * blocks);
  return {.grid = {blocks},
          .block = {256},
          .cluster = {},
          .arguments = {"f32:2", "buf:" + bytes + ":f32", "buf:" + bytes + ":f32", "i32:" + n}};
}

// Every number of it, as bits.
std::vector<std::uint64_t> bits(const Prediction& p) {
  std::vector<std::uint64_t> out;
  const auto add = [&](double value) { out.push_back(std::bit_cast<std::uint64_t>(value)); };
  const auto add_stalls = [&](const std::array<launch::StallCycles, launch::kStalls>& stalls) {
    for (const launch::StallCycles& s : stalls) add(s.active), add(s.latency);
  };
  for (const double value :
       {p.time_us, p.cycles, p.waves, p.tail_share, p.instructions, p.ipc, p.l1_hit_rate,
        p.l2_hit_rate, p.l2_bytes, p.dram_read_bytes, p.dram_write_bytes, p.warp_cycles, p.issued,
        p.unknown_share, p.extrapolated_share}) {
    add(value);
  }
  for (const double value : p.busy) add(value);
  add_stalls(p.stalls);
  for (const InstructionCost& c : p.costs) {
    for (const double value : {c.issued, c.unknown, c.sectors, c.l1_hits, c.l2_hits, c.passes,
                               c.ideal_passes, c.padded_passes}) {
      add(value);
    }
    add_stalls(c.stalls);
  }
  for (const Blame& b : p.blames) {
    out.insert(out.end(), {b.cause, b.waits, static_cast<std::uint64_t>(b.stall)});
    add(b.cycles.active);
    add(b.cycles.latency);
  }
  out.insert(out.end(), {p.executed, p.replayed});
  return out;
}

TEST(Predict, IsTheSameEveryTimeAndForAnyThreads) {
  for (const char* line : {"saxpy/odd", "gather/odd", "heat_tile/odd", "spmv_vector/odd",
                           "mandelbrot/odd", "gemm_pipeline/edge", "cluster_sum/four"}) {
    const TimedLaunch launch(line);
    const std::vector<std::uint64_t> first = bits(launch.prediction(h200(), {.threads = 1}));
    EXPECT_EQ(first, bits(launch.prediction(h200(), {.threads = 1}))) << line;
    EXPECT_EQ(first, bits(launch.prediction(h200(), {.threads = 4}))) << line;
  }
}

// Its blocks read what others have written, and branch on it.
TEST(Predict, IsTheSameForAnyThreadsWhereBlocksRace) {
  const TimedLaunch launch(
      "graph", "bfs_level",
      {.grid = {15625},
       .block = {256},
       .cluster = {},
       .arguments = {"buf:16000004:rowptr:8", "buf:128000000:int:4000000", "buf:16000000:int:9",
                     "buf:4:zero", "i32:3", "i32:4000000"}});
  const std::vector<std::uint64_t> first = bits(launch.prediction(h200(), {.threads = 1}));
  for (int k = 0; k < 2; ++k) EXPECT_EQ(first, bits(launch.prediction(h200(), {.threads = 8})));
}

TEST(Predict, DoesNotCostMoreForALargerGrid) {
  const Prediction some = TimedLaunch("stream", "saxpy", saxpy(100'000)).prediction();
  const Prediction many = TimedLaunch("stream", "saxpy", saxpy(1'000'000)).prediction();
  EXPECT_LE(many.replayed, 2 * some.replayed);
  EXPECT_LE(many.executed, 2 * some.executed);
  EXPECT_LT(many.replayed, 300'000u);
  EXPECT_NEAR(many.cycles / some.cycles, 10, 1.5);
  EXPECT_GT(many.extrapolated_share, 0.9);
  // A thousand blocks are replayed whole: the limit is not their number, but what is enough.
  const Prediction few = TimedLaunch("stream", "saxpy", saxpy(1000)).prediction();
  EXPECT_LE(few.replayed, many.replayed);
  EXPECT_NEAR(few.extrapolated_share, 0, 1e-9);
}

TEST(Predict, CountsAndTrafficAreThoseOfTheWholeGrid) {
  const Prediction p = TimedLaunch("stream", "saxpy", saxpy(100'000)).prediction();
  const double bytes = 100'000.0 * 1024;
  EXPECT_NEAR(p.dram_read_bytes, 2 * bytes, 0.1 * bytes);
  EXPECT_LE(p.dram_write_bytes, 1.1 * bytes);
  EXPECT_GE(p.l2_bytes, 2.9 * bytes);
  const Prediction tenth = TimedLaunch("stream", "saxpy", saxpy(10'000)).prediction();
  EXPECT_NEAR(p.instructions, 10 * tenth.instructions, 1e-6 * p.instructions);
}

// Launches that memory, shared memory, arithmetic and latency limit.
const std::vector<const char*> kVaried{
    "saxpy/large",     "gather/large",     "transpose_naive/large", "product_f32/large",
    "heat_tile/large", "polynomial/large", "sum_shared/large",      "local_sort/large"};

// Blocks at the border end early, so blocks from all over the grid are replayed.
TEST(Predict, PlanesThatEarlierBlocksHaveReadAreInTheL2Cache) {
  const TimedLaunch planes(
      "planes.fatbin", "planes",
      {.grid = {25, 50, 410},
       .block = {16, 8},
       .arguments = {"buf:524800000", "buf:524800000", "i32:400", "i32:400", "i32:410"}});
  const Prediction p = planes.prediction();
  EXPECT_NEAR(p.dram_read_bytes / 524.8e6, 1, 0.1);
  EXPECT_NEAR(p.dram_write_bytes / 524.8e6, 1, 0.1);
}

TEST(Predict, MoreBandwidthIsNeverSlower) {
  machine::Machine fast = h200();
  fast.dram.bandwidth *= 1.5;
  fast.dram.write_bandwidth *= 1.5;
  fast.dram.scattered *= 1.5;
  for (const char* line : kVaried) {
    const TimedLaunch launch(line);
    EXPECT_LE(launch.prediction(fast).cycles, 1.02 * launch.prediction().cycles) << line;
  }
  const TimedLaunch stream("stream", "saxpy", saxpy(100'000));
  EXPECT_LT(stream.prediction(fast).cycles, 0.95 * stream.prediction().cycles);
}

TEST(Predict, MoreSmsAreNeverSlower) {
  machine::Machine more = h200();
  more.sm.count *= 2;
  for (const char* line : kVaried) {
    const TimedLaunch launch(line);
    // What they share they also fight for: in the model's order of events, a little may be lost.
    EXPECT_LE(launch.prediction(more).cycles, 1.05 * launch.prediction().cycles) << line;
  }
}

TEST(Predict, HalfTheClockIsTwiceTheTime) {
  machine::Machine slow = h200();
  slow.sm.clock_mhz /= 2;
  const TimedLaunch launch("heat_tile/odd");
  const Prediction p = launch.prediction();
  const Prediction q = launch.prediction(slow);
  EXPECT_EQ(p.cycles, q.cycles);
  EXPECT_DOUBLE_EQ(2 * p.time_us, q.time_us);
  EXPECT_DOUBLE_EQ(p.time_us, p.cycles / h200().sm.clock_mhz);
}

TEST(Predict, WarmCachesAreNeverSlower) {
  for (const char* line : kVaried) {
    const TimedLaunch launch(line);
    const Prediction cold = launch.prediction();
    const Prediction warm = launch.prediction(h200(), {.warm = true});
    EXPECT_LE(warm.cycles, 1.01 * cold.cycles) << line;
    EXPECT_LE(warm.dram_read_bytes, cold.dram_read_bytes) << line;
    EXPECT_GE(warm.l2_hit_rate, cold.l2_hit_rate) << line;
  }
}

TEST(Predict, AGivenHitRateIsTheOneOfTheL2) {
  for (const char* line : kVaried) {
    const TimedLaunch launch(line);
    const Prediction none = launch.prediction(h200(), {.l2_hit = 0});
    const Prediction half = launch.prediction(h200(), {.l2_hit = 0.5});
    const Prediction all = launch.prediction(h200(), {.l2_hit = 1});
    // Another order of the warps may cost a little more than faster answers gain.
    EXPECT_LE(all.cycles, 1.03 * half.cycles) << line;
    EXPECT_LE(half.cycles, 1.03 * none.cycles) << line;
    EXPECT_LE(all.cycles, 1.03 * none.cycles) << line;
    EXPECT_LT(all.dram_read_bytes, 16 << 10) << line;  // the code, and what each launch reads
    EXPECT_DOUBLE_EQ(all.l2_hit_rate, 1) << line;
    EXPECT_LT(half.l2_hit_rate, 1) << line;
  }
}

TEST(Predict, WavesAndTailFollowFromTheBlocks) {
  const Prediction p = TimedLaunch("stream", "saxpy", saxpy(132 * 8 + 1)).prediction();
  EXPECT_EQ(p.occupancy.blocks, 8u);
  EXPECT_NEAR(p.waves, 1 + 1.0 / (132 * 8), 1e-9);
  EXPECT_GT(p.tail_share, 0);
  EXPECT_EQ(TimedLaunch("stream", "saxpy", saxpy(132 * 8)).prediction().tail_share, 0);
  EXPECT_GT(p.launch_cycles, 0);
  EXPECT_GT(p.cycles, p.launch_cycles);
}

TEST(Predict, SaysWhatRestsOnUnknownValues) {
  EXPECT_EQ(TimedLaunch("saxpy/tiny").prediction().unknown_share, 0);
  // A gather through an index that is not known.
  const TimedLaunch launch(
      "stream", "gather",
      {.grid = {8},
       .block = {128},
       .cluster = {},
       .arguments = {"buf:4096:undef", "buf:4096:f32", "buf:4096:undef", "i32:1024"}});
  EXPECT_GT(launch.prediction().unknown_share, 0);
}

// What cannot be served ends in one sentence.
void expect_refusal(const Result<Prediction>& p, const std::string& about) {
  ASSERT_FALSE(p);
  EXPECT_THAT(p.error().message, HasSubstr(about));
  EXPECT_EQ(p.error().message.find('\n'), std::string::npos);
  EXPECT_EQ(p.error().exit, Exit::kInput);
}

TEST(Predict, RefusesALaunchThatNoSmCanHold) {
  const TimedLaunch launch("saxpy/large");
  machine::Machine small = h200();
  small.limit.registers = small.limit.registers_per_block = 1024;
  expect_refusal(launch.predict(small, {}), "registers");
  small = h200();
  small.limit.threads = 128;
  expect_refusal(launch.predict(small, {}), "threads");
  const TimedLaunch tile("transpose_shared/tiny");
  small = h200();
  small.limit.shared = small.limit.shared_per_block = 2048;
  expect_refusal(tile.predict(small, {}), "shared");
}

// Neither ends where a block is executed alone.
TEST(Predict, BlocksThatWaitForOneAnotherAreExecutedSideBySide) {
  const TimedLaunch launch(
      "grid.fatbin", "together",
      {.grid = {16}, .block = {64}, .arguments = {"buf:4K", "buf:4K", "buf:4K"}});
  const Prediction synced = launch.prediction();
  // Two barriers of the grid, each at least a trip to the L2 cache and back.
  EXPECT_GT(synced.cycles, 4 * h200().l2.latency);
  EXPECT_LT(synced.time_us, 20);
  const TimedLaunch chained(
      "grid.fatbin", "backwards",
      {.grid = {8}, .block = {32}, .arguments = {"buf:64:zero", "buf:64:zero"}});
  EXPECT_GT(chained.prediction().cycles, 7 * h200().l2.latency);
}

TEST(Predict, RefusesAnInstructionThatItDoesNotKnow) {
  TimedLaunch launch("saxpy/tiny");
  launch.kernel().instructions[2] = read::decode(~0ull, ~0ull, {90}, 32);
  ASSERT_FALSE(launch.kernel().instructions[2].known());
  expect_refusal(launch.predict(h200(), {}), "0x20");
}

// Padding after the last EXIT is never fetched as an instruction, whatever it holds.
TEST(Predict, AnUnknownLastWordChangesNothing) {
  TimedLaunch launch("saxpy/tiny");
  const Prediction before = launch.prediction();
  std::vector<read::Instruction>& code = launch.kernel().instructions;
  code.back() = read::decode(~0ull, ~0ull, {90}, code.back().offset);
  ASSERT_FALSE(code.back().known());
  EXPECT_EQ(timed_code(launch.kernel(), h200()).back().fetch_line,
            code.back().offset / static_cast<unsigned>(h200().fetch.line));
  EXPECT_EQ(bits(launch.prediction()), bits(before));
}

TEST(Predict, AKernelThatNeverEndsIsRefusedInTime) {
  const auto endless = [](const std::string& name, std::vector<std::string> arguments) {
    return TimedLaunch("endless.fatbin", name,
                       {.grid = {300}, .block = {64}, .arguments = std::move(arguments)})
        .predict(h200(), {.most_instructions = 2'000'000});
  };
  expect_refusal(endless("wait_word", {"buf:4:zero", "buf:256:undef"}),
                 "waits for byte 0 of argument 0 (4 bytes), which stays 0x0");
  expect_refusal(endless("lock_twice", {"buf:4:zero", "buf:256:undef"}), "never ends");
  expect_refusal(endless("step_over", {"u32:3", "buf:256:undef"}), "in the loop at endless.cu:");
}

TEST(Predict, RefusesMoreInstructionsThanItMayExecute) {
  const TimedLaunch launch("product_f32/large");
  expect_refusal(launch.predict(h200(), {.most_instructions = 100}), "100");
  EXPECT_TRUE(launch.predict(h200(), {.most_instructions = 100'000'000}));
}

TEST(Predict, AHitRateGivenForALineIsThatLinesOnly) {
  const TimedLaunch launch("gather/large");
  const read::Kernel& kernel = launch.kernel();
  const Prediction emulated = launch.prediction(h200(), {});
  // The line of the gather: the one whose loads ask for the most sectors.
  std::size_t most = 0;
  for (std::size_t i = 0; i < emulated.costs.size(); ++i)
    if (emulated.costs[i].sectors > emulated.costs[most].sectors) most = i;
  const std::int32_t at = kernel.location_at(static_cast<std::uint32_t>(16 * most));
  ASSERT_GE(at, 0);
  const std::uint32_t line = kernel.image->locations[static_cast<std::size_t>(at)].line;
  const Prediction given = launch.prediction(h200(), {.line_l2_hit = {{"", line, 0.0}}});
  EXPECT_EQ(given.costs[most].l2_hits, 0);
  EXPECT_GT(given.dram_read_bytes, emulated.dram_read_bytes);
  const Prediction elsewhere = launch.prediction(h200(), {.line_l2_hit = {{"", 1, 0.0}}});
  EXPECT_EQ(elsewhere.cycles, emulated.cycles);
}

}  // namespace
}  // namespace burin::timing
