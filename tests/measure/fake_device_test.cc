#include "measure/fake_device.h"

#include <gtest/gtest.h>

namespace burin::test {
namespace {

TEST(FakeDevice, FollowsItsScript) {
  FakeDevice device;
  device.answers(12.5).faults("an illegal address").hangs();
  measure::DeviceRequest request = measure::single_launch("a.cubin", "k", {});
  request.stopping = measure::exactly(3);
  measure::DeviceAnswer result = device.run(request);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->times_us, (std::vector<double>{12.5, 12.5, 12.5}));
  result = device.run(request);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().message, "an illegal address");
  EXPECT_EQ(result.kind(), measure::FailureKind::kRuntime);
  result = device.run(request);
  EXPECT_EQ(result.error().exit, Exit::kDevice);
  EXPECT_EQ(result.kind(), measure::FailureKind::kTimeout);
  EXPECT_FALSE(device.run(request).ok());
  ASSERT_EQ(device.requests.size(), 4u);
  EXPECT_EQ(device.requests[0].steps[0].kernel, "k");
}

}  // namespace
}  // namespace burin::test
