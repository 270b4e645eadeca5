// Does advice leave alone what its change keeps: the work of units, arrays, bounds of loops,
// buffers?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "advise/case/requests.h"
#include "advise/case/trust.h"
#include "advise/compare/kernel_facts.h"
#include "analyze/bounds/bounds.h"
#include "asked.h"

namespace burin::advise {
namespace {

using testing::HasSubstr;
using testing::Not;

Advised advised(const std::string& kernel, const timing::TimedLaunch::Shape& shape) {
  return {"advised.fatbin", kernel, shape};
}
Advised sorts() {
  return advised(
      "sorts",
      {.grid = {1024}, .block = {128}, .arguments = {"buf:4718592:f32", "buf:524288:undef"}});
}
Advised spills_registers() {
  return advised("spills", {.grid = {264},
                            .block = {1024},
                            .arguments = {"buf:51904512:f32", "buf:51904512:undef", "i32:20"}});
}

double bound_of(const analyze::Study& study, std::string_view unit) {
  for (const analyze::Bound& bound : analyze::bounds(study)) {
    if (bound.name == unit) return bound.time_us;
  }
  return 0;
}

TEST(KeptWork, ARelievedUnitKeepsWhatTheEditsLeaveIt) {
  using machine::Resource;
  const LaunchFacts grounds{.bounds = {{"xu", 80}},
                            .work = {{Resource::kXu, 1, 30}, {Resource::kXu, 1, 10}, {}},
                            .time_us = 100};
  Match match{.edits = {{.kind = analyze::Edit::Kind::kSkipped, .instructions = {0, 1, 1}}},
              .relieves = {Resource::kXu}};
  EXPECT_NEAR(speedup_cap(grounds, match)->speedup, 100.0 / 60, 1e-9);
  match.edits[0] = {.kind = analyze::Edit::Kind::kShare, .instructions = {1, 1, 0}, .value = 0.5};
  EXPECT_NEAR(speedup_cap(grounds, match)->speedup, 100.0 / 40, 1e-9);
  // Edits that do not say how much is left.
  match.edits[0].kind = analyze::Edit::Kind::kSpread;
  EXPECT_FALSE(speedup_cap(grounds, match));
  match.edits.clear();
  EXPECT_FALSE(speedup_cap(grounds, match));
}

TEST(KeptWork, WeightsOfEachPairOfResultAndElementStay) {
  const Advised launch =
      advised("weighs", {.grid = {64, 128},
                         .block = {16, 16},
                         .arguments = {"buf:8388608:f32", "buf:8388608:undef", "i32:1024",
                                       "i32:2048", "i32:4", "f32:-0.1"}});
  const auto found = ask("results-per-thread", launch);
  ASSERT_TRUE(found);
  const double promised = launch.study().base().time_us / found->speedup;
  // Exponentials are most of what the XU does, and each result keeps its own.
  EXPECT_GT(promised, 0.7 * bound_of(launch.study(), "xu"));
}

TEST(LocalMemory, WithRegistersToSpareThereAreArraysOnly) {
  const Advised launch = sorts();
  EXPECT_EQ(spills_of(launch.study().kernel()), 0u);
  const auto found = ask("register-reuse", launch);
  ASSERT_TRUE(found);
  EXPECT_THAT(found->text, HasSubstr(": 0 loads and stores of spilled registers"));
  EXPECT_THAT(found->hint, HasSubstr("the array's own elements determine"));
  EXPECT_THAT(found->hint, HasSubstr("min(x, y)"));
  EXPECT_THAT(found->hint, Not(HasSubstr("__launch_bounds__")));
}

TEST(LocalMemory, WithoutArraysThereAreSpillsOnly) {
  const Advised launch = spills_registers();
  EXPECT_GT(spills_of(launch.study().kernel()), 20u);
  const auto found = ask("register-reuse", launch);
  ASSERT_TRUE(found);
  EXPECT_THAT(found->text, HasSubstr(" 0 of arrays"));
  EXPECT_THAT(found->hint, HasSubstr("__launch_bounds__"));
}

TEST(LoopBounds, LanesThatLeaveALoopSooner) {
  const auto found =
      ask("divergence", advised("adds_rows", {.grid = {4096},
                                              .block = {128},
                                              .arguments = {"buf:2097152:int:64", "buf:4194304:f32",
                                                            "buf:2097152:undef"}}));
  ASSERT_TRUE(found);
  EXPECT_THAT(found->text, HasSubstr("numbers of iterations of the loop at advised.cu:54"));
  EXPECT_THAT(found->hint, Not(HasSubstr("?:")));
  EXPECT_THAT(found->hint, HasSubstr("share the iterations of one"));
  EXPECT_THAT(found->hint, HasSubstr("__shfl_down_sync"));
}

TEST(Buffers, TwoBuffersAreNotAskedForTwice) {
  const timing::TimedLaunch::Shape shape{
      .grid = {1056},
      .block = {256},
      .arguments = {"buf:34603008:f32", "buf:1081344:undef", "i32:32"}};
  const auto one = ask("warp-balance", advised("one_buffer", shape));
  ASSERT_TRUE(one);
  EXPECT_THAT(one->hint, HasSubstr("Use two buffers"));
  EXPECT_FALSE(ask("warp-balance", advised("two_buffers", shape)));
}

TEST(Buffers, OneWarpWaitsForNoOther) {
  const timing::TimedLaunch::Shape shape{
      .grid = {1056},
      .block = {32},
      .arguments = {"buf:34603008:f32", "buf:1081344:undef", "i32:32"}};
  EXPECT_FALSE(ask("warp-balance", advised("one_buffer", shape)));
}

TEST(Staging, CountsThatAreLoadedAreNoBounds) {
  const Advised launch = advised(
      "adds_list", {.grid = {512},
                    .block = {256},
                    .arguments = {"buf:4096:int:200", "buf:1048576:f32", "buf:524288:undef"}});
  const auto found = ask("shared-staging", launch);
  ASSERT_TRUE(found);
  EXPECT_THAT(found->hint, HasSubstr("element of argument 1 at"));
  EXPECT_THAT(found->hint, HasSubstr("tiles of 256 elements"));
  EXPECT_THAT(found->hint, HasSubstr("No thread may return before a __syncthreads()"));
  EXPECT_THAT(found->hint, Not(HasSubstr("again and again")));
}

TEST(Checks, LargerBlocksNameTheirGrid) {
  const auto found =
      ask("thread-increase",
          Advised("stream", "saxpy",
                  {.grid = {32768},
                   .block = {32},
                   .arguments = {"f32:2", "buf:4194304:f32", "buf:4194304:f32", "i32:1048576"}}));
  ASSERT_TRUE(found);
  EXPECT_THAT(found->hint, HasSubstr("in a grid of "));
  EXPECT_THAT(found->hint, HasSubstr("burin predict NEW.cu"));
}

}  // namespace
}  // namespace burin::advise
