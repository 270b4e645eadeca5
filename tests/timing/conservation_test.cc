// Is every cycle of every warp booked once, and do the sums of a prediction agree with its parts?
#include <gtest/gtest.h>

#include <cctype>
#include <map>
#include <tuple>

#include "timed_launch.h"

namespace burin::timing {
namespace {

// Launches that pass through different parts of the model.
struct Case {
  const char* line;
  std::vector<std::uint64_t> blocks;  // that are replayed
};
void PrintTo(const Case& c, std::ostream* out) {
  *out << c.line;
}
const std::vector<Case> kCases{
    {"saxpy/tiny", {0, 5, 12}},          // streaming; the last block is partial
    {"scale_float4/odd", {3, 4}},        // wide accesses in a loop
    {"gather/tiny", {0, 1, 2}},          // irregular
    {"stencil_plane/tiny", {0, 4, 9}},   // neighbours, edges
    {"heat_tile/odd", {6, 34}},          // shared memory and barriers
    {"transpose_shared/tiny", {0, 1}},   // bank conflicts
    {"product_f32/odd", {0, 11}},        // barriers in a loop
    {"mandelbrot/tiny", {0, 1, 5}},      // divergence
    {"early_exits/tiny", {0, 1, 2, 3}},  // warps that end in parts
    {"histogram_shared/tiny", {0, 1}},   // atomics, shared
    {"atomics_32/tiny", {0, 1}},         // … global
    {"local_sort/tiny", {0, 1}},         // local memory
    {"call_chain/odd", {0, 10}},         // calls
    {"producer_consumer/odd", {0, 8}},   // barriers by halves
    {"votes/tiny", {0}},                 // one warp
    {"fft_radix4/tiny", {0}},
    {"product_pipelined/odd", {0, 5}},  // asynchronous copies
    {"wmma_f16/odd", {0, 7}},           // tensor cores
    {"async_barrier/eight", {0, 1}},    // mbarriers
    {"gemm_pipeline/square", {0, 3}},   // TMA and wgmma
    {"gemm_specialised/tiny", {0}},
    {"cluster_sum/four", {0, 4}},
    {"ring/two", {0}},
};

double stalled(const Account& account) {
  double sum = 0;
  for (const launch::StallCycles& s : account.stalls()) sum += s.sum();
  return sum;
}

// What two sums of the same doubles in different orders may differ by.
double rounding(double value) {
  return 1e-9 * std::abs(value) + 1e-6;
}

void expect_splits(const std::array<launch::StallCycles, launch::kStalls>& stalls,
                   const std::string& whose) {
  for (std::size_t s = 0; s < launch::kStalls; ++s) {
    const std::string_view stall = launch::name(static_cast<launch::Stall>(s));
    EXPECT_GE(stalls[s].active, 0) << stall << whose;
    EXPECT_GE(stalls[s].latency, -rounding(stalls[s].active)) << stall << whose;
  }
}

class Conservation : public testing::TestWithParam<Case> {};

// When things happen does not hang on whether it is written down what they waited for.
TEST_P(Conservation, TimesAreThoseWithoutTheBooks) {
  const TimedLaunch launch(GetParam().line);
  const SmRun with = launch.replay(GetParam().blocks, {}).run;
  const SmRun without = launch.replay(GetParam().blocks, {.attribute_stalls = false}).run;
  EXPECT_EQ(without.end, with.end);
  EXPECT_EQ(without.weighted, with.weighted);
  EXPECT_EQ(without.smooth_end, with.smooth_end);
  EXPECT_EQ(without.warp_cycles, with.warp_cycles);
}

TEST_P(Conservation, IssuesAndStallsAreTheWarpCycles) {
  const TimedLaunch launch(GetParam().line);
  const TimedLaunch::Replay r = launch.replay(GetParam().blocks, {});
  ASSERT_NE(r.account, nullptr);
  EXPECT_EQ(r.run.replayed, r.steps);
  EXPECT_DOUBLE_EQ(r.account->issued(), static_cast<double>(r.steps));
  EXPECT_GT(r.run.warp_cycles, r.account->issued());
  EXPECT_DOUBLE_EQ(r.account->issued() + stalled(*r.account), r.run.warp_cycles);
  expect_splits(r.account->stalls(), "");
  EXPECT_EQ(r.run.released, 0u);
  EXPECT_EQ(r.account->stalls()[static_cast<std::size_t>(launch::Stall::kMisc)].sum(), 0);
  // A warp cannot be there longer than its block.
  double most = 0;
  for (const BlockTimes& b : r.run.blocks) most += b.end - b.begin;
  EXPECT_LE(r.run.warp_cycles, most * static_cast<double>(launch.launch().block.total() + 31) / 32);
}

// The same where loops are cut short, and steps stand for others.
TEST_P(Conservation, HoldsForWeightedSteps) {
  const TimedLaunch launch(GetParam().line);
  const TimedLaunch::Replay r = launch.replay(GetParam().blocks, {.target = 1});
  ASSERT_NE(r.account, nullptr);
  EXPECT_LE(r.run.replayed, r.steps);
  const double sum = r.account->issued() + stalled(*r.account);
  EXPECT_NEAR(sum, r.run.warp_cycles, rounding(sum));
  EXPECT_EQ(r.run.released, 0u);
  EXPECT_NEAR(r.account->stalls()[static_cast<std::size_t>(launch::Stall::kMisc)].sum(), 0, 1e-9);
}

TEST_P(Conservation, SumsOfAPredictionAgreeWithItsInstructions) {
  const TimedLaunch launch(GetParam().line);
  const Prediction p = launch.prediction();
  ASSERT_EQ(p.costs.size(), launch.kernel().instructions.size());
  double issued = 0;
  std::array<launch::StallCycles, launch::kStalls> stalls{};
  for (const InstructionCost& cost : p.costs) {
    issued += cost.issued;
    for (std::size_t s = 0; s < launch::kStalls; ++s) stalls[s] += cost.stalls[s];
    expect_splits(cost.stalls, " of an instruction");
    EXPECT_LE(cost.l1_hits, cost.sectors + rounding(cost.sectors));
    EXPECT_GE(cost.unknown, 0);
  }
  EXPECT_NEAR(p.issued, issued, rounding(issued));
  EXPECT_NEAR(p.instructions, issued, rounding(issued));
  double sum = issued;
  for (std::size_t s = 0; s < launch::kStalls; ++s) {
    EXPECT_NEAR(p.stalls[s].active, stalls[s].active, rounding(stalls[s].active));
    EXPECT_NEAR(p.stalls[s].latency, stalls[s].latency, rounding(stalls[s].latency));
    sum += p.stalls[s].sum();
  }
  EXPECT_NEAR(p.warp_cycles, sum, rounding(sum));
}

TEST_P(Conservation, BlamesNeverExceedTheStallsTheyExplain) {
  const TimedLaunch launch(GetParam().line);
  const Prediction p = launch.prediction();
  std::map<std::pair<std::uint32_t, launch::Stall>, double> blamed;
  std::map<std::tuple<std::uint32_t, std::uint32_t, launch::Stall>, int> seen;
  double before = std::numeric_limits<double>::infinity();
  for (const Blame& b : p.blames) {
    ASSERT_LT(b.cause, p.costs.size());
    ASSERT_LT(b.waits, p.costs.size());
    EXPECT_LE(b.cycles.sum(), before) << "largest first";
    before = b.cycles.sum();
    blamed[{b.waits, b.stall}] += b.cycles.sum();
    EXPECT_EQ((seen[{b.cause, b.waits, b.stall}]++), 0) << "told once";
  }
  for (const auto& [of, cycles] : blamed) {
    const double all = p.costs[of.first].stalls[static_cast<std::size_t>(of.second)].sum();
    EXPECT_LE(cycles, all + rounding(all)) << launch::name(of.second) << " at " << of.first;
  }
  // Whoever waits for a scoreboard waits for the instruction that set it.
  const auto waited = static_cast<std::size_t>(launch::Stall::kLongScoreboard);
  double told = 0;
  for (const Blame& b : p.blames)
    if (b.stall == launch::Stall::kLongScoreboard) told += b.cycles.sum();
  EXPECT_NEAR(told, p.stalls[waited].sum(), rounding(told));
}

std::string test_name(const testing::TestParamInfo<Case>& info) {
  std::string out = info.param.line;
  for (char& c : out)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  return out;
}
INSTANTIATE_TEST_SUITE_P(Kernels, Conservation, testing::ValuesIn(kCases), test_name);

// Where nothing is cut and every block does the same, a prediction has executed what emulate() has.
TEST(PredictedInstructions, AreThoseThatEmulationCounts) {
  for (const char* line :
       {"saxpy/large", "product_f32/tiny", "heat_tile/tiny", "gemm_pipeline/tiny",
        "transpose_padded/large", "walsh/odd", "transpose_fragments/odd", "wgmma_registers/deep"}) {
    const TimedLaunch launch(line);
    const Prediction p = launch.prediction();
    const std::vector<double> counts = launch.counts();
    ASSERT_EQ(p.costs.size(), counts.size());
    EXPECT_EQ(p.extrapolated_share, 0) << line;
    for (std::size_t i = 0; i < p.costs.size(); ++i) {
      EXPECT_NEAR(p.costs[i].issued, counts[i], 1e-3) << line << ", instruction " << i;
    }
  }
}

}  // namespace
}  // namespace burin::timing
