// Are the errors of a launch found where only its time is asked for?
#include "timing/trace/check_blocks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "timed_launch.h"
#include "timing/saake/saake.h"

namespace burin::timing {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::vector<std::string> kinds_of(const Prediction& p) {
  std::vector<std::string> kinds;
  for (const emulate::Fault& fault : p.faults) kinds.emplace_back(emulate::name(fault.kind));
  return kinds;
}

TimedLaunch::Shape product(const std::string& bytes) {
  return {.grid = {4, 4},
          .block = {16, 16},
          .cluster = {},
          .arguments = {"buf:" + bytes + ":f32", "buf:" + bytes + ":f32", "buf:" + bytes + ":undef",
                        "i32:64", "i32:64", "i32:64"}};
}

TEST(PredictFaults, BuffersThatAreTooSmall) {
  const TimedLaunch good("dense", "product_f32", product("16384"));
  EXPECT_TRUE(good.prediction().faults.empty());
  const TimedLaunch small("dense", "product_f32", product("16"));
  const Prediction p = small.prediction();
  ASSERT_FALSE(p.faults.empty());
  const emulate::Fault& fault = p.faults[0];
  EXPECT_EQ(fault.kind, emulate::Fault::Kind::kOutOfBounds);
  EXPECT_THAT(fault.detail, AllOf(HasSubstr("past the end of argument"), HasSubstr("(16 bytes)")));
  EXPECT_GT(fault.count, 0u);
  const Result<Prediction> saake = predict_saake(small.kernel(), small.launch(), h200(), {});
  ASSERT_TRUE(saake);
  EXPECT_FALSE(saake->faults.empty());
}

TEST(PredictFaults, SharedMemoryThatWasForgotten) {
  const TimedLaunch whole("lu_batched/tiny");
  EXPECT_TRUE(whole.prediction().faults.empty());
  const TimedLaunch none("batched", "lu_batched",
                         {.grid = whole.launch().grid,
                          .block = whole.launch().block,
                          .cluster = {},
                          .arguments = {"buf:768:f32", "i32:8"}});
  EXPECT_THAT(kinds_of(none.prediction()), testing::Contains("out-of-bounds"));
}

// Blocks between the first and the last that are not executed may write what these read.
TEST(PredictFaults, OtherBlocksAreNotBlamed) {
  for (const char* line : {"chained_sums/tiny", "scan_lookback/tiny", "histogram_shared/tiny",
                           "gemm_pipeline/edge", "cluster_sum/four", "work_queue/tiny"}) {
    const TimedLaunch launch(line);
    EXPECT_THAT(kinds_of(launch.prediction()), testing::IsEmpty()) << line;
  }
}

}  // namespace
}  // namespace burin::timing
