// The whole way: a request goes to a worker process, which opens a fake of NVIDIA's libraries.
#include "gpu/cuda_device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <cstring>

#include "base/child.h"
#include "base/file.h"
#include "launch/argument.h"
#include "measure/protocol.h"
#include "measure/scratch_folder.h"

namespace burin::gpu {
namespace {

using testing::AllOf;
using testing::Each;
using testing::HasSubstr;
using testing::SizeIs;

class CudaDeviceTest : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* library : {"BURIN_LIBCUDA", "BURIN_LIBCUPTI", "BURIN_LIBNVML"}) {
      ::setenv(library, BURIN_FAKE_NVIDIA, 1);
    }
    misbehave("");
    folder_ = *measure::ScratchFolder::make();
  }

  static void misbehave(const char* how) { ::setenv("BURIN_FAKE", how, 1); }

  measure::DeviceRequest vector_add(std::vector<std::string> arguments = {
                                        "buf:4000:f32", "buf:4000:f32", "buf:4000:undef",
                                        "i32:1000"}) {
    measure::DeviceRequest request{.cubin = BURIN_SOURCE_DIR "/examples/vector_add.sm_90.cubin",
                                   .kernel = "vector_add"};
    request.launch.grid = {4};
    request.launch.block = {256};
    request.launch.arguments = *launch::parse_arguments(arguments);
    request.outputs = folder_->path();
    request.limit_seconds = 30;
    return request;
  }

  Result<measure::DeviceResult> run(const measure::DeviceRequest& request) {
    return CudaDevice(BURIN_BINARY).run(request);
  }
  // The sentence with which the device refuses.
  std::string refusal(const measure::DeviceRequest& request) {
    const Result<measure::DeviceResult> result = run(request);
    if (result) return "a result";
    EXPECT_EQ(result.error().exit, Exit::kDevice);
    return result.error().message;
  }

  std::shared_ptr<measure::ScratchFolder> folder_;
};

TEST_F(CudaDeviceTest, RunsAndTimes) {
  const measure::DeviceRequest request = vector_add();
  const Result<measure::DeviceResult> result = run(request);
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(result->gpu, "Fake GPU");
  EXPECT_EQ(result->architecture, "sm_90");
  EXPECT_EQ(result->driver, "580.00.01");
  EXPECT_EQ(result->timer, "cupti");
  EXPECT_EQ(result->timer_note, "");
  EXPECT_THAT(result->times_us, AllOf(SizeIs(20), Each(2.5)));
  EXPECT_THAT(result->clock_mhz, AllOf(Not(testing::IsEmpty()), Each(1980u)));
}

TEST_F(CudaDeviceTest, ManyRequestsAreAnsweredInOrderAndOneThatFailsCostsOnlyItself) {
  std::vector<measure::DeviceRequest> requests(3, vector_add());
  requests[1].kernel = "no_such_kernel";
  const auto answers = CudaDevice(BURIN_BINARY).run_all(requests);
  ASSERT_THAT(answers, SizeIs(3));
  EXPECT_TRUE(answers[0].ok());
  ASSERT_FALSE(answers[1].ok());
  EXPECT_THAT(answers[1].error().message, HasSubstr("no_such_kernel"));
  EXPECT_TRUE(answers[2].ok());
}

TEST_F(CudaDeviceTest, OutputsAreWhatTheKernelLeft) {
  const measure::DeviceRequest request = vector_add();
  const Result<measure::DeviceResult> result = run(request);
  ASSERT_TRUE(result.ok()) << result.error().message;
  ASSERT_THAT(result->outputs, SizeIs(3));
  EXPECT_FALSE(result->outputs[0].changed);
  EXPECT_FALSE(result->outputs[1].changed);
  EXPECT_TRUE(result->outputs[2].changed);
  EXPECT_EQ(result->outputs[2].argument, 2u);
  const Result<MappedFile> file = MappedFile::open(result->outputs[2].path);
  ASSERT_TRUE(file.ok());
  std::vector<float> a(1000), b(1000), sum(1000);
  const auto bytes = [](std::vector<float>& v) {
    return std::span(reinterpret_cast<std::uint8_t*>(v.data()), v.size() * 4);
  };
  request.launch.arguments[0].buffer()->fill(0, bytes(a));
  request.launch.arguments[1].buffer()->fill(0, bytes(b));
  ASSERT_EQ(file->bytes().size(), 4000u);
  std::memcpy(sum.data(), file->bytes().data(), 4000);
  for (std::size_t i = 0; i < 1000; ++i) ASSERT_EQ(sum[i], a[i] + b[i]) << i;
}

// In place: were the buffer not put back, the second launch would add to the first one's sums.
TEST_F(CudaDeviceTest, EveryLaunchStartsFromTheSameInputs) {
  measure::DeviceRequest request =
      vector_add({"buf:4000:f32", "buf:4000:f32", "buf:4000:f32", "i32:1000"});
  request.repeats = 5;
  const Result<measure::DeviceResult> result = run(request);
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(result->repeats, 5u);
  EXPECT_EQ(result->agreeing, 5u);
}

TEST_F(CudaDeviceTest, OutputsThatVaryAreCounted) {
  misbehave("noise");
  measure::DeviceRequest request = vector_add();
  request.repeats = 5;
  request.launches = 0;
  const Result<measure::DeviceResult> result = run(request);
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(result->repeats, 5u);
  EXPECT_EQ(result->agreeing, 1u);
  EXPECT_EQ(result->outputs[0].agreeing, 5u);  // an input
  EXPECT_EQ(result->outputs[2].agreeing, 1u);
  EXPECT_THAT(result->times_us, testing::IsEmpty());
}

TEST_F(CudaDeviceTest, EventsWhereTimeStampsAreMissing) {
  misbehave("late");
  Result<measure::DeviceResult> result = run(vector_add());
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(result->timer, "events");
  EXPECT_THAT(result->timer_note, HasSubstr("19 of the 20 launches"));
  EXPECT_THAT(result->times_us, AllOf(SizeIs(20), Each(500)));

  misbehave("");
  ::setenv("BURIN_LIBCUPTI", "none", 1);
  result = run(vector_add());
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(result->timer, "events");
  EXPECT_THAT(result->timer_note, HasSubstr("libcupti not found"));
}

// CUPTI calls a kernel what it called the one whose handle it has.
TEST_F(CudaDeviceTest, KernelsAfterOthersAreTimedByTheirStamps) {
  const std::vector<std::string> of_histogram{"buf:4000:u8", "buf:1K:zero", "i32:4000"};
  std::vector<measure::DeviceRequest> requests(4, vector_add());
  for (const std::size_t other : {1, 2}) {
    requests[other].cubin = BURIN_SOURCE_DIR "/examples/histogram.sm_90.cubin";
    requests[other].kernel = "histogram";
    requests[other].launch.arguments = *launch::parse_arguments(of_histogram);
  }
  const auto answers = CudaDevice(BURIN_BINARY).run_all(requests);
  ASSERT_THAT(answers, SizeIs(4));
  for (const auto& answer : answers) {
    ASSERT_TRUE(answer.ok()) << answer.error().message;
    EXPECT_EQ(answer->timer, "cupti") << answer->timer_note;
    EXPECT_THAT(answer->times_us, AllOf(SizeIs(20), Each(2.5)));
  }
}

TEST_F(CudaDeviceTest, WarmCachesAndNoClock) {
  ::setenv("BURIN_LIBNVML", "none", 1);
  measure::DeviceRequest request = vector_add();
  request.caches = measure::Caches::kWarm;
  request.launches = 300;  // more than one queue
  const Result<measure::DeviceResult> result = run(request);
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(result->caches, measure::Caches::kWarm);
  EXPECT_THAT(result->times_us, SizeIs(300));
  EXPECT_THAT(result->clock_mhz, testing::IsEmpty());
  EXPECT_EQ(result->driver, "CUDA 13.0");
}

TEST_F(CudaDeviceTest, AFaultIsASentence) {
  misbehave("fault");
  EXPECT_EQ(refusal(vector_add()),
            "the kernel vector_add failed on cuda:0 (Fake GPU): an illegal memory access was "
            "encountered (CUDA_ERROR_ILLEGAL_ADDRESS)");
  misbehave("");
  EXPECT_TRUE(run(vector_add()).ok());  // the device serves on
}

TEST_F(CudaDeviceTest, AHangIsEnded) {
  misbehave("hang");
  measure::DeviceRequest request = vector_add();
  request.limit_seconds = 0.5;
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(refusal(request),
            "cuda:0 did not finish running the kernel within 0.5 seconds; its worker was killed");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
}

TEST_F(CudaDeviceTest, ACrashIsTold) {
  misbehave("crash");
  EXPECT_THAT(refusal(vector_add()),
              HasSubstr("the worker of cuda:0 crashed while running the kernel"));
}

TEST_F(CudaDeviceTest, WhatTheDriverRefusesIsTold) {
  measure::DeviceRequest request = vector_add();
  request.device = 3;
  EXPECT_EQ(refusal(request), "cuda:3 does not exist: the driver sees 1 GPU, Fake GPU");
  misbehave("idle");
  EXPECT_EQ(refusal(vector_add()), "cuda:0 does not exist: the driver sees no GPU");
  misbehave("other");
  EXPECT_EQ(refusal(vector_add()),
            "vector_add is compiled for sm_90 and cannot run on cuda:0 (Fake GPU, sm_90)");
  misbehave("small");
  EXPECT_THAT(refusal(vector_add({"buf:4000:f32", "buf:2M:f32", "buf:4000:undef", "i32:1000"})),
              HasSubstr("argument 1 'buf:2M:f32' does not fit on cuda:0 (Fake GPU)"));
  misbehave("");
  ::setenv("BURIN_LIBCUDA", "none", 1);
  EXPECT_THAT(refusal(vector_add()), HasSubstr("no NVIDIA driver found"));
  ::setenv("BURIN_LIBCUDA", "libc.so.6", 1);
  EXPECT_THAT(refusal(vector_add()), HasSubstr("the NVIDIA driver lacks cuInit"));
}

TEST_F(CudaDeviceTest, BadInputIsNotTheDevicesFault) {
  measure::DeviceRequest request = vector_add();
  request.cubin = "/proc/nowhere.cubin";
  Result<measure::DeviceResult> result = run(request);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().exit, Exit::kInput);
  request = vector_add();
  request.kernel = "vector_sub";
  result = run(request);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().exit, Exit::kInput);
  EXPECT_THAT(result.error().message, HasSubstr("has no kernel vector_sub"));
}

TEST(ParseDevice, Forms) {
  EXPECT_EQ(*parse_device("cuda:0"), 0u);
  EXPECT_EQ(*parse_device("cuda:7"), 7u);
  EXPECT_EQ(*parse_device("cuda"), 0u);
  for (const char* wrong : {"", "cuda:", "cuda:-1", "cuda:x", "0", "opencl:0"}) {
    const Result<unsigned> device = parse_device(wrong);
    ASSERT_FALSE(device.ok()) << wrong;
    EXPECT_EQ(device.error().exit, Exit::kUsage);
  }
}

// The stages and results that one worker tells of several requests.
struct Told {
  std::size_t fills = 0, results = 0;
};

Told worker_told(const std::vector<measure::DeviceRequest>& requests) {
  std::string lines;
  for (const measure::DeviceRequest& request : requests) lines += measure::request_line(request);
  const std::string text = run_program(BURIN_BINARY, {"worker"}, 30, lines).text;
  const auto count = [&](std::string_view word) {
    std::size_t found = 0;
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
      ++found;
    }
    return found;
  };
  return {count("filling the buffers"), count("\"times_us\"")};
}

TEST_F(CudaDeviceTest, KeptBuffersServeTheSameArguments) {
  measure::DeviceRequest request = vector_add();
  request.outputs = "";
  request.warm_up_ms = 1;
  request.keep_buffers = true;
  measure::DeviceRequest other_shape = request, other_arguments = vector_add(), not_kept = request;
  other_shape.launch.block = {128};
  other_shape.launch.grid = {8};
  other_arguments.launch.arguments = *launch::parse_arguments(
      std::vector<std::string>{"buf:8000:f32", "buf:8000:f32", "buf:8000:undef", "i32:1000"});
  other_arguments.outputs = "";
  other_arguments.keep_buffers = true;
  not_kept.keep_buffers = false;

  const Told same = worker_told({request, other_shape, request});
  EXPECT_EQ(same.fills, 1u);
  EXPECT_EQ(same.results, 3u);
  const Told other = worker_told({request, other_arguments, other_arguments, not_kept, not_kept});
  EXPECT_EQ(other.fills, 4u);
  EXPECT_EQ(other.results, 5u);
}

}  // namespace
}  // namespace burin::gpu
