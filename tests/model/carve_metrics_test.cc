// Metrics of carving: the published example, and counts by hand on real SASS.
#include <gtest/gtest.h>

#include <cmath>

#include "base/file.h"
#include "launch/argument.h"
#include "machine/load.h"
#include "model/carve/launch_counts.h"
#include "model/carve/metrics.h"
#include "read/binary/container.h"
#include "read/program/kernel.h"

namespace burin::model {
namespace {

// Section 4.2 of "Program optimization carving for GPU computing": a 4096 × 4096 product.
TEST(CarveMetrics, ThePublishedExample) {
  EXPECT_NEAR(efficiency(15150, std::pow(2, 24)), 3.93e-12, 0.005e-12);
  EXPECT_NEAR(utilization(15150, 512 + 256 + 1, 8, 2), 227, 0.5);
}

TEST(CarveMetrics, OneWarpThatIsAloneUtilizesNothing) {
  EXPECT_EQ(utilization(1000, 10, 1, 1), 0);
}

class TiledProduct : public ::testing::Test {
 protected:
  // examples/matrix_product.cu: 16 × 16 threads, one tile of each matrix per iteration.
  void count(std::uint32_t n) {
    const auto file = MappedFile::open(BURIN_SOURCE_DIR "/examples/matrix_product.sm_90.cubin");
    ASSERT_TRUE(file.ok()) << file.error().message;
    const auto container = read::open_container(file->bytes());
    ASSERT_TRUE(container.ok()) << container.error().message;
    const auto image = read::load(container->entries.front());
    ASSERT_TRUE(image.ok()) << image.error().message;
    const auto kernel =
        read::build_kernel(*image, image->functions.front(), {.dependences = false});
    ASSERT_TRUE(kernel.ok()) << kernel.error().message;
    const std::string bytes = "buf:" + std::to_string(4 * n * n) + ":f32";
    const std::vector<std::string> texts = {bytes, bytes, bytes, "i32:" + std::to_string(n)};
    const auto arguments = launch::parse_arguments(texts);
    ASSERT_TRUE(arguments.ok());
    const launch::Launch launch{
        .grid = {n / 16, n / 16}, .block = {16, 16}, .arguments = *arguments};
    machine_ = *machine::load_machine("h200");
    const auto counts = count_launch(*kernel, launch, machine_, {});
    ASSERT_TRUE(counts.ok()) << counts.error().message;
    counts_ = *counts;
  }

  machine::Machine machine_;
  LaunchCounts counts_;
};

// By hand, per iteration: the two LDG are issued together, so the two STS that consume them end one
// region; the two BAR end two more. The loop is unrolled four times, which changes nothing here.
TEST_F(TiledProduct, RegionsAsCountedByHand) {
  count(256);
  EXPECT_EQ(counts_.barriers, 2 * 16);
  EXPECT_EQ(counts_.long_waits, 16);
  EXPECT_EQ(counts_.long_loads, 2 * 16);
  EXPECT_EQ(counts_.special_waits, 0);
  EXPECT_EQ(counts_.regions(), 3 * 16 + 1);
  count(512);
  EXPECT_EQ(counts_.regions(), 3 * 32 + 1);
}

TEST_F(TiledProduct, TrafficAsCountedByHand) {
  count(256);
  // A tile is 16 rows of 64 bytes: a warp's two rows are 4 sectors, each fully used. 16 iterations
  // of 8 warps with 2 loads, and a store at the end.
  EXPECT_EQ(counts_.requests, 16 * 8 * 2 + 8);
  EXPECT_EQ(counts_.sectors, 4 * (16 * 8 * 2 + 8));
  EXPECT_EQ(counts_.sectors, counts_.ideal_sectors);
  EXPECT_EQ(counts_.l2_write_bytes, 16 * 16 * 4);
  EXPECT_EQ(counts_.l2_read_bytes, 2 * 16 * 1024);  // 16 tiles of each matrix, none twice
  // Two inputs are read and one output is written, once each.
  EXPECT_EQ(counts_.dram_bytes, 3 * 4 * 256 * 256);
  EXPECT_EQ(counts_.warps, 8);
  EXPECT_EQ(counts_.registers, 32);
  EXPECT_EQ(counts_.resident_blocks, 8);
  EXPECT_EQ(counts_.spill_bytes, 0);
}

TEST_F(TiledProduct, ModernVariantsAreSelectable) {
  count(1024);
  const std::vector<LaunchCounts> launches = {counts_};
  const Metrics published = metrics_of(launches, machine_, kPublishedMetrics);
  EXPECT_NEAR(published.axes[0], efficiency(counts_.instructions, 1024 * 1024), 1e-20);
  EXPECT_NEAR(published.axes[1], utilization(counts_.instructions, 3 * 64 + 1, 8, 8), 1e-9);
  EXPECT_GT(published.axes[1], 1);  // no cap
  const Metrics modern = metrics_of(launches, machine_, kModernMetrics);
  EXPECT_LE(modern.axes[1], 1);
  EXPECT_GT(modern.axes[1], 0.5);
  // Cycles of the busiest pipe are no fewer than the issue cycles of the busiest SM.
  const double blocks = std::ceil(64.0 * 64 / machine_.sm.count);
  EXPECT_LE(modern.axes[0], 1 / (blocks * counts_.issue_cycles / machine_.sm.schedulers));
  // Without ILP a warp waits for memory and nothing else.
  MetricChoice without = kModernMetrics;
  without.ilp = false;
  EXPECT_NE(level_cycles(counts_, machine_, without).exposed,
            level_cycles(counts_, machine_, kModernMetrics).exposed * 2);
  EXPECT_EQ(without.dimensions(), 3u);
  EXPECT_EQ(kPublishedMetrics.dimensions(), 2u);
}

// One block on one SM: its round takes as long as its longest warp, however few its instructions.
TEST(LevelCycles, ALoneBlockExposesItsLatency) {
  const machine::Machine machine = *machine::load_machine("h200");
  LaunchCounts counts;
  counts.blocks = 1;
  counts.warps = 1;
  counts.threads = 32;
  counts.resident_blocks = 32;
  counts.issue_cycles = 100;
  counts.alone_cycles = 5000;
  const LevelCycles one = level_cycles(counts, machine, kModernMetrics);
  EXPECT_EQ(one.pipe, 100);  // a single scheduler has a warp
  EXPECT_EQ(one.exposed, 5000 + machine.dispatch.latency);
  counts.blocks = 32 * machine.sm.count;
  counts.alone_cycles = 100;
  const LevelCycles full = level_cycles(counts, machine, kModernMetrics);
  EXPECT_EQ(full.pipe, 32 * 100 / machine.sm.schedulers);
  EXPECT_EQ(full.exposed, std::max(full.pipe, 100 + machine.dispatch.latency));
}

}  // namespace
}  // namespace burin::model
