// Does advice name what an expert would do, with numbers, and not where it does not apply?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "advise/case/owner.h"
#include "advise/case/requests.h"
#include "advise/case/rework.h"
#include "advise/patterns/code/power_series.h"
#include "advise/patterns/mapping/footprint.h"
#include "advise/patterns/mapping/grid_split.h"
#include "advise/patterns/mapping/register_tile.h"
#include "advise/patterns/mapping/row_text.h"
#include "advise/patterns/mapping/row_walk.h"
#include "advise/patterns/mapping/row_work.h"
#include "advise/patterns/reductions/carried.h"
#include "asked.h"

namespace burin::advise {
namespace {

using testing::HasSubstr;
using testing::Not;

Advised row_norms() {
  return Advised("row_norms", "row_norms",
                 {.grid = {132},
                  .block = {256},
                  .arguments = {"buf:17301504:f32", "buf:512:f32", "buf:135168:undef",
                                "buf:135168:undef", "i32:33792", "i32:128"}});
}

Advised mix_features() {
  return Advised("mix_features", "mix_features",
                 {.grid = {32, 64},
                  .block = {16, 16},
                  .arguments = {"buf:4194304:f32", "buf:2097152:f32", "buf:2048:f32",
                                "buf:2097152:undef", "i32:1024", "i32:512", "i32:1024"}});
}

Advised column_statistics(std::uint32_t parts) {
  return Advised("column_statistics", "column_statistics",
                 {.grid = {32, parts},
                  .block = {128},
                  .arguments = {"buf:67108864:f32", "buf:131072:undef", "buf:131072:undef",
                                "buf:131072:undef", "i32:4096", "i32:4096"}});
}

TEST(RowWalk, AThreadPerRowGetsLanesByTheRowsLength) {
  const Advised launch = row_norms();
  const std::optional<RowWalk> walk = row_walk(launch.launch_case());
  ASSERT_TRUE(walk);
  EXPECT_NEAR(walk->elements, 128, 1);
  EXPECT_EQ(walk->stride, 512);
  EXPECT_EQ(walk->lanes, 32);
  EXPECT_TRUE(walk->reduces);
  EXPECT_FALSE(walk->scans);
  const auto found = ask("coalescing", launch);
  ASSERT_TRUE(found);
  EXPECT_THAT(found->hint, HasSubstr("Let the 32 lanes of a warp share a row"));
  EXPECT_THAT(found->hint, HasSubstr("burin predict NEW.cu --kernel row_norms --grid 4224"));
}

TEST(RowWalk, ShortUnequalRowsGetAPartOfAWarp) {
  const Advised launch("spmv_scalar/large");  // 12 elements in a row, on average
  const std::optional<RowWalk> walk = row_walk(launch.launch_case());
  ASSERT_TRUE(walk);
  EXPECT_FALSE(walk->stride);
  EXPECT_GE(walk->lanes, 4u);
  EXPECT_LE(walk->lanes, 8u);
  // Which loop, which lanes, the reduction and the launch.
  const std::string hint = row_hint(launch.launch_case(), *walk);
  const std::string lanes = std::to_string(walk->lanes);
  EXPECT_THAT(hint, HasSubstr("threadIdx.x) / " + lanes + ", lane = threadIdx.x % " + lanes));
  EXPECT_THAT(hint, HasSubstr("Let the loop at sparse.cu:"));
  EXPECT_THAT(hint, HasSubstr("advance by " + lanes + " elements"));
  EXPECT_THAT(hint, HasSubstr("__shfl_down_sync(0xffffffff, sum, d, " + lanes + ")"));
  EXPECT_THAT(hint, HasSubstr("without an early return"));
  EXPECT_EQ(row_launch(launch.launch_case(), *walk),
            "--grid " + std::to_string((47 * 128 * walk->lanes + 255) / 256) + " --block 256");
}

// Long rows: a request's lanes are in lines of their own, though each sector is used again.
TEST(RowWalk, LongUnequalRowsAreNoSmallStructures) {
  const Advised launch(
      "sparse", "spmv_scalar",
      {.grid = {128},
       .block = {128},
       .arguments = {"buf:65540:rowptr:96", "buf:6291456:int:16384", "buf:6291456:f32",
                     "buf:65536:f32", "buf:65536:undef", "i32:16384"}});
  const auto found = ask("coalescing", launch);
  ASSERT_TRUE(found);
  EXPECT_THAT(found->hint, HasSubstr("share a row"));
  // What the columns name stays scattered: no promise counts it as coalesced.
  const auto requests = ask("memory-transaction-reduction", launch);
  EXPECT_TRUE(!requests || requests->speedup <= 1.1 * found->speedup);
}

TEST(RowWalk, CoalescedRowsAreNoWalk) {
  EXPECT_FALSE(row_walk(Advised("saxpy/large").launch_case()));
  EXPECT_FALSE(row_walk(Advised("transpose_naive/large").launch_case()));
  EXPECT_FALSE(row_walk(mix_features().launch_case()));
}

TEST(GridSplit, ALongLoopOfFewThreadsIsSplit) {
  const Advised launch = column_statistics(1);
  const std::optional<GridSplit> split = grid_split(launch.launch_case());
  ASSERT_TRUE(split);
  EXPECT_TRUE(split->reduces);
  EXPECT_GE(split->parts, 32u);  // 128 warps on 132 SMs, of which each should have 32
}

TEST(GridSplit, RunningSumsStayInOrder) {
  EXPECT_FALSE(grid_split(Advised("integral_columns/large").launch_case()));
}

TEST(RegisterTile, AProductGetsTilesOfResults) {
  const Advised launch = mix_features();
  const std::optional<RegisterTile> tile = register_tile(launch.launch_case());
  ASSERT_TRUE(tile);
  EXPECT_GE(tile->across * tile->down, 8u);
  EXPECT_GE(tile->blocks, 66);
  const auto found = ask("thread-coarsening", launch);
  ASSERT_TRUE(found);
  EXPECT_GT(found->speedup, 2);
  EXPECT_THAT(found->hint, HasSubstr("results per thread in registers"));
}

TEST(RegisterTile, SumsOfOneArrayAreNoProduct) {
  EXPECT_FALSE(register_tile(row_norms().launch_case()));
  EXPECT_FALSE(register_tile(column_statistics(8).launch_case()));
}

TEST(ThreadCoarsening, BlocksKeepTwoWarps) {
  const Advised launch = mix_features();
  const Advice advice = advise(launch.launch_case(), {.only = {"thread-coarsening"}, .least = 0});
  for (const Finding& finding : advice.findings) {
    EXPECT_THAT(finding.hint, Not(HasSubstr("blocks of 2 threads")));
    EXPECT_THAT(finding.hint, Not(HasSubstr("blocks of 1 threads")));
  }
}

TEST(ResultsPerThread, AStencilSharesItsRows) {
  const Advised launch(
      "stencil", "stencil_plane",
      {.grid = {64, 1024},
       .block = {64, 4},
       .arguments = {"buf:67108864:f32", "buf:67108864:undef", "i32:4096", "i32:4096"}});
  const std::vector<Footprint> found = footprints(launch.launch_case());
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].elements, 5);
  EXPECT_EQ(found[0].stacked, 3u);
  // Five loads for one result; with four side by side, three rows of one or two vectors.
  EXPECT_LT(found[0].vectors(4, 2), 1);
  EXPECT_GT(found[0].vectors(4, 1), found[0].vectors(4, 2));
}

// Four floats that a thread stores at once are a tile, also where it loads float4.
TEST(ResultsPerThread, ATileIsNotTakenForOneResult) {
  const std::string flow = "hex:800700003804000000008040a4707d3f";
  EXPECT_FALSE(
      ask("results-per-thread", Advised("advect_dye", "advect_dye",
                                        {.grid = {60, 135},
                                         .block = {32, 8},
                                         .arguments = {"buf:16588800:f32", "buf:33177600:f32",
                                                       "buf:33177600:undef", flow}})));
}

TEST(ResultsPerThread, ElementsOfOneThreadAreLeftAlone) {
  EXPECT_FALSE(ask("results-per-thread", Advised("saxpy/large")));
  EXPECT_FALSE(ask("results-per-thread", row_norms()));
}

// Neighbouring elements are in the same sectors, but they are not the same elements.
TEST(Repeated, AnotherElementOfTheSameSectorsIsNoReload) {
  const Advised launch("convolve/large");
  std::vector<std::uint32_t> kinds(launch.study().kernel().instructions.size());
  for (const double again : Requests(launch.study()).repeated(kinds).share) EXPECT_LT(again, 0.5);
}

// A sector alone in its half of a line takes L2 as long as two.
TEST(Rework, LookedUpSectorsTakeLongerThanCoalescedOnes) {
  const Advised launch("spmv_scalar/large");
  const Case c = launch.launch_case();
  Work work = work_of(c);
  EXPECT_GT(std::ranges::max(work.l2_requests), 0.9);
  EXPECT_GE(std::ranges::min(work.l2_requests), kAdjacentSectors);
  for (double& bytes : work.l2_bytes) bytes *= 1e3;  // so that L2 limits it
  const Reworked scattered = rework(c, work);
  EXPECT_EQ(scattered.limit, "l2");
  std::ranges::fill(work.l2_requests, kAdjacentSectors);
  EXPECT_LT(rework(c, work).time_us, 0.9 * scattered.time_us);
}

TEST(Rework, LessWorkTakesLessTimeAndNeverLessThanItsUnit) {
  const Advised launch("saxpy/large");
  const Case c = launch.launch_case();
  Work work = work_of(c);
  const Reworked whole = rework(c, work);
  EXPECT_GT(whole.time_us, 0);
  work.dram_read_bytes += 1e9;
  const Reworked more = rework(c, work);
  EXPECT_EQ(more.limit, "dram");
  EXPECT_GT(more.time_us, 1e9 / (c.machine.dram.bandwidth / c.machine.seconds(1)) * 1e6);
  Match match;
  set_rework(c, more, match);
  EXPECT_LT(match.speedup, 1);
}

TEST(Owner, LibrariesAreKnownByTheirNamespaces) {
  EXPECT_EQ(library_of("void cub::DeviceReduceKernel<float>(float*)").library, "CUB");
  EXPECT_EQ(library_of("void at::native::vectorized_elementwise_kernel<4>(int)").library,
            "PyTorch");
  EXPECT_EQ(library_of("sm90_xmma_gemm_f32f32_tf32f32_f32_tn_n").library, "cuBLAS");
  EXPECT_EQ(library_of("void cudnn::bn_fw_tr_1C11(float)").library, "cuDNN");
  EXPECT_EQ(library_of("saxpy(float, float*)").kind, Owner::Kind::kReader);
  // The user's own kernel, with a library's type as its argument.
  EXPECT_EQ(library_of("void apply<cub::Sum>(float*)").kind, Owner::Kind::kReader);
  EXPECT_EQ(library_of("apply(at::native::Tensor)").kind, Owner::Kind::kReader);
}

TEST(Owner, CallersHearWhatCallersCanDo) {
  std::vector<Finding> findings(2);
  findings[0].rule = "warp-balance";
  findings[1].rule = "launch-overhead";
  std::vector<std::string> notes;
  adapt_to_owner(library_of("void cub::DeviceReduceKernel<float>(float*)"), findings, notes);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].rule, "launch-overhead");
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_THAT(notes[0], HasSubstr("part of CUB"));
}

TEST(Owner, TritonHearsTritonsWords) {
  std::vector<Finding> findings;
  for (const char* rule : {"warp-balance", "loop-unrolling", "atomic-contention"}) {
    findings.emplace_back().rule = rule;
    findings.back().hint = "Add #pragma unroll and __syncthreads().";
  }
  std::vector<std::string> notes;
  adapt_to_owner({.kind = Owner::Kind::kTriton}, findings, notes);
  ASSERT_EQ(findings.size(), 3u);
  for (const Finding& finding : findings) {
    EXPECT_THAT(finding.hint, Not(HasSubstr("__syncthreads"))) << finding.rule;
    EXPECT_THAT(finding.hint, Not(HasSubstr("#pragma"))) << finding.rule;
  }
  EXPECT_THAT(findings[1].hint, HasSubstr("num_stages"));
  EXPECT_THAT(findings[2].hint, HasSubstr("tl.histogram"));
}

Advised polynomial(const std::string& kernel, const std::vector<std::string>& arguments) {
  return Advised("polynomials", kernel, {.grid = {1056}, .block = {256}, .arguments = arguments});
}

TEST(PowerSeries, PowersBesideASumGetHornersRule) {
  const Advised launch = polynomial(
      "sum_of_powers", {"buf:1081344:f32", "buf:256:f32", "buf:1081344:undef", "i32:64"});
  ASSERT_FALSE(power_series(launch.launch_case()).empty());
  const auto found = ask("strength-reduction", launch);
  ASSERT_TRUE(found);
  EXPECT_THAT(found->hint, HasSubstr("Horner"));
  EXPECT_GT(found->speedup, 1.0);
}

TEST(PowerSeries, HornersRuleAndPowersThatAreStoredAreLeftAlone) {
  EXPECT_THAT(power_series(polynomial("sum_by_horner", {"buf:1081344:f32", "buf:256:f32",
                                                        "buf:1081344:undef", "i32:64"})
                               .launch_case()),
              testing::IsEmpty());
  EXPECT_THAT(power_series(polynomial("decayed", {"buf:1081600:f32", "buf:69206016:undef", "i32:64",
                                                  "f32:0.5"})
                               .launch_case()),
              testing::IsEmpty());
}

TEST(ExitTests, ALoopOfArithmeticThatTestsEachIterationGetsGroups) {
  const Advised launch("escape_times", "escape_times",
                       {.grid = {132},
                        .block = {256},
                        .arguments = {"buf:8650752:undef", "buf:4325376:undef", "i32:2048", "i32:1",
                                      "i32:256", "f32:-2.1", "f32:-0.72", "f32:0.00137"}});
  const auto found = ask("exit-tests", launch);
  ASSERT_TRUE(found);
  EXPECT_THAT(found->hint, HasSubstr("Execute 8 iterations"));
  EXPECT_THAT(found->text, HasSubstr("tests and counters"));
  EXPECT_GT(found->speedup, 1.1);
  EXPECT_LT(found->speedup, 2);  // what the iterations compute stays
}

// Two buffers in turn are more code: half of a gain of 10 % is lost, less of a larger one.
TEST(Toll, AChangeThatCostsSomethingItselfPromisesLess) {
  const auto found = ask("warp-balance", Advised("scan_tree/odd"));
  ASSERT_TRUE(found);
  EXPECT_THAT(found->trust, HasSubstr("less what the change itself costs"));
  EXPECT_GE(found->speedup, 1);
  EXPECT_LT(found->speedup, *found->speedup_emulated);
  const auto free = ask("bank-conflicts", Advised("transpose_naive/large"));
  EXPECT_TRUE(!free || free->trust.find("itself costs") == std::string::npos);
}

TEST(ExitTests, LoopsThatLoadOrCountAreLeftAlone) {
  EXPECT_FALSE(ask("exit-tests", Advised("saxpy/large")));
  EXPECT_FALSE(ask("exit-tests", row_norms()));
}

TEST(RowWalk, EachByteOfAnUnrolledWalkComesFromDramOnce) {
  const Advised launch = row_norms();
  const Case c = launch.launch_case();
  const std::optional<RowWalk> walk = row_walk(c);
  ASSERT_TRUE(walk);
  const Work work = shared_rows(c, *walk);
  EXPECT_GE(work.dram_read_bytes, 0.9 * 17301504);
}

TEST(Order, FindingsStandInTheOrderOfTheSpeedupsThatTheyShow) {
  const Advice advice = row_norms().advice();
  for (std::size_t k = 1; k < advice.findings.size(); ++k) {
    EXPECT_GE(std::round(100 * advice.findings[k - 1].speedup),
              std::round(100 * advice.findings[k].speedup));
  }
}

}  // namespace
}  // namespace burin::advise
