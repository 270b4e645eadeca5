// Kernels on a real OpenCL device: PoCL, which runs them on the CPU, or a GPU. Skipped without one.
#include "gpu/opencl/opencl_device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <fstream>

#include "base/file.h"
#include "gpu/opencl/platforms.h"
#include "gpu/worker/worker_device.h"
#include "launch/argument.h"
#include "measure/scratch_folder.h"

namespace burin::gpu {
namespace {

using measure::FailureKind;
using testing::Each;
using testing::HasSubstr;
using testing::SizeIs;

constexpr const char* kSource = R"(
#ifndef FACTOR
#define FACTOR 2
#endif
#ifdef BROKEN
this is not OpenCL
#endif
__kernel void scale(__global const float* in, __global float* out, int n) {
  int i = get_global_id(0);
  if (i < n) out[i] = FACTOR * in[i];
}
__kernel void partial(__global const float* in, __global float* sums, __local float* shared, int n) {
  int lane = get_local_id(0);
  int size = get_local_size(0);
  float sum = 0;
  for (int i = get_global_id(0); i < n; i += get_global_size(0)) sum += in[i];
  shared[lane] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int step = size / 2; step > 0; step /= 2) {
    if (lane < step) shared[lane] += shared[lane + step];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (lane == 0) sums[get_group_id(0)] = shared[0];
}
__kernel void total(__global const float* sums, __global float* result, int n) {
  if (get_global_id(0) != 0) return;
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += sums[i];
  result[0] = sum;
}
__kernel void where_am_i(__global int* out) {
  out[(get_global_id(1) * get_global_size(0)) + get_global_id(0)] =
      get_group_id(0) * 1000 + get_group_id(1) * 100 + get_local_id(0) * 10 + get_local_id(1);
}
__kernel void spin(__global volatile int* out) {
  while (out[0] == 0) {}
}
)";

class OpenclDeviceTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { devices_ = new std::vector(find_opencl_devices()); }
  static void TearDownTestSuite() { delete devices_; }

  void SetUp() override {
    if (devices_->empty()) GTEST_SKIP() << "there is no OpenCL device; install pocl-opencl-icd";
    folder_ = *measure::ScratchFolder::make();
    path_ = folder_->path() + "/kernels.cl";
    std::ofstream(path_) << kSource;
  }

  static launch::Launch launch_of(launch::Dims grid, launch::Dims block,
                                  std::vector<std::string> arguments) {
    launch::Launch launch{.grid = grid, .block = block};
    launch.arguments = *launch::parse_step_arguments(arguments);
    return launch;
  }
  measure::DeviceRequest request_of(const std::string& kernel, launch::Launch launch) {
    measure::DeviceRequest request = measure::single_launch(path_, kernel, std::move(launch));
    request.device = "opencl:0";
    request.stopping = measure::exactly(3);
    request.caches = measure::Caches::kWarm;
    request.warm_up_ms = 0;
    request.limit_seconds = 120;
    return request;
  }
  measure::DeviceRequest scale() {
    return request_of("scale",
                      launch_of({16}, {64}, {"buf:4000:f32", "buf:4000:undef", "i32:1000"}));
  }

  static std::vector<float> floats(const std::string& path) {
    const Result<MappedFile> file = MappedFile::open(path);
    std::vector<float> values(file->bytes().size() / 4);
    std::memcpy(values.data(), file->bytes().data(), values.size() * 4);
    return values;
  }

  static inline std::vector<OpenclDeviceInfo>* devices_ = nullptr;
  std::shared_ptr<measure::ScratchFolder> folder_;
  std::string path_;
};

TEST_F(OpenclDeviceTest, RunsAndTimes) {
  measure::DeviceRequest request = scale();
  request.outputs = folder_->path();
  request.repeats = 2;
  const measure::DeviceAnswer answer = WorkerDevice(BURIN_BINARY).run(request);
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  EXPECT_EQ(answer->gpu, (*devices_)[0].name);
  EXPECT_THAT(answer->architecture, testing::StartsWith("OpenCL "));
  EXPECT_EQ(answer->timer, "profiling");
  EXPECT_THAT(answer->times_us, SizeIs(3));
  EXPECT_THAT(answer->times_us, Each(testing::Gt(0)));
  EXPECT_EQ(answer->agreeing, 2u);
  ASSERT_THAT(answer->outputs, SizeIs(2));
  EXPECT_FALSE(answer->outputs[0].changed);
  EXPECT_TRUE(answer->outputs[1].changed);
  const std::vector<float> in = floats(answer->outputs[0].path);
  const std::vector<float> out = floats(answer->outputs[1].path);
  ASSERT_THAT(out, SizeIs(1000));
  for (std::size_t i = 0; i < 1000; ++i) ASSERT_EQ(out[i], 2 * in[i]) << i;
}

TEST_F(OpenclDeviceTest, GridAndBlockMakeTheGlobalSize) {
  measure::DeviceRequest request =
      request_of("where_am_i", launch_of({3, 2}, {4, 2}, {"buf:192:zero"}));
  request.outputs = folder_->path();
  request.stopping = measure::exactly(0);
  const measure::DeviceAnswer answer = WorkerDevice(BURIN_BINARY).run(request);
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  const Result<MappedFile> file = MappedFile::open(answer->outputs[0].path);
  std::vector<std::int32_t> out(48);
  ASSERT_EQ(file->bytes().size(), 192u);
  std::memcpy(out.data(), file->bytes().data(), 192);
  for (int y = 0; y < 4; ++y) {
    for (int x = 0; x < 12; ++x) {
      EXPECT_EQ(out[static_cast<std::size_t>(y * 12 + x)],
                x / 4 * 1000 + y / 2 * 100 + x % 4 * 10 + y % 2);
    }
  }
}

TEST_F(OpenclDeviceTest, TwoLaunchesWithLocalMemoryAreOneConfiguration) {
  measure::DeviceRequest request = request_of(
      "partial", launch_of({8}, {64}, {"buf:40000:f32", "buf:32:zero", "local:256", "i32:10000"}));
  request.steps.push_back(
      {.kernel = "total", .launch = launch_of({1}, {1}, {"@1", "buf:4:zero", "i32:8"})});
  request.outputs = folder_->path();
  const measure::DeviceAnswer answer = WorkerDevice(BURIN_BINARY).run(request);
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  ASSERT_THAT(answer->outputs, SizeIs(3));
  double sum = 0;
  for (const float value : floats(answer->outputs[0].path)) sum += static_cast<double>(value);
  EXPECT_EQ(answer->outputs[2].step, 1u);
  EXPECT_NEAR(floats(answer->outputs[2].path)[0], sum, 0.01);
}

TEST_F(OpenclDeviceTest, ConfigurationsAreBuiltWithOptionsAndVerified) {
  WorkerDevice device(BURIN_BINARY);
  measure::DeviceRequest request = scale();
  request.keep_buffers = true;
  request.expected = {{.argument = 1, .tolerance = 1e-6}};
  request.check = measure::Check::kKeep;
  ASSERT_TRUE(device.run(request).ok());
  request.check = measure::Check::kCompare;
  request.steps[0].launch.grid = {32};
  request.steps[0].launch.block = {32};
  measure::DeviceAnswer answer = device.run(request);
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  EXPECT_TRUE(answer->correct());
  EXPECT_THAT(answer->times_us, SizeIs(3));
  request.options = "-DFACTOR=3";
  answer = device.run(request);
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  EXPECT_FALSE(answer->correct());
  EXPECT_EQ(answer->checked[0].comparison.elements, 1000u);
  EXPECT_GT(answer->checked[0].comparison.different, 900u);
  EXPECT_THAT(answer->times_us, testing::IsEmpty());
  EXPECT_EQ(device.workers(), 1u);
}

TEST_F(OpenclDeviceTest, AProgramThatDoesNotCompileIsTold) {
  WorkerDevice device(BURIN_BINARY);
  measure::DeviceRequest request = scale();
  request.options = "-DBROKEN";
  const measure::DeviceAnswer answer = device.run(request);
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.kind(), FailureKind::kCompile);
  EXPECT_EQ(answer.error().exit, Exit::kInput);
  EXPECT_THAT(answer.error().message, HasSubstr("cannot compile the program"));
  EXPECT_THAT(answer.error().message, HasSubstr("error"));
  EXPECT_TRUE(device.run(scale()).ok());
  EXPECT_EQ(device.workers(), 1u);
}

TEST_F(OpenclDeviceTest, WrongRequestsAreRefusedInWords) {
  WorkerDevice device(BURIN_BINARY);
  const auto refusal = [&](const measure::DeviceRequest& request, FailureKind kind) {
    const measure::DeviceAnswer answer = device.run(request);
    if (answer) return std::string("a result");
    EXPECT_EQ(answer.kind(), kind) << answer.error().message;
    return answer.error().message;
  };
  measure::DeviceRequest request = scale();
  request.steps[0].kernel = "scape";
  EXPECT_THAT(refusal(request, FailureKind::kRequest), HasSubstr("has no kernel scape; it has"));
  request = scale();
  request.steps[0].launch.arguments.pop_back();
  EXPECT_EQ(refusal(request, FailureKind::kRequest),
            "scale has 3 parameters, but 2 arguments are given");
  request = scale();
  request.steps[0].launch.arguments[2] = *launch::parse_argument("f64:1", 2);
  EXPECT_THAT(refusal(request, FailureKind::kRequest),
              HasSubstr("argument 2 'f64:1' does not fit its parameter: CL_INVALID_ARG_SIZE"));
  request = scale();
  request.steps[0].launch.block = {1 << 20};
  EXPECT_THAT(refusal(request, FailureKind::kLaunch), HasSubstr("cannot launch scale"));
  request = scale();
  request.steps[0].launch.shared_bytes = 1024;
  EXPECT_THAT(refusal(request, FailureKind::kRequest), HasSubstr("pass local:BYTES"));
  request = scale();
  request.program = "/proc/nowhere.cl";
  EXPECT_THAT(refusal(request, FailureKind::kRequest), HasSubstr("/proc/nowhere.cl"));
  request = scale();
  request.device = "opencl:99";
  EXPECT_THAT(refusal(request, FailureKind::kDevice), HasSubstr("opencl:99 does not exist"));
}

TEST_F(OpenclDeviceTest, AHangIsEnded) {
  if ((*devices_)[0].is_gpu) GTEST_SKIP() << "a kernel that hangs may block a GPU for others";
  WorkerDevice device(BURIN_BINARY);
  ASSERT_TRUE(device.run(scale()).ok());
  measure::DeviceRequest request = request_of("spin", launch_of({1}, {1}, {"buf:4:zero"}));
  request.limit_seconds = 3;
  const measure::DeviceAnswer answer = device.run(request);
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.kind(), FailureKind::kTimeout);
  EXPECT_THAT(answer.error().message, HasSubstr("opencl:0 did not finish"));
  EXPECT_TRUE(device.run(scale()).ok());
}

TEST_F(OpenclDeviceTest, CachesAreFlushed) {
  measure::DeviceRequest request = scale();
  request.caches = measure::Caches::kCold;
  request.stopping = measure::exactly(1);
  const measure::DeviceAnswer answer = WorkerDevice(BURIN_BINARY).run(request);
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  EXPECT_EQ(answer->caches, measure::Caches::kCold);
  EXPECT_THAT(answer->times_us, SizeIs(1));
}

TEST(Opencl, WithoutALibraryItIsASentence) {
  ::setenv("BURIN_LIBOPENCL", "none", 1);
  measure::DeviceRequest request = measure::single_launch("a.cl", "k", {});
  request.device = "opencl:0";
  const measure::DeviceAnswer answer = WorkerDevice(BURIN_BINARY).run(request);
  ::unsetenv("BURIN_LIBOPENCL");
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.kind(), FailureKind::kDevice);
  EXPECT_EQ(answer.error().exit, Exit::kDevice);
  EXPECT_THAT(answer.error().message, HasSubstr("no OpenCL found"));
}

}  // namespace
}  // namespace burin::gpu
