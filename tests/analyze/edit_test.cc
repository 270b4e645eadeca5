// Does the time follow when a cause of waiting is removed, and only then?
#include "analyze/study/edit.h"

#include <gtest/gtest.h>

#include <functional>
#include <string_view>

#include "studied.h"

namespace burin::analyze {
namespace {

using Kind = Edit::Kind;

read::InstructionSet all_of(const Studied& launch,
                            const std::function<bool(const read::Instruction&)>& meant) {
  read::InstructionSet set;
  for (const read::Instruction& i : launch.study().kernel().instructions) {
    set.push_back(i.known() && meant(i) ? 1 : 0);
  }
  return set;
}
read::InstructionSet all_named(const Studied& launch, std::string_view mnemonic) {
  return all_of(launch, [&](const read::Instruction& i) { return i.mnemonic() == mnemonic; });
}
std::vector<Edit> edits(Kind kind, const read::InstructionSet& instructions) {
  return {{.kind = kind, .instructions = instructions}};
}

// Warp instructions of these, and their sum of something else.
double sum(const timing::Prediction& p, const read::InstructionSet& set,
           double timing::InstructionCost::* what) {
  double total = 0;
  for (std::size_t i = 0; i < set.size(); ++i) total += set[i] != 0 ? p.costs[i].*what : 0;
  return total;
}

// Issues and stalls are all that there is, in every prediction.
void expect_conserved(const timing::Prediction& p) {
  double total = 0;
  for (const timing::InstructionCost& cost : p.costs) {
    total += cost.issued;
    for (const launch::StallCycles& s : cost.stalls) total += s.sum();
  }
  EXPECT_NEAR(total, p.warp_cycles, 1e-6 * p.warp_cycles);
}

Studied transposition(const std::string& kernel) {
  return Studied("transpose", kernel,
                 {.grid = {64, 64},
                  .block = {32, 8},
                  .arguments = {"buf:16777216:f32", "buf:16777216:undef", "i32:2048", "i32:2048"}});
}

TEST(Edit, CoalescedRequestsStayAsTheyAre) {
  const Studied launch = stream();
  const read::InstructionSet all(launch.study().kernel().instructions.size(), 1);
  const timing::Prediction p = launch.study().with_edits(edits(Kind::kIdealSectors, all));
  EXPECT_NEAR(p.time_us, launch.study().base().time_us, 1e-3 * p.time_us);
  EXPECT_NEAR(launch.study().edited(edits(Kind::kIdealSectors, all)), 1, 0.01);
}

TEST(Edit, NothingEditedTakesTheSameTime) {
  const Studied launch = transposition("transpose_shared");
  EXPECT_NEAR(launch.study().edited(std::vector<Edit>{}), 1, 0.005);
}

TEST(Edit, ScatteredStoresAreGathered) {
  const Studied launch = transposition("transpose_naive");
  const read::InstructionSet stores = all_named(launch, "STG");
  const timing::Prediction& base = launch.study().base();
  const timing::Prediction p = launch.study().with_edits(edits(Kind::kIdealSectors, stores));
  // 32 floats are 4 sectors; they were 32.
  EXPECT_NEAR(sum(base, stores, &timing::InstructionCost::sectors),
              32 * sum(base, stores, &timing::InstructionCost::issued), 1);
  EXPECT_NEAR(sum(p, stores, &timing::InstructionCost::sectors),
              4 * sum(p, stores, &timing::InstructionCost::issued), 1);
  EXPECT_GT(base.time_us, 1.3 * p.time_us);
  expect_conserved(p);
  // The matrix is read once, as before.
  EXPECT_NEAR(p.dram_read_bytes, base.dram_read_bytes, 0.05 * base.dram_read_bytes);
}

TEST(Edit, ConflictsGo) {
  const Studied launch = transposition("transpose_shared");
  const read::InstructionSet loads = all_named(launch, "LDS");
  const read::InstructionSet stores = all_named(launch, "STS");
  const timing::Prediction& base = launch.study().base();
  const timing::Prediction p = launch.study().with_edits(edits(Kind::kNoConflicts, loads));
  EXPECT_NEAR(sum(base, loads, &timing::InstructionCost::passes),
              32 * sum(base, loads, &timing::InstructionCost::issued), 1);
  EXPECT_NEAR(sum(p, loads, &timing::InstructionCost::passes),
              sum(p, loads, &timing::InstructionCost::issued), 1);
  EXPECT_GT(launch.study().edited(edits(Kind::kNoConflicts, loads)), 1.3);
  // The stores have none.
  EXPECT_NEAR(launch.study().edited(edits(Kind::kNoConflicts, stores)), 1, 0.01);
  expect_conserved(p);
}

// One warp on each scheduler: without latencies it issues whenever its unit takes it, one FMA a
// cycle.
TEST(Edit, AChainThatIsHiddenIssuesEveryCycle) {
  const Studied chain = fma_chain();
  const read::InstructionSet all(chain.study().kernel().instructions.size(), 1);
  const timing::Prediction p = chain.study().with_edits(edits(Kind::kHidden, all));
  const machine::Machine& machine = chain.machine();
  const double schedulers = machine.sm.count * machine.sm.schedulers;
  const double least = p.issued / schedulers;
  EXPECT_GE(p.cycles - p.launch_cycles, least);
  // Branches, the first fetch and the last store are left.
  EXPECT_LT(p.cycles - p.launch_cycles, 1.6 * least + 3000);
  EXPECT_GT(chain.study().base().cycles, 1.7 * p.cycles);
  expect_conserved(p);
}

TEST(Edit, ResultsThatComeEarlierAreWaitedForLess) {
  const Studied walk(
      "bound_memory", "walk",
      {.grid = {132},
       .block = {128},
       .arguments = {"buf:268435456:perm", "buf:67584:undef", "i32:60000", "i32:100"}});
  std::vector<Edit> sooner = edits(Kind::kEarlier, all_named(walk, "LDG"));
  const double base = walk.study().base().cycles;
  sooner[0].value = 200;
  const timing::Prediction some = walk.study().with_edits(sooner);
  EXPECT_NEAR(base - some.cycles, 100 * 200, 0.1 * 100 * 200);  // each of a hundred steps
  expect_conserved(some);
  sooner[0].value = 1e6;
  const std::vector<Edit> hidden = edits(Kind::kHidden, sooner[0].instructions);
  EXPECT_NEAR(walk.study().with_edits(sooner).cycles, walk.study().with_edits(hidden).cycles,
              0.01 * base);
}

TEST(Edit, FewerBlocksStartSooner) {
  // Blocks of a warp with hardly anything to do.
  const Studied launch("stream", "copy",
                       {.grid = {132 * 256},
                        .block = {32},
                        .arguments = {"buf:4000000:f32", "buf:4000000:undef", "i32:1000000"}});
  const double all =
      launch.study().edited(std::vector<Edit>{{.kind = Kind::kFewerBlocks, .value = 1}});
  EXPECT_NEAR(all, 1, 0.005);
  EXPECT_GT(launch.study().edited(std::vector<Edit>{{.kind = Kind::kFewerBlocks, .value = 0.25}}),
            1.3);
}

TEST(Edit, WhatIsSkippedIsNotThere) {
  const Studied launch = stream();
  const read::InstructionSet loads = all_named(launch, "LDG");
  const timing::Prediction& base = launch.study().base();
  const timing::Prediction p = launch.study().with_edits(edits(Kind::kSkipped, loads));
  EXPECT_EQ(sum(p, loads, &timing::InstructionCost::issued), 0);
  EXPECT_NEAR(p.issued, base.issued - sum(base, loads, &timing::InstructionCost::issued),
              1e-6 * p.issued);
  EXPECT_LT(p.dram_read_bytes, 16 << 10);  // the code, and what each launch reads
  EXPECT_GT(base.time_us, 1.5 * p.time_us);
  expect_conserved(p);
}

TEST(Edit, SkippingOneInstructionNeverCosts) {
  const Studied launch = transposition("transpose_shared");
  const std::size_t instructions = launch.study().kernel().instructions.size();
  std::vector<std::vector<Edit>> sets;
  for (std::size_t i = 0; i < instructions; i += 3) {
    read::InstructionSet one(instructions, 0);
    one[i] = 1;
    sets.push_back(edits(Kind::kSkipped, one));
  }
  // But for the order in which warps meet, and their rows of DRAM.
  for (const double faster : launch.study().edited(sets)) EXPECT_GT(faster, 0.97);
}

TEST(Edit, AShareOfTheExecutionsIsDone) {
  const Studied chain = fma_chain();
  const read::InstructionSet all(chain.study().kernel().instructions.size(), 1);
  std::vector<Edit> half = edits(Kind::kShare, all);
  half[0].value = 0.5;
  const timing::Prediction p = chain.study().with_edits(half);
  EXPECT_NEAR(p.issued, 0.5 * chain.study().base().issued, 0.02 * p.issued);
  EXPECT_NEAR(p.cycles - p.launch_cycles, 0.5 * (chain.study().base().cycles - p.launch_cycles),
              0.15 * p.cycles);
  expect_conserved(p);
}

TEST(Edit, DoublesTimedAsFloats) {
  const Studied launch(
      "bound_arithmetic", "polynomials_f64",
      {.grid = {528}, .block = {256}, .arguments = {"buf:1081344:undef", "f64:0.75", "i32:200"}});
  std::vector<Edit> floats = edits(Kind::kRetyped, all_of(launch, [](const read::Instruction& i) {
                                     return machine::timing_class(i) == machine::TimingClass::kFp64;
                                   }));
  floats[0].to_class = "fma";
  // Each takes the unit half as long.
  EXPECT_GT(launch.study().edited(floats), 1.5);
  EXPECT_LT(launch.study().edited(floats), 2.1);
}

TEST(Edit, NobodyWaitsAtABarrier) {
  const Studied launch(
      "bound_control", "keep_step",
      {.grid = {132}, .block = {128}, .arguments = {"buf:67584:undef", "i32:400"}});
  const read::InstructionSet barriers = all_named(launch, "BAR");
  const timing::Prediction p = launch.study().with_edits(edits(Kind::kNoBarrierWait, barriers));
  EXPECT_EQ(p.stalls[static_cast<std::size_t>(launch::Stall::kBarrier)].sum(), 0);
  EXPECT_GT(launch.study().base().cycles, 1.2 * p.cycles);
  expect_conserved(p);
}

TEST(Edit, CodeThatIsFetchedIsNotWaitedFor) {
  const Studied launch("bound_control", "long_code",
                       {.grid = {132}, .block = {32}, .arguments = {"buf:33792:undef", "i32:2"}});
  const read::InstructionSet all(launch.study().kernel().instructions.size(), 1);
  const timing::Prediction p = launch.study().with_edits(edits(Kind::kFetched, all));
  EXPECT_EQ(p.stalls[static_cast<std::size_t>(launch::Stall::kNoInstruction)].sum(), 0);
  EXPECT_GT(launch.study().base().cycles, 1.5 * p.cycles);
}

// A walk from place to place takes a latency for each step: that of the level where it is found.
TEST(Edit, RequestsAreFoundInTheMemoryTheyAreSaidToBeIn) {
  const Studied walk(
      "bound_memory", "walk",
      {.grid = {132},
       .block = {128},
       .arguments = {"buf:268435456:perm", "buf:67584:undef", "i32:60000", "i32:100"}});
  const read::InstructionSet loads = all_named(walk, "LDG");
  const timing::Prediction& base = walk.study().base();
  const timing::Prediction l2 = walk.study().with_edits(edits(Kind::kL2Hit, loads));
  const timing::Prediction shared = walk.study().with_edits(edits(Kind::kStaged, loads));
  const machine::Machine& m = walk.machine();
  const double steps = 100;
  EXPECT_GT(base.cycles, steps * m.dram.latency);
  EXPECT_LT(l2.dram_read_bytes, 16 << 10);
  EXPECT_LT(l2.cycles, base.cycles - 0.8 * steps * (m.dram.latency - m.l2.latency));
  EXPECT_GT(l2.cycles, steps * m.l2.latency);
  EXPECT_LT(shared.cycles, l2.cycles - 0.8 * steps * (m.l2.latency - m.shared.latency));
  EXPECT_GT(shared.cycles, steps * m.shared.latency);
  EXPECT_EQ(shared.l1_hit_rate, 0);
}

}  // namespace
}  // namespace burin::analyze
