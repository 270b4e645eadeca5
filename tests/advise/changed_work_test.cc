// Do promises count what the changed code must still do, and texts name all that they count?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "advise/case/fewer_accesses.h"
#include "advise/case/origin.h"
#include "advise/case/requests.h"
#include "advise/patterns/mapping/footprint.h"
#include "advise/patterns/mapping/one_thread.h"
#include "advise/patterns/reductions/combining.h"
#include "asked.h"
#include "read/isa/traits.h"

namespace burin::advise {
namespace {

using testing::HasSubstr;
using testing::Not;

bool any(const read::InstructionSet& set) {
  return std::ranges::find(set, 1) != set.end();
}

// Blocks of 512 that each add up one element per thread, by shuffles and shared memory.
Advised sum_revenue(std::uint32_t blocks) {
  const std::string column = "buf:" + std::to_string(std::uint64_t{blocks} * 512 * 4) + ":int:";
  return Advised("sum_revenue", "sum_revenue",
                 {.grid = {blocks},
                  .block = {512},
                  .arguments = {column + "2557", column + "11", column + "50", column + "1000000",
                                "buf:8:zero", "hex:6d010000da020000050000000700000018000000",
                                "i64:" + std::to_string(std::uint64_t{blocks} * 512)}});
}

TEST(Combining, WhatABlockDoesAfterItsLastLoadIsDoneOncePerBlock) {
  const Advised launch = sum_revenue(16384);
  const Case c = launch.launch_case();
  const read::InstructionSet set = combining_code(c, Origins(c.kernel));
  ASSERT_TRUE(any(set));
  bool barrier = false;
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    if (set[i] == 0) continue;
    barrier |= read::is_barrier(c.at(i));
    EXPECT_FALSE(touches_global(c.at(i)));
  }
  EXPECT_TRUE(barrier);
  const auto found = ask("atomic-contention", launch);
  ASSERT_TRUE(found);
  EXPECT_GT(*found->speedup_emulated, 1.2);
  EXPECT_THAT(found->text, HasSubstr("Each block combines the values of its threads"));
  EXPECT_THAT(found->hint, HasSubstr("combine the sums of its threads once"));
  EXPECT_THAT(found->hint, Not(HasSubstr("too, and issue one atomic")));
}

// A tile in shared memory is no sum: what follows the barrier is the kernel's work.
TEST(Combining, WorkOnATileIsLeftAlone) {
  for (const char* line : {"transpose_padded/large", "heat_tile/large", "product_f32/large"}) {
    const Advised launch(line);
    const Case c = launch.launch_case();
    EXPECT_FALSE(any(combining_code(c, Origins(c.kernel)))) << line;
  }
}

TEST(FewerAccesses, BytesThatMustMoveStay) {
  const Advised launch(
      "stencil", "stencil_plane",
      {.grid = {64, 1024},
       .block = {64, 4},
       .arguments = {"buf:67108864:f32", "buf:67108864:undef", "i32:4096", "i32:4096"}});
  const Case c = launch.launch_case();
  read::InstructionSet accesses(c.size());
  double missed = 0;
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    if (!touches_global(c.at(i)) || !c.executed(i)) continue;
    accesses[i] = 1;
    const timing::InstructionCost& cost = c.study->base().costs[i];
    missed += cost.sectors - cost.l1_hits;
  }
  std::vector<analyze::Edit> edits;
  share_accesses(c, accesses, 0.125, edits);
  ASSERT_FALSE(edits.empty());
  double kept = 0;  // sectors that the accesses which are left ask for
  std::vector<double> left(c.size(), 1);
  for (const analyze::Edit& edit : edits) {
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      if (edit.instructions[i] != 0) left[i] = edit.value;
    }
  }
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    if (accesses[i] == 0) continue;
    if (c.at(i).opcode->stores) {
      EXPECT_EQ(left[i], 1);
    }
    kept += left[i] * c.study->base().costs[i].sectors;
  }
  EXPECT_GE(kept, 0.9 * missed);
}

TEST(ResultsPerThread, StoresBordersAndAlignmentAreNamed) {
  const auto found = ask(
      "results-per-thread",
      Advised("stencil", "stencil_plane",
              {.grid = {64, 1024},
               .block = {64, 4},
               .arguments = {"buf:67108864:f32", "buf:67108864:undef", "i32:4096", "i32:4096"}}));
  ASSERT_TRUE(found);
  EXPECT_THAT(found->hint, HasSubstr("with one float4 store"));
  EXPECT_THAT(found->hint, HasSubstr("rows of a multiple of 4 elements"));
  EXPECT_THAT(found->hint, HasSubstr("clamp the index"));
  EXPECT_THAT(found->hint, HasSubstr("for 2 adjacent values of the index of threadIdx.y"));
}

// Of one element per thread: a tile's threads move four. Those that move four now stay as many.
TEST(Coalescing, ATransposedTileHasFewerThreads) {
  const auto fewer_blocks = [](const Finding& finding) {
    const auto edit =
        std::ranges::find(finding.edits, analyze::Edit::Kind::kFewerBlocks, &analyze::Edit::kind);
    return edit == finding.edits.end() ? 1 : edit->value;
  };
  const auto one = ask(
      "coalescing",
      Advised("shapes", "shape_transpose",
              {.grid = {128, 128},
               .block = {16, 16},
               .arguments = {"buf:16777216:f32", "buf:16777216:undef", "i32:2048", "i32:2048"}}));
  ASSERT_TRUE(one);
  EXPECT_THAT(one->hint, HasSubstr("each thread moves 4 elements"));
  EXPECT_NEAR(fewer_blocks(*one), 0.25, 0.01);
  const auto four = ask("coalescing", Advised("transpose_naive/large"));
  ASSERT_TRUE(four);
  EXPECT_THAT(four->hint, HasSubstr("each thread moves 4 elements"));
  EXPECT_EQ(fewer_blocks(*four), 1);
}

Advised equalize_tiles() {
  return Advised("equalize_tiles", "equalize_tiles",
                 {.grid = {2048},
                  .block = {256},
                  .arguments = {"buf:8388608:u8", "buf:8388608:undef", "i32:4096"}});
}

TEST(OneThread, ALongLoopOfOneThreadIsSharedAsWhatItIs) {
  const Advised launch = equalize_tiles();
  const Case c = launch.launch_case();
  const OneThreadLoops alone = one_thread_loops(c, lanes_of(launch.study()));
  ASSERT_EQ(alone.names.size(), 1u);
  EXPECT_TRUE(alone.scans);
  EXPECT_GT(alone.combining_us, 0);
  const auto found = ask("divergence", launch);
  ASSERT_TRUE(found);
  EXPECT_GT(*found->speedup_emulated, 1.05);
  EXPECT_THAT(found->hint, HasSubstr("as a scan"));
  EXPECT_THAT(found->hint, Not(HasSubstr("__shfl_down_sync")));
}

// The last few values of a reduction are no loop that 256 threads could share.
TEST(OneThread, AFewIterationsAreLeftAlone) {
  for (const char* line : {"sum_shuffle/large", "sum_shared/large"}) {
    const Advised launch(line);
    EXPECT_TRUE(one_thread_loops(launch.launch_case(), lanes_of(launch.study())).names.empty());
  }
}

// One warp that is half full cannot be fewer warps.
TEST(Divergence, WhatOneWarpDoesCannotBeJoined) {
  const auto found = ask("divergence", Advised("sum_shuffle/large"));
  EXPECT_TRUE(!found || found->speedup < 1.02);
}

// Every second element is of another kind: no border, which clamped indices would mend.
TEST(Divergence, KindsThatAlternateAreNumberedAnew) {
  const auto found =
      ask("divergence", Advised("mixed_particles", "mixed_particles",
                                {.grid = {4096},
                                 .block = {128},
                                 .arguments = {"buf:2097152:f32", "buf:2097152:f32",
                                               "buf:2097152:undef", "i32:524288", "i32:48"}}));
  ASSERT_TRUE(found);
  EXPECT_THAT(found->hint, HasSubstr("Renumber the elements"));
  EXPECT_THAT(found->hint, Not(HasSubstr("clamp the indices")));
}

TEST(BankConflicts, RandomWordsMeetByChance) {
  EXPECT_FALSE(ask("bank-conflicts", Advised("histogram_shared/large")));
}

TEST(LoopUnrolling, AStepThatIsNotConstantIsWrittenOut) {
  const auto found = ask("loop-unrolling", Advised("sum_shared/large"));
  ASSERT_TRUE(found);
  EXPECT_THAT(found->hint, HasSubstr("Its step is not a constant"));
  EXPECT_THAT(found->hint, HasSubstr("Write out 2 iterations"));
}

}  // namespace
}  // namespace burin::advise
