// Do the estimates follow the paper's equations?
#include "advise/case/estimate.h"

#include <gtest/gtest.h>

#include "advised.h"

namespace burin::advise {
namespace {

TEST(Estimate, EliminatedStallsAreGone) {
  EXPECT_DOUBLE_EQ(eliminate(100, 20), 1.25);
  EXPECT_DOUBLE_EQ(eliminate(100, 0), 1);
  EXPECT_LE(eliminate(100, 100), 100);  // never without end
}

TEST(Estimate, HidingIsBoundByWhatIssues) {
  EXPECT_DOUBLE_EQ(hide(100, 50, 20), 1.25);
  EXPECT_DOUBLE_EQ(hide(100, 20, 50), 1.25);
  // The paper's theorem: never more than twice as fast.
  for (double active = 0; active <= 100; active += 5) {
    for (double latency = 0; latency <= 100 - active; latency += 5) {
      EXPECT_LE(hide(100, active, latency), 2);
    }
  }
}

TEST(Estimate, ParallelFollowsTheIssueRate) {
  // Half the warps on a scheduler that always issues: twice as fast.
  EXPECT_NEAR(parallel(16, 8, 1, 1), 2, 1e-9);
  // Warps that hardly ever issue: what is gained by fewer is lost in issuing.
  EXPECT_NEAR(parallel(16, 8, 1e-6, 1), 1, 1e-4);
  EXPECT_NEAR(parallel(4, 1, 0.1, 1), 4 * 0.1 / (1 - 0.6561), 1e-9);
  EXPECT_NEAR(parallel(4, 1, 0.1, 0.5), 2 * 0.1 / (1 - 0.6561), 1e-9);
}

// A kernel with an outer loop, an inner one and code before, and a profile of our own making.
class Scopes : public testing::Test {
 protected:
  Scopes() : launch_("heat_tile/odd") {
    const read::Kernel& kernel = launch_.study().kernel();
    for (std::uint32_t i = 0; i < kernel.instructions.size(); ++i) {
      const std::uint32_t loop = kernel.blocks[kernel.block_of[i]].loop;
      if (loop == read::kNoIndex) outside_ = i;
      if (loop != read::kNoIndex) inside_ = i;
    }
    profile_.issued.assign(kernel.instructions.size(), 0);
    profile_.issued[inside_] = 10;
    profile_.issued[outside_] = 30;
    profile_.stalls = {{.cause = inside_,
                        .waits = inside_,
                        .stall = launch::Stall::kLongScoreboard,
                        .dependency = Dependency::kGlobalMemory,
                        .cycles = {.active = 20, .latency = 40}}};
    profile_.total = 100;
    profile_.active = 60;
  }
  double estimate_in(Scope scope, std::uint32_t at) const {
    Case c = launch_.launch_case();
    const Case with{.kernel = c.kernel, .machine = c.machine, .blamed = profile_};
    Match match;
    match.estimator = Estimator::kHide;
    match.scope = scope;
    match.stalls = {{.stall = 0, .scope = at}};
    return estimate(with, match);
  }

  Advised launch_;
  BlamedProfile profile_;
  std::uint32_t inside_ = read::kNoIndex;
  std::uint32_t outside_ = read::kNoIndex;
};

TEST_F(Scopes, ALoopIsFilledByItsOwnWorkAlone) {
  ASSERT_NE(inside_, read::kNoIndex);
  ASSERT_NE(outside_, read::kNoIndex);
  const std::uint32_t loop = launch_.launch_case().places.loop_of(inside_);
  // 30 cycles issue in the loop (10 its own, 20 of others), 40 are waited.
  EXPECT_DOUBLE_EQ(estimate_in(Scope::kLoop, loop), 100.0 / 70);
  EXPECT_DOUBLE_EQ(estimate_in(Scope::kKernel, read::kNoIndex), 100.0 / 60);
  EXPECT_DOUBLE_EQ(estimate_in(Scope::kFunction, 0), 100.0 / 60);
}

TEST_F(Scopes, FactorsScaleWhatIsMatched) {
  const Case c = launch_.launch_case();
  const Case with{.kernel = c.kernel, .machine = c.machine, .blamed = profile_};
  Match match;
  match.stalls = {{.stall = 0, .weight = 0.5}};
  EXPECT_DOUBLE_EQ(matched(profile_, match), 30);
  EXPECT_DOUBLE_EQ(estimate(with, match), 100.0 / 70);
  match.factor = 0.5;
  EXPECT_DOUBLE_EQ(estimate(with, match), 100.0 / 85);
}

TEST_F(Scopes, RemovedInstructionsTakeTheirIssueAlong) {
  const Case c = launch_.launch_case();
  const Case with{.kernel = c.kernel, .machine = c.machine, .blamed = profile_};
  read::InstructionSet removed(with.size());
  removed[outside_] = 1;
  Match match;
  match.edits = {{.kind = analyze::Edit::Kind::kShare, .instructions = removed, .value = 0.5}};
  EXPECT_DOUBLE_EQ(estimate(with, match), 100.0 / (100 - 15));
  // The 60 of the stall go with the instruction that causes it, once.
  removed[inside_] = 1;
  match.edits = {{.kind = analyze::Edit::Kind::kSkipped, .instructions = removed}};
  match.stalls = {{.stall = 0}};
  EXPECT_DOUBLE_EQ(gone(with, match), 30 + 10 + 60);
  // What is only hidden is still executed.
  match.edits[0].kind = analyze::Edit::Kind::kHidden;
  EXPECT_DOUBLE_EQ(gone(with, match), 60);
}

}  // namespace
}  // namespace burin::advise
