// A real kernel, examined: the figures that the guided search steers by.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/format.h"
#include "launch/argument.h"
#include "machine/load.h"
#include "model/emulated_device.h"
#include "model/guided/examine.h"

namespace burin::model {
namespace {

using machine::Resource;

launch::Launch addition(std::uint32_t block, std::int64_t count) {
  launch::Launch launch;
  launch.grid = {static_cast<std::uint32_t>((count + block - 1) / block), 1, 1};
  launch.block = {block, 1, 1};
  const std::string buffer = fmt::format("buf:{}:f32", 4 * count);
  const std::vector<std::string> texts = {buffer, buffer, buffer, fmt::format("i32:{}", count)};
  launch.arguments = *launch::parse_arguments(texts);
  return launch;
}

measure::DeviceRequest request_of(std::vector<launch::Launch> launches) {
  measure::DeviceRequest request;
  request.program = std::string(BURIN_SOURCE_DIR) + "/examples/vector_add.sm_90.cubin";
  for (launch::Launch& launch : launches) {
    request.steps.push_back({.kernel = "vector_add", .launch = std::move(launch)});
  }
  return request;
}

const machine::Machine& h200() {
  static const machine::Machine machine = *machine::load_machine("h200");
  return machine;
}

TEST(GuidedExamine, AnAdditionIsLimitedByDram) {
  const measure::DeviceRequest request = request_of({addition(256, 1 << 22)});
  const Examined e = examine(request, h200(), {});
  ASSERT_TRUE(e.works()) << e.failure;
  EXPECT_EQ(e.busiest(), Resource::kDram);
  EXPECT_EQ(e.waits_for, Resource::kDram);
  EXPECT_EQ(e.threads, 256u);
  EXPECT_EQ(e.warps, 64u);
  EXPECT_GT(e.registers, 0u);
  // No resource can be busy for longer than the kernel takes.
  for (const double demand_us : e.demand_us) EXPECT_LE(demand_us, e.time_us * 1.0001);
  EXPECT_LE(e.chain_us, e.time_us * 1.0001);
  // The closed form of carving is another opinion on the same launch.
  EXPECT_GT(e.estimate_us, 0.5 * e.time_us);
  EXPECT_LT(e.estimate_us, 2 * e.time_us);
  // What the emulated device would measure.
  const measure::DeviceAnswer answer = EmulatedDevice(h200()).run(request);
  ASSERT_TRUE(answer);
  EXPECT_NEAR(e.time_us, answer->times_us.front(), 1e-6 * e.time_us);
}

TEST(GuidedExamine, LaunchesOfOneShapeAreSampled) {
  const Examined one = examine(request_of({addition(128, 1 << 18)}), h200(), {});
  const Examined many =
      examine(request_of(std::vector<launch::Launch>(40, addition(128, 1 << 18))), h200(), {});
  ASSERT_TRUE(one.works() && many.works());
  EXPECT_NEAR(many.time_us, 40 * one.time_us, 0.01 * many.time_us);
  EXPECT_NEAR(many.demand(Resource::kDram), 40 * one.demand(Resource::kDram), 0.01 * many.time_us);
  EXPECT_EQ(many.warps, one.warps);
}

// The first launch of many finds nothing to do, the others do: three are not enough to know.
TEST(GuidedExamine, LaunchesThatDifferAreSampledMoreOften) {
  std::vector<launch::Launch> launches(40, addition(128, 1 << 18));
  launches.front().arguments[3] = *launch::parse_argument("i32:0", 3);
  const Examined one = examine(request_of({launches.back()}), h200(), {});
  const Examined many = examine(request_of(launches), h200(), {});
  ASSERT_TRUE(one.works() && many.works());
  // One of 9 samples is the short one; of 3 it would weigh a third.
  EXPECT_GT(many.time_us, 40 * one.time_us * 8 / 9 - 1e-6);
  EXPECT_LT(many.time_us, 40 * one.time_us);
  EXPECT_EQ(many.warps, one.warps);
  EXPECT_EQ(many.threads, 128u);
  EXPECT_EQ(many.registers, one.registers);
}

TEST(GuidedExamine, AFaultIsAReason) {
  launch::Launch launch = addition(256, 1 << 12);
  launch.arguments[3] = *launch::parse_argument("i32:4096000", 3);
  launch.grid.x = 16000;
  const Examined e = examine(request_of({launch}), h200(), {});
  EXPECT_FALSE(e.works());
  measure::DeviceRequest missing = request_of({addition(256, 4096)});
  missing.program = "nowhere.cubin";
  EXPECT_FALSE(examine(missing, h200(), {}).works());
}

}  // namespace
}  // namespace burin::model
