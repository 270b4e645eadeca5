// Do the emulator's causes come through whole, and classed rightly?
#include <gtest/gtest.h>

#include <algorithm>

#include "advise/blame/blame.h"
#include "analyze/studied.h"
#include "timing/predicted_profile.h"

namespace burin::advise {
namespace {

double waiting(const BlamedProfile& profile) {
  double sum = 0;
  for (const BlamedStall& stall : profile.stalls) sum += stall.cycles.sum();
  return sum;
}

TEST(BlameEmulated, KeepsEveryWarpCycle) {
  const analyze::Studied triad = analyze::stream();
  const timing::Prediction& p = triad.study().base();
  const BlamedProfile blamed = blame(triad.study().kernel(), p);
  EXPECT_EQ(blamed.source, BlamedProfile::Source::kEmulated);
  EXPECT_NEAR(blamed.total, p.warp_cycles, 1e-6 * p.warp_cycles);
  EXPECT_NEAR(waiting(blamed), p.warp_cycles - p.issued, 1e-6 * p.warp_cycles);
  for (std::size_t s = 0; s < launch::kStalls; ++s) {
    double sum = 0;
    for (const BlamedStall& stall : blamed.stalls)
      if (stall.stall == static_cast<launch::Stall>(s)) sum += stall.cycles.sum();
    EXPECT_NEAR(sum, p.stalls[s].sum(), 1e-6 * p.warp_cycles)
        << launch::name(static_cast<launch::Stall>(s));
  }
}

TEST(BlameEmulated, StreamsWaitForTheirLoads) {
  const analyze::Studied triad = analyze::stream();
  const BlamedProfile blamed = blame(triad.study().kernel(), triad.study().base());
  ASSERT_FALSE(blamed.stalls.empty());
  const BlamedStall& worst = blamed.stalls.front();
  EXPECT_EQ(worst.dependency, Dependency::kGlobalMemory);
  EXPECT_EQ(triad.study().kernel().instructions[worst.cause].mnemonic(), "LDG");
  EXPECT_GT(worst.distance, 0u);
}

TEST(BlameEmulated, ChainsWaitForArithmetic) {
  const analyze::Studied chain = analyze::fma_chain();
  const BlamedProfile blamed = blame(chain.study().kernel(), chain.study().base());
  const auto worst =
      std::ranges::find(blamed.stalls, Dependency::kArithmetic, &BlamedStall::dependency);
  ASSERT_NE(worst, blamed.stalls.end());
  EXPECT_EQ(worst->stall, launch::Stall::kWait);
  EXPECT_EQ(worst->distance, 1u);
  EXPECT_EQ(worst->cause + 1, worst->waits);
}

// The emulator knows who made whom wait. Blamed as if they were samples, its stalls find them
// again.
// What the blamer finds from the stalls of an emulation, against the causes that this knows.
void expect_same_causes(const analyze::Studied& launch, double least) {
  const read::Kernel& kernel = launch.study().kernel();
  const timing::Prediction& p = launch.study().base();
  const BlamedProfile known = blame(kernel, p);
  const BlamedProfile found = blame(kernel, timing::profile_of(p), launch.machine());
  EXPECT_NEAR(found.total, known.total, 1e-6 * known.total);
  EXPECT_NEAR(found.active, known.active, 1e-6 * known.active);
  EXPECT_GT(compare(found, known).compared, 0.99);
  EXPECT_GT(agreement(found, known), least);
}

TEST(BlameEmulated, TheBlamerFindsTheSameCauses) {
  expect_same_causes(
      analyze::Studied("stream", "copy",
                       {.grid = {1056},
                        .block = {256},
                        .arguments = {"buf:24000000:f32", "buf:24000000:undef", "i32:6000000"}}),
      0.9);
}

// A sum waits for two loads: either may come last, and only the emulation knows which.
TEST(BlameEmulated, OfTwoLoadsTheBlamerTakesOne) {
  expect_same_causes(analyze::stream(), 0.5);
}

}  // namespace
}  // namespace burin::advise
