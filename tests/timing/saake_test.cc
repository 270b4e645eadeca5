// Does the paper's model, fed from real kernels, keep its books and answer to what it is told?
#include "timing/saake/saake.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/file.h"
#include "machine/load.h"
#include "read/binary/container.h"

namespace burin::timing {
namespace {

class SaakeTest : public testing::Test {
 protected:
  SaakeTest() : machine_(*machine::load_machine("h200")) {}

  // A kernel of examples/, launched.
  Prediction predict(const std::string& example, const std::string& name, launch::Dims grid,
                     launch::Dims block, const std::vector<std::string>& arguments,
                     PredictOptions options = {}) {
    Result<MappedFile> file =
        MappedFile::open(BURIN_SOURCE_DIR "/examples/" + example + ".sm_90.cubin");
    const Result<read::Container> container = read::open_container(file->bytes());
    const Result<read::Image> image = read::load(container->entries[0]);
    for (const read::Function& function : image->functions) {
      if (function.name != name) continue;
      kernel_ = *read::build_kernel(*image, function, {.dependences = false});
      launch::Launch launch{
          .grid = grid, .block = block, .arguments = *launch::parse_arguments(arguments)};
      const Result<Prediction> p = predict_saake(kernel_, launch, machine_, options);
      if (p) {
        classes_.clear();
        for (const read::Instruction& i : kernel_.instructions)
          classes_.push_back(machine::timing_class(i));
        return *p;
      }
      ADD_FAILURE() << p.error().message;
    }
    return {};
  }
  Prediction vector_add(std::uint32_t blocks, PredictOptions options = {}) {
    const std::string bytes = std::to_string(blocks * 1024);
    return predict("vector_add", "vector_add", {blocks}, {256},
                   {"buf:" + bytes + ":f32", "buf:" + bytes + ":f32", "buf:" + bytes + ":undef",
                    "i32:" + std::to_string(blocks * 256)},
                   std::move(options));
  }
  Prediction transpose(const std::string& name, PredictOptions options = {}) {
    return predict("transpose", name, {32, 32}, {32, 8}, {"buf:4M:f32", "buf:4M:undef", "i32:1024"},
                   std::move(options));
  }

  // Every warp-cycle is issued or stalled, in all and instruction by instruction.
  static void expect_conserved(const Prediction& p) {
    double stalled = 0, by_instruction = 0;
    for (const launch::StallCycles& cycles : p.stalls) {
      EXPECT_GE(cycles.active, 0);
      EXPECT_GE(cycles.latency, 0);
      stalled += cycles.sum();
    }
    for (const InstructionCost& cost : p.costs) {
      by_instruction += cost.issued;
      for (const launch::StallCycles& cycles : cost.stalls) by_instruction += cycles.sum();
    }
    EXPECT_NEAR(p.issued + stalled, p.warp_cycles, 1e-9 * p.warp_cycles);
    EXPECT_NEAR(by_instruction, p.warp_cycles, 1e-9 * p.warp_cycles);
    for (const double busy : p.busy) EXPECT_LE(busy, 1 + 1e-12);
  }

  machine::Machine machine_;
  read::Kernel kernel_;
  std::vector<machine::TimingClass> classes_;
};

TEST_F(SaakeTest, AccountsForEveryCycle) {
  expect_conserved(vector_add(132 * 8));
  expect_conserved(transpose("transpose"));
  expect_conserved(predict("reduction", "reduction", {264}, {256},
                           {"buf:1M:f32", "buf:4:zero", "i32:262144"}, {.l2_hit = 0.5}));
}

TEST_F(SaakeTest, StreamsAtTheBandwidthOfDram) {
  const Prediction p = vector_add(132 * 64);
  const double bytes = 132.0 * 64 * 256 * 12;
  EXPECT_NEAR(p.dram_read_bytes + p.dram_write_bytes, bytes, 1);
  EXPECT_NEAR(p.dram_write_bytes, bytes / 3, 1);
  const double least = bytes / machine_.dram.bandwidth;
  EXPECT_GE(p.cycles, least);
  // The phases follow one another, so each of the 8 shows its latencies: of loads, then stores.
  EXPECT_LE(p.cycles, least + 8 * 3 * machine_.dram.latency);
  const double busiest = *std::ranges::max_element(p.busy);
  EXPECT_EQ(p.busy[static_cast<std::size_t>(machine::Resource::kDram)], busiest);
  EXPECT_NEAR(p.waves, 8, 1e-9);
}

TEST_F(SaakeTest, TimeIsProportionalToTheBlocksButNeverLessThanOnce) {
  const double one = vector_add(132 * 8).cycles;
  EXPECT_NEAR(vector_add(132 * 12).cycles, 1.5 * one, 0.02 * one);
  EXPECT_GT(vector_add(1).cycles, machine_.dram.latency);
}

TEST_F(SaakeTest, TheHitRateMovesAccessesToL2) {
  const Prediction none = vector_add(132 * 8);
  const Prediction half = vector_add(132 * 8, {.l2_hit = 0.5});
  const Prediction all = vector_add(132 * 8, {.l2_hit = 1});
  EXPECT_EQ(none.l2_hit_rate, 0);
  EXPECT_NEAR(half.l2_hit_rate, 0.5, 0.05);
  EXPECT_EQ(all.l2_hit_rate, 1);
  EXPECT_EQ(all.dram_read_bytes, 0);
  EXPECT_GT(none.cycles, half.cycles);
  EXPECT_GT(half.cycles, all.cycles);
  EXPECT_EQ(half.cycles, vector_add(132 * 8, {.l2_hit = 0.5}).cycles) << "the draw is fixed";
  EXPECT_FALSE(none.notes.empty());
  EXPECT_TRUE(all.notes.empty()) << all.notes.front();
}

TEST_F(SaakeTest, AHitRateOfALineIsForItsAccessesAlone) {
  // transpose.cu:15 loads, :22 stores.
  const Prediction p = transpose("transpose", {.line_l2_hit = {{"transpose.cu", 15, 1.0}}});
  EXPECT_EQ(p.dram_read_bytes, 0);
  EXPECT_NEAR(p.dram_write_bytes, 4 << 20, 1);
  const Prediction other = transpose("transpose", {.line_l2_hit = {{"other.cu", 15, 1.0}}});
  EXPECT_NEAR(other.dram_read_bytes, 4 << 20, 1);
}

TEST_F(SaakeTest, InstructionsAreThoseOfTheWholeLaunch) {
  const Prediction p = transpose("transpose");
  EXPECT_NEAR(p.instructions, 1024 * 392.0, 1);  // docs/run.md: 25,088 in 64 blocks
  EXPECT_EQ(p.occupancy.blocks, 8u);
}

TEST_F(SaakeTest, BlamesWhatWasWaitedFor) {
  const Prediction p = vector_add(132 * 8);
  ASSERT_FALSE(p.blames.empty());
  const Blame& worst = p.blames.front();
  EXPECT_EQ(worst.stall, launch::Stall::kLongScoreboard);
  EXPECT_EQ(classes_[worst.cause], machine::TimingClass::kMemory);
  EXPECT_LT(worst.cause, worst.waits);
}

TEST_F(SaakeTest, ALaunchThatNoSmCanHoldIsRefused) {
  machine_.limit.shared = machine_.limit.shared_per_block = 1024;
  Result<MappedFile> file = MappedFile::open(BURIN_SOURCE_DIR "/examples/transpose.sm_90.cubin");
  const Result<read::Container> container = read::open_container(file->bytes());
  const Result<read::Image> image = read::load(container->entries[0]);
  const auto function = std::ranges::find(image->functions, "transpose", &read::Function::name);
  kernel_ = *read::build_kernel(*image, *function);
  const launch::Launch launch{.block = {32, 8},
                              .arguments = *launch::parse_arguments(std::vector<std::string>{
                                  "buf:4M:f32", "buf:4M:undef", "i32:1024"})};
  const Result<Prediction> p = predict_saake(kernel_, launch, machine_, {});
  ASSERT_FALSE(p);
  EXPECT_THAT(p.error().message, testing::HasSubstr("shared"));
}

}  // namespace
}  // namespace burin::timing
