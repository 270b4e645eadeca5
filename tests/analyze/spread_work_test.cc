// Is work that one warp does for all shared out, between the same barriers?
#include "analyze/spread_work.h"

#include <gtest/gtest.h>

#include <string>

namespace burin {
namespace {

constexpr std::uint32_t kWork = 0;
constexpr std::uint32_t kOther = 1;
constexpr std::uint32_t kBarrier = 2;
constexpr std::uint32_t kExit = 3;

// A trace of warps written down: W work, o other, B a barrier, E the end.
BlockTrace traced(const std::vector<std::string>& warps, std::uint64_t lanes_at_work = 32) {
  BlockTrace trace;
  trace.requests = {Request{.kind = Request::Kind::kBarrier}};
  trace.lanes.resize(4);
  for (const std::string& letters : warps) {
    std::vector<TraceStep>& steps = trace.warps.emplace_back();
    for (const char letter : letters) {
      const std::uint32_t at = letter == 'W'   ? kWork
                               : letter == 'o' ? kOther
                               : letter == 'B' ? kBarrier
                                               : kExit;
      steps.push_back({at & 0x7fffffffu, 0, at == kBarrier ? 0 : kNoRequest});
      ++trace.lanes[at].executions;
      trace.lanes[at].active += at == kWork ? lanes_at_work : 32;
      ++trace.steps;
    }
  }
  return trace;
}

std::vector<std::string> written(const BlockTrace& trace) {
  std::vector<std::string> warps;
  for (const auto& steps : trace.warps) {
    std::string& letters = warps.emplace_back();
    for (const TraceStep& step : steps) letters += "WoBE"[step.instruction];
  }
  return warps;
}

const InstructionSet kSet{1, 0, 0, 0};

TEST(SpreadWork, IsSharedByAllWarps) {
  BlockTrace trace = traced({"oWWWWWWWWBoE", "oBoE", "oBoE", "oBoE"});
  spread_work(trace, kSet);
  EXPECT_EQ(written(trace), (std::vector<std::string>{"oWWBoE", "oWWBoE", "oWWBoE", "oWWBoE"}));
  EXPECT_EQ(trace.steps, 24u);
}

TEST(SpreadWork, StaysBetweenItsBarriers) {
  BlockTrace trace = traced({"WWBoBE", "BoBWWE"});
  spread_work(trace, kSet);
  EXPECT_EQ(written(trace), (std::vector<std::string>{"WBoBWE", "WBoBWE"}));
}

TEST(SpreadWork, IsSharedByAllLanes) {
  BlockTrace trace = traced({"WWWWWWWWBE", "BE"}, 8);
  spread_work(trace, kSet);
  EXPECT_EQ(written(trace), (std::vector<std::string>{"WBE", "WBE"}));
}

TEST(SpreadWork, LeavesTheRestAlone) {
  BlockTrace trace = traced({"oWoBE", "oWoBE"});
  const BlockTrace before = trace;
  spread_work(trace, kSet);
  EXPECT_EQ(written(trace), written(before));
  BlockTrace none = traced({"ooBE", "oBE"});
  spread_work(none, kSet);
  EXPECT_EQ(written(none), (std::vector<std::string>{"ooBE", "oBE"}));
}

}  // namespace
}  // namespace burin
