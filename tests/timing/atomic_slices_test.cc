// Do atomics wait where the SMs meet, and only there?
#include "timing/memory/atomic_slices.h"

#include <gtest/gtest.h>

#include "timed_launch.h"

namespace burin::timing {
namespace {

constexpr std::uint64_t kLine = 1 << 20;
constexpr int kOthers = 131;

Request of_one_lane() {
  Request request;
  request.atomic = true;
  request.lanes = 1;
  request.lines = 1;
  request.collisions = 1;
  request.passes.alone = 1;
  return request;
}

// Eight reductions of one lane each; the block `n` SMs further on adds `stride` bytes further on.
double last_begin(std::int64_t stride, std::uint64_t lines_between) {
  const machine::Machine machine = h200();
  StrideTable strides;
  strides.of.push_back({.kind = Strides::Kind::kAffine, .x = stride});
  std::vector<BlockStep> others;
  for (int n = 1; n <= kOthers; ++n) others.push_back({.x = n});
  const Requester requester{.others = others};
  const Request request = of_one_lane();
  AtomicSlices slices(machine, strides);
  double begin = 0;
  for (std::uint64_t k = 0; k < 8; ++k) {
    begin = slices.take(0, {0, kLine + k * lines_between, request, requester}, machine).begin;
  }
  return begin;
}

TEST(AtomicSlices, BlocksThatAddToOneLineWaitForEachOther) {
  // Seven times all SMs at one slice, less what could be chance.
  const double all = 7 * (kOthers + 1) * h200().l2.atomic_gap;
  EXPECT_GT(last_begin(0, 0), 0.8 * all);
  EXPECT_LE(last_begin(0, 0), all);
}

TEST(AtomicSlices, BlocksInDifferentPlacesKeepAllSlicesBusy) {
  const double together = last_begin(0, 0);
  EXPECT_LT(last_begin(1024, 0), together / 20);  // each block in a stretch of its own
}

TEST(AtomicSlices, LaterLinesGoToOtherSlices) {
  // A line of another stretch each time: the SMs meet at the first, then they are spread out.
  EXPECT_LT(last_begin(0, 8), last_begin(0, 0) / 2);
}

TEST(AtomicSlices, RestartForgetsWhatIsUnderWay) {
  const machine::Machine machine = h200();
  StrideTable strides;
  strides.of.push_back({.kind = Strides::Kind::kSame});
  const Request request = of_one_lane();
  const Requester requester{};
  AtomicSlices slices(machine, strides);
  for (int k = 0; k < 100; ++k) slices.take(0, {0, kLine, request, requester}, machine);
  EXPECT_GT(slices.take(0, {0, kLine, request, requester}, machine).begin, 0);
  slices.restart();
  EXPECT_EQ(slices.take(0, {0, kLine, request, requester}, machine).begin, 0);
}

}  // namespace
}  // namespace burin::timing
