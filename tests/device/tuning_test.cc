// What tuning asks of a device, on a real GPU: many configurations with one worker, verification on
// the GPU, faults, hangs, PTX, several launches, OpenCL. Opt-in: BURIN_DEVICE names the GPU, and
// nvcc builds the kernels. It must be one that no other program needs: a kernel hangs on purpose.
//
//   BURIN_DEVICE=cuda:0 build/tests/test_device --gtest_filter='Tuning*'
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>

#include "base/child.h"
#include "base/file.h"
#include "base/format.h"
#include "gpu/opencl/platforms.h"
#include "gpu/worker/worker_device.h"
#include "launch/argument.h"
#include "measure/sample.h"
#include "measure/scratch_folder.h"

namespace burin::gpu {
namespace {

using measure::FailureKind;
using testing::Each;
using testing::Gt;
using testing::HasSubstr;
using testing::SizeIs;

constexpr const char* kCudaSource = R"(
extern "C" __global__ void scale(const float* in, float* out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    out[i] = 2 * in[i];
  }
}
extern "C" __global__ void wrong(const float* in, float* out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    out[i] = i < 1000 ? 2 * in[i] : 3 * in[i];
  }
}
extern "C" __global__ void harmful(float* in, float* out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    out[i] = 2 * in[i];
    in[i] = 7;
  }
}
extern "C" __global__ void fault(const float* in, float* out, int n) {
  reinterpret_cast<float*>(4096)[threadIdx.x] = in[0];
}
extern "C" __global__ void hang(const float* in, volatile float* out, int n) {
  while (out[0] == 0) {}
}
extern "C" __global__ void slow(const float* in, float* out, int n) {
  for (int turn = 0; turn < 200; ++turn) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
      out[i] = 2 * in[i];
    }
    __syncthreads();
  }
}
extern "C" __global__ void partial(const float* in, float* sums, int n) {
  __shared__ float shared[256];
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    sum += in[i];
  }
  shared[threadIdx.x] = sum;
  __syncthreads();
  for (int step = blockDim.x / 2; step > 0; step /= 2) {
    if (threadIdx.x < step) shared[threadIdx.x] += shared[threadIdx.x + step];
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = shared[0];
}
extern "C" __global__ void total(const float* sums, float* result, int n) {
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += sums[i];
  result[0] = sum;
}
)";

constexpr const char* kOpenclSource = R"(
__kernel void scale(__global const float* in, __global float* out, int n) {
  for (int i = get_global_id(0); i < n; i += get_global_size(0)) out[i] = FACTOR * in[i];
}
)";

class TuningTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    nvcc_ = find_program("nvcc", {"/usr/local/cuda/bin"});
    if (std::getenv("BURIN_DEVICE") == nullptr || nvcc_.empty()) return;
    folder_ = *measure::ScratchFolder::make();
    std::ofstream(folder_->path() + "/kernels.cu") << kCudaSource;
    build("cubin");
    build("ptx");
  }
  static void TearDownTestSuite() { folder_.reset(); }

  static void build(const std::string& kind) {
    const Answer built = run_program(
        nvcc_, {"-arch=native", "--" + kind, "-o", path(kind), folder_->path() + "/kernels.cu"},
        300);
    EXPECT_TRUE(built.ok()) << built.text;
  }
  static std::string path(const std::string& kind) { return folder_->path() + "/kernels." + kind; }

  void SetUp() override {
    if (std::getenv("BURIN_DEVICE") == nullptr) {
      GTEST_SKIP() << "BURIN_DEVICE names no GPU, such as cuda:0";
    }
    if (nvcc_.empty()) GTEST_SKIP() << "nvcc, which builds the kernels, is not installed";
    name_ = std::getenv("BURIN_DEVICE");
  }

  measure::DeviceRequest request(const std::string& kernel, unsigned block = 256,
                                 unsigned elements = 1 << 22) {
    launch::Launch launch{.grid = {1024}, .block = {block}};
    launch.arguments = *launch::parse_arguments(std::vector<std::string>{
        fmt::format("buf:{}:f32", elements * 4), fmt::format("buf:{}:zero", elements * 4),
        fmt::format("i32:{}", elements)});
    measure::DeviceRequest made = measure::single_launch(path("cubin"), kernel, std::move(launch));
    made.device = name_;
    made.keep_buffers = true;
    made.warm_up_ms = 20;
    made.limit_seconds = 60;
    made.expected = {{.argument = 1, .tolerance = 1e-6}};
    made.check = measure::Check::kCompare;
    made.stopping = {.least = 5, .most = 50, .target_spread = 0.005};
    return made;
  }
  // A device that has the outputs of `scale` as its reference.
  std::unique_ptr<WorkerDevice> with_reference() {
    auto device = std::make_unique<WorkerDevice>(BURIN_BINARY);
    measure::DeviceRequest first = request("scale");
    first.check = measure::Check::kKeep;
    const measure::DeviceAnswer answer = device->run(first);
    EXPECT_TRUE(answer.ok()) << answer.error().message;
    return device;
  }
  // After whatever happened, a correct configuration is measured correctly.
  void expect_works(WorkerDevice& device) {
    const measure::DeviceAnswer answer = device.run(request("scale", 128));
    ASSERT_TRUE(answer.ok()) << answer.error().message;
    EXPECT_TRUE(answer->correct());
    EXPECT_THAT(answer->times_us, SizeIs(testing::Ge(5)));
    EXPECT_EQ(answer->timer, "cupti") << answer->timer_note;
  }

  static inline std::string nvcc_;
  static inline std::shared_ptr<measure::ScratchFolder> folder_;
  std::string name_;
};

TEST_F(TuningTest, ManyConfigurationsShareAWorkerAndItsBuffers) {
  const auto device = with_reference();
  const auto start = std::chrono::steady_clock::now();
  constexpr int kConfigurations = 100;
  std::size_t launches = 0, discarded = 0;
  for (int i = 0; i < kConfigurations; ++i) {
    const measure::DeviceAnswer answer = device->run(request("scale", 32u << i % 6));
    ASSERT_TRUE(answer.ok()) << answer.error().message;
    EXPECT_TRUE(answer->correct());
    EXPECT_EQ(answer->timer, "cupti") << answer->timer_note;
    launches += answer->times_us.size();
    discarded += answer->discarded;
  }
  const double ms =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  std::cout << fmt::format(
      "{:.1f} ms per configuration, {:.1f} timed launches each, {} discarded\n",
      ms / kConfigurations, static_cast<double>(launches) / kConfigurations, discarded);
  EXPECT_EQ(device->workers(), 1u);
}

TEST_F(TuningTest, WrongOutputsAreFoundOnTheGpu) {
  const auto device = with_reference();
  const measure::DeviceAnswer answer = device->run(request("wrong"));
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  EXPECT_FALSE(answer->correct());
  const launch::Comparison& comparison = answer->checked[0].comparison;
  EXPECT_EQ(comparison.elements, 1u << 22);
  EXPECT_GE(comparison.first, 1000u);
  EXPECT_LT(comparison.first, 1010u);
  EXPECT_NEAR(std::stof(comparison.got), 1.5f * std::stof(comparison.expected), 1e-4f);
  EXPECT_GT(comparison.largest_error, 0.9);
  EXPECT_THAT(answer->times_us, testing::IsEmpty());
  expect_works(*device);
}

TEST_F(TuningTest, AnOverwrittenInputIsRestored) {
  const auto device = with_reference();
  const measure::DeviceAnswer answer = device->run(request("harmful"));
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  EXPECT_TRUE(answer->correct());
  EXPECT_TRUE(answer->outputs[0].changed);
  expect_works(*device);
  EXPECT_EQ(device->workers(), 1u);
}

TEST_F(TuningTest, AFaultCostsOnlyItself) {
  const auto device = with_reference();
  const measure::DeviceAnswer answer = device->run(request("fault"));
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.kind(), FailureKind::kRuntime);
  EXPECT_TRUE(answer.lost());
  EXPECT_THAT(answer.error().message, HasSubstr("CUDA_ERROR_ILLEGAL_ADDRESS"));
  expect_works(*device);
  EXPECT_EQ(device->workers(), 2u);
}

TEST_F(TuningTest, AHangCostsOnlyItself) {
  const auto device = with_reference();
  measure::DeviceRequest hanging = request("hang");
  hanging.limit_seconds = 2;
  const measure::DeviceAnswer answer = device->run(hanging);
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.kind(), FailureKind::kTimeout);
  EXPECT_THAT(answer.error().message, HasSubstr("did not finish running the kernel"));
  expect_works(*device);
}

TEST_F(TuningTest, LaunchesThatTheGpuRefusesLeaveTheWorkerAlone) {
  const auto device = with_reference();
  measure::DeviceRequest large = request("scale", 2048);
  EXPECT_EQ(device->run(large).kind(), FailureKind::kLaunch);
  large = request("scale");
  large.steps[0].launch.shared_bytes = 512 << 10;
  EXPECT_EQ(device->run(large).kind(), FailureKind::kLaunch);
  large = request("scale");
  large.steps[0].cooperative = true;
  large.steps[0].launch.grid = {1 << 20};  // cannot all be resident
  const measure::DeviceAnswer answer = device->run(large);
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.kind(), FailureKind::kLaunch) << answer.error().message;
  expect_works(*device);
  EXPECT_EQ(device->workers(), 1u);
}

TEST_F(TuningTest, PtxIsCompiledByTheDriver) {
  const auto device = with_reference();
  measure::DeviceRequest ptx = request("scale");
  ptx.program = path("ptx");
  const measure::DeviceAnswer answer = device->run(ptx);
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  EXPECT_TRUE(answer->correct());
  ptx.program = folder_->path() + "/broken.ptx";
  std::ofstream(ptx.program) << ".version 7.0\n.target sm_70\n.address_size 64\nnonsense here;\n";
  const measure::DeviceAnswer broken = device->run(ptx);
  ASSERT_FALSE(broken.ok());
  EXPECT_EQ(broken.kind(), FailureKind::kCompile);
  std::cout << broken.error().message << "\n";
  expect_works(*device);
}

TEST_F(TuningTest, TwoLaunchesAreTimedTogether) {
  constexpr unsigned kElements = 1 << 20;
  measure::DeviceRequest both = request("partial", 256, kElements);
  both.check = measure::Check::kNone;
  both.expected = {};
  both.keep_buffers = false;
  both.outputs = folder_->path();
  both.steps[0].launch.grid = {64};
  both.steps[0].launch.arguments[1] = *launch::parse_argument("buf:256:zero", 1);
  launch::Launch second{.grid = {1}, .block = {1}};
  second.arguments =
      *launch::parse_step_arguments(std::vector<std::string>{"@1", "buf:4:zero", "i32:64"});
  both.steps.push_back({.kernel = "total", .launch = second});
  WorkerDevice device(BURIN_BINARY);
  const measure::DeviceAnswer answer = device.run(both);
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  ASSERT_THAT(answer->outputs, SizeIs(3));
  std::vector<float> in(kElements);
  both.steps[0].launch.arguments[0].buffer()->fill(
      0, std::span(reinterpret_cast<std::uint8_t*>(in.data()), in.size() * 4));
  double sum = 0;
  for (const float value : in) sum += static_cast<double>(value);
  float result = 0;
  std::memcpy(&result, MappedFile::open(answer->outputs[2].path)->bytes().data(), 4);
  EXPECT_NEAR(result, sum, sum * 1e-5);
  EXPECT_EQ(answer->timer, "cupti") << answer->timer_note;
  EXPECT_THAT(answer->times_us, Each(Gt(2.0)));
}

TEST_F(TuningTest, TheSeriesAdapts) {
  const auto device = with_reference();
  const measure::DeviceAnswer fast = device->run(request("scale"));
  ASSERT_TRUE(fast.ok()) << fast.error().message;
  const double median = measure::summarize(fast->times_us).median;
  measure::DeviceRequest slow = request("slow");
  slow.stopping.abort_above_us = 1.5 * median;
  const measure::DeviceAnswer answer = device->run(slow);
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  EXPECT_TRUE(answer->cut_short);
  EXPECT_THAT(answer->times_us, SizeIs(testing::Le(5)));
  std::cout << fmt::format("{:.2f} µs from {} launches; cut short at {:.1f} µs after {}\n", median,
                           fast->times_us.size(), answer->times_us.back(), answer->times_us.size());
}

TEST_F(TuningTest, EveryOpenclDeviceRunsKernels) {
  const std::vector<OpenclDeviceInfo> devices = find_opencl_devices();
  if (devices.empty()) GTEST_SKIP() << "there is no OpenCL device";
  std::ofstream(folder_->path() + "/kernels.cl") << kOpenclSource;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    WorkerDevice device(BURIN_BINARY);
    measure::DeviceRequest scale = request("scale", 64);
    scale.device = fmt::format("opencl:{}", i);
    scale.program = folder_->path() + "/kernels.cl";
    scale.options = "-DFACTOR=2";
    scale.check = measure::Check::kKeep;
    const measure::DeviceAnswer first = device.run(scale);
    ASSERT_TRUE(first.ok()) << first.error().message;
    std::cout << fmt::format("{}: {}, {:.1f} µs\n", scale.device, first->gpu,
                             measure::summarize(first->times_us).median);
    scale.check = measure::Check::kCompare;
    scale.steps[0].launch.block = {32};
    EXPECT_TRUE(device.run(scale)->correct());
    scale.options = "-DFACTOR=3";
    EXPECT_FALSE(device.run(scale)->correct());
  }
}

}  // namespace
}  // namespace burin::gpu
