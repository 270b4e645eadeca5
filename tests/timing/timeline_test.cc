// Does the timeline have every cycle of its warps once, and the same cycles as the account?
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "timed_launch.h"
#include "timing/sm/timeline_recorder.h"

namespace burin::timing {
namespace {

constexpr std::size_t kAllIntervals = 100'000'000;

TEST(Timeline, OfASmallLaunchIsTheWholeAccount) {
  for (const char* line : {"saxpy/tiny", "transpose_shared/tiny", "histogram_shared/tiny"}) {
    PredictOptions options;
    options.timeline_intervals = kAllIntervals;
    const Prediction p = TimedLaunch(line).prediction(h200(), options);
    ASSERT_FALSE(p.timeline.intervals.empty()) << line;
    std::map<std::uint32_t, std::int64_t> end;
    std::map<std::uint32_t, std::uint8_t> scheduler;
    std::set<std::pair<unsigned, std::int64_t>> issues;
    for (const WarpInterval& i : p.timeline.intervals) {
      EXPECT_LT(i.from, i.until) << line;
      EXPECT_GE(i.from, p.timeline.from);
      EXPECT_LE(i.until, p.timeline.until);
      const auto [at, is_new] = end.try_emplace(i.warp, i.from);
      EXPECT_EQ(at->second, i.from) << line << ": warp " << i.warp << " has a gap or an overlap";
      at->second = i.until;
      EXPECT_EQ(scheduler.try_emplace(i.warp, i.scheduler).first->second, i.scheduler);
      if (!i.is_issue) continue;
      EXPECT_EQ(i.until, i.from + 1);
      EXPECT_TRUE(issues.emplace(i.scheduler, i.from).second) << line << ": two issues in a cycle";
    }
    EXPECT_GT(issues.size(), 10u);
  }
}

TEST(Timeline, ChangesNothing) {
  PredictOptions options;
  const TimedLaunch launch("transpose_shared/tiny");
  const Prediction without = launch.prediction(h200(), options);
  options.timeline_intervals = 1000;
  const Prediction with = launch.prediction(h200(), options);
  EXPECT_EQ(without.cycles, with.cycles);
  EXPECT_TRUE(without.timeline.intervals.empty());
  EXPECT_LE(with.timeline.intervals.size(), 1000u);
}

TEST(TimelineRecorder, KeepsAWindowFromTheMiddle) {
  TimelineRecorder recorder(100);
  for (std::int64_t t = 0; t < 100'000; ++t)
    recorder.add({.from = t, .until = t + 1, .is_issue = true});
  const Timeline timeline = recorder.take();
  EXPECT_EQ(timeline.intervals.size(), 100u);
  EXPECT_GE(timeline.from, 100'000 / 4);
  EXPECT_EQ(timeline.until, timeline.from + 100);
}

TEST(TimelineRecorder, AWaitThatBeganBeforeIsCut) {
  TimelineRecorder recorder(100);
  recorder.add({.from = 5, .until = 90, .warp = 1});
  recorder.add({.from = 60, .until = 61, .warp = 2, .is_issue = true});
  const Timeline timeline = recorder.take();
  EXPECT_EQ(timeline.from, 60);
  EXPECT_EQ(timeline.intervals[0].from, 60);
  EXPECT_EQ(timeline.intervals[0].until, 90);
}

}  // namespace
}  // namespace burin::timing
