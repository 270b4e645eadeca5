#include "timing/trace/trace_source.h"

#include <gtest/gtest.h>

#include <vector>

#include "timed_launch.h"

namespace burin::timing {
namespace {

TEST(TraceSource, OneWarpMayStandForItsBlock) {
  const TimedLaunch launch(
      "shapes", "shape_laplace",
      {.grid = {8, 8},
       .block = {32, 8},
       .arguments = {"buf:262144:f32", "buf:262144:undef", "i32:256", "i32:256"}});
  const std::vector<std::uint64_t> blocks{9, 18, 27};  // in the middle: all warps do the same
  const auto source = TraceSource::open(launch.kernel(), launch.launch(), {.threads = 1});
  ASSERT_TRUE(source);
  const Result<std::vector<BlockWork>> all = (*source)->count(blocks);
  const std::uint64_t executed = (*source)->executed();
  const Result<std::vector<BlockWork>> some = (*source)->count(blocks, 8);
  ASSERT_TRUE(all && some);
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    EXPECT_EQ((*some)[k].steps, (*all)[k].steps);
    EXPECT_EQ((*some)[k].longest, (*all)[k].longest);
  }
  EXPECT_EQ(((*source)->executed() - executed) * 8, executed);
  const Result<std::vector<BlockWork>> again = (*source)->count(blocks);
  ASSERT_TRUE(again);
  EXPECT_EQ((*again)[0].steps, (*all)[0].steps) << "all warps are run again";
}

TEST(TraceSource, TracesHaveALimitInBytes) {
  const TimedLaunch launch("endless.fatbin", "store_always",
                           {.grid = {1}, .block = {64}, .arguments = {"buf:1K:undef"}});
  const auto source =
      TraceSource::open(launch.kernel(), launch.launch(),
                        {.threads = 1, .most_bytes = std::uint64_t{2} << 20});  // half per call
  ASSERT_TRUE(source);
  const Result<std::vector<BlockTrace>> traces = (*source)->trace(std::vector<std::uint64_t>{0});
  ASSERT_FALSE(traces);
  EXPECT_EQ(
      traces.error().message.find("the trace of block 0,0,0 does not fit in 1 MiB; it is at "), 0u)
      << traces.error().message;
}

TEST(TraceSource, CallsShareALimit) {
  const TimedLaunch launch("saxpy/odd");
  const auto open = [&](std::uint64_t most, std::uint64_t spent) {
    return TraceSource::open(launch.kernel(), launch.launch(),
                             {.threads = 1, .most_in_all = most, .spent = spent});
  };
  const std::vector<std::uint64_t> block{1};
  const auto source = open(0, 0);
  ASSERT_TRUE((*source)->trace(block));
  const std::uint64_t each = (*source)->spent();
  EXPECT_EQ((*source)->executed(), each);
  const auto twice = open(2 * each, 0);
  EXPECT_TRUE((*twice)->trace(block));
  EXPECT_TRUE((*twice)->trace(block));
  EXPECT_FALSE((*twice)->trace(block));
  EXPECT_FALSE((*open(2 * each, each + 1))->trace(block));
}

}  // namespace
}  // namespace burin::timing
