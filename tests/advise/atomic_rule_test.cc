// Are atomics of many threads on few words found, blamed and estimated?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "advise/rules/all.h"
#include "asked.h"
#include "read/isa/traits.h"

namespace burin::advise {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kRule = "atomic-contention";

// Floats added at indices below `cells`.
Advised scatter(const std::string& cells, std::uint32_t blocks = 1024) {
  const std::string bytes = std::to_string(blocks * 256 * 4);
  return Advised("atomics", "atomic_scatter",
                 {.grid = {blocks},
                  .block = {256},
                  .arguments = {"buf:" + bytes + ":f32", "buf:" + bytes + ":int:" + cells,
                                "buf:4194304:zero", "i32:" + std::to_string(blocks * 256)}});
}

double drain_at(const Advised& launch, bool on_atomics) {
  double sum = 0;
  for (const BlamedStall& s : launch.blamed().stalls) {
    if (s.stall != launch::Stall::kDrain) continue;
    if (!on_atomics || read::is_atomic(launch.study().kernel().instructions[s.cause])) {
      sum += s.cycles.sum();
    }
  }
  return sum;
}

TEST(AtomicContention, OneWordIsCombinedInWarpAndBlock) {
  const Advised one = scatter("1");
  const auto found = ask(kRule, one);
  ASSERT_TRUE(found);
  EXPECT_GT(*found->speedup_emulated, 4);
  EXPECT_GT(found->speedup, 4);
  EXPECT_TRUE(read::is_atomic(one.study().kernel().instructions[found->where]));
  // First of all the advice.
  EXPECT_EQ(one.advice().findings.at(0).rule, kRule);
}

TEST(AtomicContention, DrainIsBlamedOnTheAtomics) {
  const Advised one = scatter("1");
  EXPECT_GT(drain_at(one, false), 0);
  EXPECT_DOUBLE_EQ(drain_at(one, true), drain_at(one, false));
}

// A few hundred words, hit once by each block: it needs more work per block.
TEST(AtomicContention, FewWordsAreCountedInSharedMemory) {
  const auto found = ask(kRule, scatter("200", 8192));
  ASSERT_TRUE(found);
  EXPECT_GT(*found->speedup_emulated, 1.5);
  EXPECT_THAT(found->hint, HasSubstr("__shared__"));
  EXPECT_THAT(found->hint, HasSubstr("process many elements"));
  // Copies of a float side by side, in different banks, as many as fit in 16 KiB.
  EXPECT_THAT(found->hint, HasSubstr("bins[word * 16 + l % 16]"));
  const auto looped =
      ask(kRule, Advised("histogram", "histogram_global",
                         {.grid = {528},
                          .block = {256},
                          .arguments = {"buf:16777216:u8", "buf:1024:zero", "i32:16777216"}}));
  ASSERT_TRUE(looped);
  EXPECT_GT(*looped->speedup_emulated, 2);
  EXPECT_THAT(looped->hint, Not(HasSubstr("process many elements")));
}

TEST(AtomicContention, CountersOfABlockAreAddedUpInSharedMemory) {
  const auto found =
      ask(kRule,
          Advised("count_minimizers", "count_minimizers",
                  {.grid = {132},
                   .block = {256},
                   .arguments = {"buf:1081348:int:4294967296", "buf:16384:zero", "i32:270336"}}));
  ASSERT_TRUE(found);
  EXPECT_GT(*found->speedup_emulated, 1.5);
  EXPECT_THAT(found->hint, HasSubstr("__shared__"));
}

TEST(AtomicContention, ManyWordsAreLeftAlone) {
  EXPECT_FALSE(ask(kRule, scatter("1000000")));
}

// The compiler combines the lanes of a warp: what is left is to combine the warps.
TEST(AtomicContention, WarpsOfABlockAreCombinedToo) {
  const auto found =
      ask(kRule, Advised("reduce", "sum_atomic",
                         {.grid = {8192},
                          .block = {256},
                          .arguments = {"buf:8388608:int:1000", "buf:4:zero", "i32:2097152"}}));
  ASSERT_TRUE(found);
  EXPECT_GT(found->speedup, 1.2);
  EXPECT_THAT(found->text, HasSubstr("one word"));
  EXPECT_THAT(found->text, HasSubstr("8 requests per block"));
  EXPECT_THAT(found->hint, HasSubstr("grid-stride loop"));
  EXPECT_THAT(found->hint, HasSubstr("in a register of each thread"));
}

// All particles in one cell, each with a place of its own there.
TEST(AtomicContention, OldValuesAreHandedOutInTheWarp) {
  const auto found =
      ask(kRule, Advised("physics", "count_cells",
                         {.grid = {1024},
                          .block = {256},
                          .arguments = {"buf:3145728:f32", "buf:4096:zero", "buf:1048576:undef",
                                        "i32:1", "i32:262144"}}));
  ASSERT_TRUE(found);
  EXPECT_GT(*found->speedup_emulated, 3);
  EXPECT_THAT(found->hint, HasSubstr("__shfl_sync"));
}

// Without emulation an address that no thread, block or load has a part in is one word.
TEST(AtomicContention, SamplesAloneShowOneWord) {
  const Advised sum("reduce", "sum_atomic",
                    {.grid = {8192},
                     .block = {256},
                     .arguments = {"buf:8388608:int:1000", "buf:4:zero", "i32:2097152"}});
  Case c = sum.launch_case(false);
  c.accesses.clear();
  const auto found = ask(kRule, c);
  ASSERT_TRUE(found);
  EXPECT_GT(found->speedup_paper, 1.2);
}

// The loop in which the swaps are repeated is what contention looks like: no rule but this one has
// anything to say about its instructions.
TEST(AtomicContention, NoOtherRuleSpeaksOfACompareAndSwapLoop) {
  const Advised swaps(
      "atomics", "cas_maximum",
      {.grid = {64}, .block = {256}, .arguments = {"buf:65536:f32", "buf:16:zero", "i32:16384"}});
  const Case c = swaps.launch_case();
  const auto in_loop = [&](const Finding& finding) {
    const std::uint32_t at = finding.hotspots.empty() ? finding.where : finding.hotspots[0].waits;
    return at != read::kNoIndex && c.places.loop_of(at) != read::kNoIndex;
  };
  const Advice all = advise(c, {.least = 0});
  for (const Finding& finding : all.findings) {
    EXPECT_TRUE(finding.rule == kRule || !in_loop(finding)) << finding.rule;
  }
  // A rule that is asked alone answers: it is the list that leaves the loop out.
  std::size_t alone = 0;
  for (const Rule* rule : rules()) {
    if (rule->id() == kRule) continue;
    const auto found = ask(std::string(rule->id()), c);
    alone += found && in_loop(*found) ? 1 : 0;
  }
  EXPECT_GT(alone, 0u);
}

}  // namespace
}  // namespace burin::advise
