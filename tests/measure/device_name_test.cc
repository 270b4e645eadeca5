#include "measure/device_name.h"

#include <gtest/gtest.h>

namespace burin::measure {
namespace {

TEST(DeviceName, Forms) {
  EXPECT_EQ(*parse_device_name("cuda:0"), (DeviceName{DeviceKind::kCuda, 0}));
  EXPECT_EQ(*parse_device_name("cuda"), (DeviceName{DeviceKind::kCuda, 0}));
  EXPECT_EQ(*parse_device_name("opencl:12"), (DeviceName{DeviceKind::kOpencl, 12}));
  EXPECT_EQ(*parse_device_name("opencl"), (DeviceName{DeviceKind::kOpencl, 0}));
  EXPECT_EQ(parse_device_name("opencl:3")->text(), "opencl:3");
  EXPECT_EQ(parse_device_name("cuda")->text(), "cuda:0");
}

TEST(DeviceName, EverythingElseIsAUsageError) {
  for (const char* wrong :
       {"", "0", "cuda:", "cuda:-1", "cuda:x", "cuda:1:2", "cudax", "CUDA:0", "opencl:99999999"}) {
    const Result<DeviceName> name = parse_device_name(wrong);
    ASSERT_FALSE(name.ok()) << wrong;
    EXPECT_EQ(name.error().exit, Exit::kUsage);
  }
}

}  // namespace
}  // namespace burin::measure
