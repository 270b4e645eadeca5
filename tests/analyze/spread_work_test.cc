// Is work that one warp does for all shared out, between the same barriers?
#include "analyze/study/spread_work.h"

#include <gtest/gtest.h>

#include <string>

namespace burin::analyze {
namespace {

constexpr std::uint32_t kWork = 0;
constexpr std::uint32_t kOther = 1;
constexpr std::uint32_t kBarrier = 2;
constexpr std::uint32_t kExit = 3;

// A trace of warps written down: W work, o other, B a barrier, E the end.
timing::BlockTrace traced(const std::vector<std::string>& warps, std::uint64_t lanes_at_work = 32) {
  timing::BlockTrace trace;
  trace.requests = {timing::Request{.kind = timing::Request::Kind::kBarrier}};
  trace.lanes.resize(4);
  for (const std::string& letters : warps) {
    std::vector<timing::TraceStep>& steps = trace.warps.emplace_back();
    for (const char letter : letters) {
      const std::uint32_t at = letter == 'W'   ? kWork
                               : letter == 'o' ? kOther
                               : letter == 'B' ? kBarrier
                                               : kExit;
      steps.push_back({at & 0x7fffffffu, 0, at == kBarrier ? 0 : timing::kNoRequest});
      ++trace.lanes[at].executions;
      trace.lanes[at].active += at == kWork ? lanes_at_work : 32;
      ++trace.steps;
    }
  }
  return trace;
}

std::vector<std::string> written(const timing::BlockTrace& trace) {
  std::vector<std::string> warps;
  for (const auto& steps : trace.warps) {
    std::string& letters = warps.emplace_back();
    for (const timing::TraceStep& step : steps) letters += "WoBE"[step.instruction];
  }
  return warps;
}

const read::InstructionSet kSet{1, 0, 0, 0};
const std::vector<std::uint32_t> kKinds{0, 1, 2, 3};

TEST(SpreadWork, IsSharedByAllWarps) {
  timing::BlockTrace trace = traced({"oWWWWWWWWBoE", "oBoE", "oBoE", "oBoE"});
  spread_work(trace, {.set = kSet, .kinds = kKinds});
  EXPECT_EQ(written(trace), (std::vector<std::string>{"oWWBoE", "oWWBoE", "oWWBoE", "oWWBoE"}));
  EXPECT_EQ(trace.steps, 24u);
}

TEST(SpreadWork, StaysBetweenItsBarriers) {
  timing::BlockTrace trace = traced({"WWBoBE", "BoBWWE"});
  spread_work(trace, {.set = kSet, .kinds = kKinds});
  EXPECT_EQ(written(trace), (std::vector<std::string>{"WBoBWE", "WBoBWE"}));
}

TEST(SpreadWork, IsSharedByAllLanes) {
  timing::BlockTrace trace = traced({"WWWWWWWWBE", "BE"}, 8);
  spread_work(trace, {.set = kSet, .kinds = kKinds});
  EXPECT_EQ(written(trace), (std::vector<std::string>{"WBE", "WBE"}));
}

// An iteration of four rounds, unrolled: loads 4 … 7, stores 8 … 11, and the branch back, 12.
void go_round(timing::BlockTrace& trace, std::size_t warp, unsigned iterations) {
  for (unsigned k = 0; k < iterations; ++k) {
    for (std::uint32_t i = 4; i < 13; ++i) {
      trace.warps[warp].push_back({i & 0x7fffffffu, 0, timing::kNoRequest});
      ++trace.lanes[i].executions;
      trace.lanes[i].active += 32;
    }
  }
}
timing::BlockTrace unrolled(unsigned iterations, unsigned warps) {
  timing::BlockTrace trace;
  trace.lanes.resize(13);
  trace.warps.resize(warps);
  go_round(trace, 0, iterations);
  return trace;
}

std::vector<std::uint32_t> code_of(const std::vector<timing::TraceStep>& steps) {
  std::vector<std::uint32_t> code;
  for (const timing::TraceStep& step : steps) code.push_back(step.instruction);
  return code;
}

using Code = std::vector<std::uint32_t>;
const Spread kLoop{.set = read::InstructionSet(13, 1),
                   .kinds = {0, 1, 2, 3, 4, 4, 4, 4, 5, 5, 5, 5, 6}};

TEST(SpreadWork, IterationsStayWhole) {
  timing::BlockTrace trace = unrolled(2, 2);
  spread_work(trace, kLoop);
  const Code whole{4, 5, 6, 7, 8, 9, 10, 11, 12};
  EXPECT_EQ(code_of(trace.warps[0]), whole);
  EXPECT_EQ(code_of(trace.warps[1]), whole);
}

TEST(SpreadWork, WhoLoadsIsWhoStores) {
  timing::BlockTrace trace = unrolled(1, 2);
  spread_work(trace, kLoop);
  EXPECT_EQ(code_of(trace.warps[0]), (Code{4, 5, 8, 9, 12}));
  EXPECT_EQ(code_of(trace.warps[1]), (Code{6, 7, 10, 11, 12}));
}

TEST(SpreadWork, LoopsOfUnknownStrideAreNotUnrolled) {
  timing::BlockTrace trace = unrolled(1, 2);
  Spread how = kLoop;
  how.unrolled = false;
  spread_work(trace, how);
  EXPECT_EQ(code_of(trace.warps[1]), (Code{6, 10, 6, 10, 12}));
}

TEST(SpreadWork, ALoopThatAllWarpsGoRoundStaysAsItIs) {
  timing::BlockTrace trace = unrolled(3, 2);
  go_round(trace, 1, 1);
  Spread how = kLoop;
  how.unrolled = false;
  spread_work(trace, how);
  const Code two{4, 5, 6, 7, 8, 9, 10, 11, 12, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  EXPECT_EQ(code_of(trace.warps[0]), two);
  EXPECT_EQ(code_of(trace.warps[1]), two);
}

TEST(SpreadWork, LeavesTheRestAlone) {
  timing::BlockTrace trace = traced({"oWoBE", "oWoBE"});
  const timing::BlockTrace before = trace;
  spread_work(trace, {.set = kSet, .kinds = kKinds});
  EXPECT_EQ(written(trace), written(before));
  timing::BlockTrace none = traced({"ooBE", "oBE"});
  spread_work(none, {.set = kSet, .kinds = kKinds});
  EXPECT_EQ(written(none), (std::vector<std::string>{"ooBE", "oBE"}));
}

}  // namespace
}  // namespace burin::analyze
