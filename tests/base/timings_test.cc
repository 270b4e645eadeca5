#include "base/timings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

namespace burin {
namespace {

// The totals belong to the process, so each test uses names of its own.
Timing total(const std::string& name) {
  for (const Timing& timing : timings()) {
    if (timing.name == name) return timing;
  }
  return {};
}

TEST(Timings, CountsCallsAndAddsUpTheirTime) {
  for (int i = 0; i < 2; ++i) {
    const Timed timed("sleep");
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_EQ(total("sleep").calls, 2u);
  EXPECT_GE(total("sleep").seconds, 0.010);
  EXPECT_LT(total("sleep").seconds, 60);
}

TEST(Timings, CountsABlockWhenItEnds) {
  {
    const Timed timed("block");
    EXPECT_EQ(total("block").calls, 0u);
  }
  EXPECT_EQ(total("block").calls, 1u);
}

TEST(Timings, KeepsTheOrderOfFirstUse) {
  {
    const Timed timed("order 1");
  }
  {
    const Timed timed("order 2");
  }
  {
    const Timed timed("order 1");
  }
  const std::vector<Timing> all = timings();
  const auto at = [&](const std::string& name) {
    return std::find_if(all.begin(), all.end(), [&](const Timing& t) { return t.name == name; });
  };
  EXPECT_LT(at("order 1"), at("order 2"));
  EXPECT_NE(at("order 2"), all.end());
}

TEST(Timings, LosesNothingBetweenThreads) {
  const auto work = [] {
    for (int i = 0; i < 1000; ++i) const Timed timed("threads");
  };
  std::thread first(work);
  std::thread second(work);
  first.join();
  second.join();
  EXPECT_EQ(total("threads").calls, 2000u);
}

}  // namespace
}  // namespace burin
