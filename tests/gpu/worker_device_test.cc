// The whole way: a request goes to a worker process, which opens a fake of NVIDIA's libraries.
#include "gpu/worker/worker_device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

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

constexpr const char* kVectorAdd = BURIN_SOURCE_DIR "/examples/vector_add.sm_90.cubin";

class WorkerDeviceTest : public testing::Test {
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
    launch::Launch launch{.grid = {4}, .block = {256}};
    launch.arguments = *launch::parse_arguments(arguments);
    measure::DeviceRequest request =
        measure::single_launch(kVectorAdd, "vector_add", std::move(launch));
    request.outputs = folder_->path();
    request.limit_seconds = 30;
    return request;
  }

  measure::DeviceAnswer run(const measure::DeviceRequest& request) {
    return WorkerDevice(BURIN_BINARY).run(request);
  }
  // The sentence with which the device refuses.
  std::string refusal(const measure::DeviceRequest& request) {
    const measure::DeviceAnswer result = run(request);
    if (result) return "a result";
    EXPECT_EQ(result.error().exit, Exit::kDevice);
    return result.error().message;
  }

  std::shared_ptr<measure::ScratchFolder> folder_;
};

TEST_F(WorkerDeviceTest, RunsAndTimes) {
  const measure::DeviceRequest request = vector_add();
  const measure::DeviceAnswer result = run(request);
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(result->gpu, "Fake GPU");
  EXPECT_EQ(result->architecture, "sm_90");
  EXPECT_EQ(result->driver, "580.00.01");
  EXPECT_EQ(result->timer, "cupti");
  EXPECT_EQ(result->timer_note, "");
  EXPECT_THAT(result->times_us, AllOf(SizeIs(20), Each(2.5)));
  EXPECT_THAT(result->clock_mhz, AllOf(Not(testing::IsEmpty()), Each(1980u)));
}

TEST_F(WorkerDeviceTest, ManyRequestsAreAnsweredInOrderAndOneThatFailsCostsOnlyItself) {
  std::vector<measure::DeviceRequest> requests(3, vector_add());
  requests[1].steps[0].kernel = "no_such_kernel";
  const auto answers = WorkerDevice(BURIN_BINARY).run_all(requests);
  ASSERT_THAT(answers, SizeIs(3));
  EXPECT_TRUE(answers[0].ok());
  ASSERT_FALSE(answers[1].ok());
  EXPECT_THAT(answers[1].error().message, HasSubstr("no_such_kernel"));
  EXPECT_TRUE(answers[2].ok());
}

TEST_F(WorkerDeviceTest, OutputsAreWhatTheKernelLeft) {
  const measure::DeviceRequest request = vector_add();
  const measure::DeviceAnswer result = run(request);
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
  request.steps[0].launch.arguments[0].buffer()->fill(0, bytes(a));
  request.steps[0].launch.arguments[1].buffer()->fill(0, bytes(b));
  ASSERT_EQ(file->bytes().size(), 4000u);
  std::memcpy(sum.data(), file->bytes().data(), 4000);
  for (std::size_t i = 0; i < 1000; ++i) ASSERT_EQ(sum[i], a[i] + b[i]) << i;
}

// In place: were the buffer not put back, the second launch would add to the first one's sums.
TEST_F(WorkerDeviceTest, EveryLaunchStartsFromTheSameInputs) {
  measure::DeviceRequest request =
      vector_add({"buf:4000:f32", "buf:4000:f32", "buf:4000:f32", "i32:1000"});
  request.repeats = 5;
  const measure::DeviceAnswer result = run(request);
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(result->repeats, 5u);
  EXPECT_EQ(result->agreeing, 5u);
}

TEST_F(WorkerDeviceTest, OutputsThatVaryAreCounted) {
  misbehave("noise");
  measure::DeviceRequest request = vector_add();
  request.repeats = 5;
  request.stopping = measure::exactly(0);
  const measure::DeviceAnswer result = run(request);
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(result->repeats, 5u);
  EXPECT_EQ(result->agreeing, 1u);
  EXPECT_EQ(result->outputs[0].agreeing, 5u);  // an input
  EXPECT_EQ(result->outputs[2].agreeing, 1u);
  EXPECT_THAT(result->times_us, testing::IsEmpty());
}

TEST_F(WorkerDeviceTest, EventsWhereTimeStampsAreMissing) {
  misbehave("late");
  measure::DeviceAnswer result = run(vector_add());
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(result->timer, "events");
  EXPECT_THAT(result->timer_note, HasSubstr("19 of the 20 launches"));
  EXPECT_THAT(result->times_us, AllOf(SizeIs(20), Each(testing::DoubleNear(5.5, 1e-3))));

  misbehave("");
  ::setenv("BURIN_LIBCUPTI", "none", 1);
  result = run(vector_add());
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(result->timer, "events");
  EXPECT_THAT(result->timer_note, HasSubstr("libcupti not found"));
}

// CUPTI calls a kernel what it called the one whose handle it has.
TEST_F(WorkerDeviceTest, KernelsAfterOthersAreTimedByTheirStamps) {
  const std::vector<std::string> of_histogram{"buf:4000:u8", "buf:1K:zero", "i32:4000"};
  std::vector<measure::DeviceRequest> requests(4, vector_add());
  for (const std::size_t other : {1, 2}) {
    requests[other].program = BURIN_SOURCE_DIR "/examples/histogram.sm_90.cubin";
    requests[other].steps[0].kernel = "histogram";
    requests[other].steps[0].launch.arguments = *launch::parse_arguments(of_histogram);
  }
  const auto answers = WorkerDevice(BURIN_BINARY).run_all(requests);
  ASSERT_THAT(answers, SizeIs(4));
  for (const auto& answer : answers) {
    ASSERT_TRUE(answer.ok()) << answer.error().message;
    EXPECT_EQ(answer->timer, "cupti") << answer->timer_note;
    EXPECT_THAT(answer->times_us, AllOf(SizeIs(20), Each(2.5)));
  }
}

TEST_F(WorkerDeviceTest, WarmCachesAndNoClock) {
  ::setenv("BURIN_LIBNVML", "none", 1);
  measure::DeviceRequest request = vector_add();
  request.caches = measure::Caches::kWarm;
  request.stopping = measure::exactly(300);  // more than one queue
  const measure::DeviceAnswer result = run(request);
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(result->caches, measure::Caches::kWarm);
  EXPECT_THAT(result->times_us, SizeIs(300));
  EXPECT_THAT(result->clock_mhz, testing::IsEmpty());
  EXPECT_EQ(result->driver, "CUDA 13.0");
}

TEST_F(WorkerDeviceTest, AFaultIsASentence) {
  misbehave("fault");
  EXPECT_EQ(refusal(vector_add()),
            "the kernel vector_add failed on cuda:0 (Fake GPU): an illegal memory access was "
            "encountered (CUDA_ERROR_ILLEGAL_ADDRESS)");
  misbehave("");
  EXPECT_TRUE(run(vector_add()).ok());  // the device serves on
}

TEST_F(WorkerDeviceTest, AHangIsEnded) {
  misbehave("hang");
  measure::DeviceRequest request = vector_add();
  request.limit_seconds = 0.5;
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(refusal(request),
            "cuda:0 did not finish running the kernel within 0.5 seconds; its worker was killed");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
}

TEST_F(WorkerDeviceTest, ACrashIsTold) {
  misbehave("crash");
  EXPECT_THAT(refusal(vector_add()),
              HasSubstr("the worker of cuda:0 crashed while running the kernel"));
}

TEST_F(WorkerDeviceTest, WhatTheDriverRefusesIsTold) {
  measure::DeviceRequest request = vector_add();
  request.device = "cuda:3";
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

TEST_F(WorkerDeviceTest, BadInputIsNotTheDevicesFault) {
  measure::DeviceRequest request = vector_add();
  request.program = "/proc/nowhere.cubin";
  measure::DeviceAnswer result = run(request);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().exit, Exit::kInput);
  request = vector_add();
  request.steps[0].kernel = "vector_sub";
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

// A request as a tuner makes it: the buffers stay, nothing is written to files.
class TunedTest : public WorkerDeviceTest {
 protected:
  measure::DeviceRequest tuned(std::vector<std::string> arguments = {
                                   "buf:4000:f32", "buf:4000:f32", "buf:4000:undef", "i32:1000"}) {
    measure::DeviceRequest request = vector_add(std::move(arguments));
    request.outputs = "";
    request.warm_up_ms = 0;
    request.keep_buffers = true;
    request.expected = {{.argument = 2, .tolerance = 1e-5}};
    request.check = measure::Check::kCompare;
    return request;
  }
  measure::DeviceRequest with_grid(std::uint32_t x) {
    measure::DeviceRequest request = tuned();
    request.steps[0].launch.grid = {x};
    return request;
  }
  measure::DeviceRequest reference() {
    measure::DeviceRequest request = tuned();
    request.check = measure::Check::kKeep;
    return request;
  }
};

TEST_F(TunedTest, KeptBuffersServeTheSameArguments) {
  measure::DeviceRequest request = tuned();
  request.check = measure::Check::kNone;
  measure::DeviceRequest other_shape = request, other_program = request, not_kept = request;
  other_shape.steps[0].launch.block = {128};
  other_shape.steps[0].launch.grid = {8};
  other_program.program = folder_->path() + "/other.cubin";
  std::filesystem::copy_file(kVectorAdd, other_program.program);
  other_program.steps[0].launch.arguments[3] = *launch::parse_argument("i32:999", 3);
  not_kept.keep_buffers = false;
  measure::DeviceRequest other_arguments =
      tuned({"buf:8000:f32", "buf:8000:f32", "buf:8000:undef", "i32:1000"});
  other_arguments.check = measure::Check::kNone;

  const Told same = worker_told({request, other_shape, other_program, request});
  EXPECT_EQ(same.fills, 1u);
  EXPECT_EQ(same.results, 4u);
  const Told other = worker_told({request, other_arguments, other_arguments, not_kept, not_kept});
  EXPECT_EQ(other.fills, 4u);
  EXPECT_EQ(other.results, 5u);
}

TEST_F(TunedTest, OutputsAreComparedWithTheReferenceOnTheDevice) {
  misbehave("planted");
  WorkerDevice device(BURIN_BINARY);
  ASSERT_TRUE(device.run(reference()).ok());
  const measure::DeviceAnswer right = device.run(with_grid(8));
  ASSERT_TRUE(right.ok()) << right.error().message;
  EXPECT_TRUE(right->correct());
  ASSERT_THAT(right->checked, SizeIs(1));
  EXPECT_EQ(right->checked[0].comparison.elements, 1000u);
  EXPECT_THAT(right->times_us, SizeIs(20));

  const measure::DeviceAnswer wrong = device.run(with_grid(16));
  ASSERT_TRUE(wrong.ok()) << wrong.error().message;
  EXPECT_FALSE(wrong->correct());
  const launch::Comparison& comparison = wrong->checked[0].comparison;
  EXPECT_EQ(comparison.different, 1u);
  EXPECT_EQ(comparison.first, 5u);
  EXPECT_EQ(std::stof(comparison.got), std::stof(comparison.expected) + 1);
  EXPECT_NEAR(comparison.largest_error, 1, 1e-6);
  EXPECT_THAT(wrong->times_us, testing::IsEmpty());  // what is wrong is not timed

  EXPECT_TRUE(device.run(with_grid(8))->correct());  // and leaves no trace
  EXPECT_EQ(device.workers(), 1u);
}

TEST_F(TunedTest, WithoutACompilerTheHostCompares) {
  misbehave("planted no_compiler");
  WorkerDevice device(BURIN_BINARY);
  ASSERT_TRUE(device.run(reference()).ok());
  EXPECT_TRUE(device.run(with_grid(8))->correct());
  const measure::DeviceAnswer wrong = device.run(with_grid(16));
  ASSERT_TRUE(wrong.ok()) << wrong.error().message;
  EXPECT_EQ(wrong->checked[0].comparison.first, 5u);
}

TEST_F(TunedTest, AnInputThatAConfigurationOverwritesIsRestored) {
  misbehave("planted");
  WorkerDevice device(BURIN_BINARY);
  ASSERT_TRUE(device.run(reference()).ok());
  const measure::DeviceAnswer harmful = device.run(with_grid(19));
  ASSERT_TRUE(harmful.ok()) << harmful.error().message;
  EXPECT_TRUE(harmful->outputs[0].changed);
  EXPECT_TRUE(device.run(with_grid(8))->correct());
}

TEST_F(TunedTest, AReferenceCanBeAFile) {
  measure::DeviceRequest first = vector_add();
  const measure::DeviceAnswer made = run(first);
  ASSERT_TRUE(made.ok()) << made.error().message;
  measure::DeviceRequest request = tuned();
  request.expected[0].file = made->outputs[2].path;
  EXPECT_TRUE(run(request)->correct());
  request.expected[0].file = made->outputs[0].path;
  EXPECT_FALSE(run(request)->correct());
  request.expected[0].file = "/proc/nowhere.bin";
  measure::DeviceAnswer refused = run(request);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.kind(), measure::FailureKind::kRequest);
  EXPECT_EQ(refused.error().exit, Exit::kInput);
  request.expected[0].file = kVectorAdd;  // of another size
  refused = run(request);
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, HasSubstr("but the buffer of argument 2 has 4000"));
}

TEST_F(TunedTest, WithoutAReferenceThereIsNothingToCompareWith) {
  const measure::DeviceAnswer answer = run(tuned());
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.kind(), measure::FailureKind::kRequest);
  EXPECT_THAT(answer.error().message, HasSubstr("there is no reference yet"));
}

// What a tuning run meets, one after another with one device.
TEST_F(TunedTest, WhateverFailsCostsOnlyItself) {
  misbehave("planted");
  WorkerDevice device(BURIN_BINARY);
  ASSERT_TRUE(device.run(reference()).ok());
  ASSERT_TRUE(device.run(with_grid(8)).ok());
  EXPECT_EQ(device.workers(), 1u);

  measure::DeviceAnswer answer = device.run(with_grid(13));
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.kind(), measure::FailureKind::kRuntime);
  EXPECT_TRUE(answer.lost());
  EXPECT_THAT(answer.error().message, HasSubstr("CUDA_ERROR_ILLEGAL_ADDRESS"));
  answer = device.run(with_grid(8));  // by a new worker, with the reference made again
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  EXPECT_TRUE(answer->correct());
  EXPECT_EQ(device.workers(), 2u);

  measure::DeviceRequest hanging = with_grid(14);
  hanging.limit_seconds = 0.5;
  answer = device.run(hanging);
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.kind(), measure::FailureKind::kTimeout);
  EXPECT_TRUE(device.run(with_grid(8))->correct());

  answer = device.run(with_grid(15));
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.kind(), measure::FailureKind::kRuntime);
  EXPECT_TRUE(device.run(with_grid(8))->correct());
  EXPECT_EQ(device.workers(), 4u);

  answer = device.run(with_grid(18));  // the driver does not launch it; the worker stays
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.kind(), measure::FailureKind::kLaunch);
  EXPECT_THAT(answer.error().message, HasSubstr("CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"));
  measure::DeviceRequest large = with_grid(8);
  large.steps[0].launch.block = {2048};
  EXPECT_EQ(device.run(large).kind(), measure::FailureKind::kLaunch);
  measure::DeviceRequest nameless = with_grid(8);
  nameless.steps[0].kernel = "no_such_kernel";
  EXPECT_EQ(device.run(nameless).kind(), measure::FailureKind::kRequest);
  EXPECT_TRUE(device.run(with_grid(8))->correct());
  EXPECT_EQ(device.workers(), 4u);
}

TEST_F(TunedTest, AWorkerThatEndedBetweenTwoRequestsIsReplaced) {
  // One that answers a single request: the shell forwards one line to a real worker.
  const std::string script = folder_->path() + "/worker.sh";
  std::ofstream(script) << "#!/bin/sh\nhead -n 1 | " BURIN_BINARY " worker\n";
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  WorkerDevice device(script);
  measure::DeviceRequest request = tuned();
  request.check = measure::Check::kNone;
  for (int i = 0; i < 3; ++i) {
    const measure::DeviceAnswer answer = device.run(request);
    ASSERT_TRUE(answer.ok()) << answer.error().message;
    // head has passed on its line and ended, so the next request finds nobody.
  }
  EXPECT_EQ(device.workers(), 3u);
}

TEST_F(TunedTest, TheStartOfAWorkerIsNotInTheLimit) {
  const std::string script = folder_->path() + "/worker.sh";
  std::ofstream(script) << "#!/bin/sh\nsleep 1\nexec " BURIN_BINARY " worker\n";
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  WorkerDevice device(script);
  measure::DeviceRequest request = tuned();
  request.check = measure::Check::kNone;
  request.limit_seconds = 0.9;
  const measure::DeviceAnswer answer = device.run(request);
  ASSERT_TRUE(answer.ok()) << answer.error().message;
}

// Also in a new worker, whose start is not in the limit.
TEST_F(TunedTest, ACompilerThatHangsOrCrashesIsNamed) {
  const std::string script = folder_->path() + "/worker.sh";
  const auto compiling_then = [&](const std::string& end) {
    const std::string line(measure::stage_line("compiling the program"));
    std::ofstream(folder_->path() + "/stage") << line;
    std::ofstream(script) << "#!/bin/sh\nread request\ncat " << folder_->path() << "/stage\n"
                          << end;
    std::filesystem::permissions(script, std::filesystem::perms::owner_all);
    measure::DeviceRequest request = tuned();
    request.check = measure::Check::kNone;
    request.limit_seconds = 0.5;
    return WorkerDevice(script).run(request);
  };
  const auto start = std::chrono::steady_clock::now();
  const measure::DeviceAnswer hung = compiling_then("sleep 30\n");
  ASSERT_FALSE(hung.ok());
  EXPECT_EQ(hung.kind(), measure::FailureKind::kTimeout);
  EXPECT_EQ(hung.error().message,
            "the compiler of cuda:0 did not finish within 0.5 seconds; its worker was killed");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));

  const measure::DeviceAnswer crashed = compiling_then("exit 1\n");
  ASSERT_FALSE(crashed.ok());
  EXPECT_EQ(crashed.kind(), measure::FailureKind::kCompile);
  EXPECT_THAT(crashed.error().message, HasSubstr("crashed while compiling the program"));
}

TEST_F(TunedTest, ASecondLaunchUsesBuffersOfTheFirst) {
  // (a + b) + a: the second launch reads what the first one wrote.
  measure::DeviceRequest request = vector_add();
  launch::Launch second{.grid = {4}, .block = {256}};
  second.arguments = *launch::parse_step_arguments(
      std::vector<std::string>{"@2", "@0", "buf:4000:undef", "i32:1000"});
  request.steps.push_back({.kernel = "vector_add", .launch = second});
  const measure::DeviceAnswer answer = run(request);
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  ASSERT_THAT(answer->outputs, SizeIs(4));
  EXPECT_EQ(answer->outputs[3].step, 1u);
  EXPECT_EQ(answer->outputs[3].argument, 2u);
  const auto floats = [](const std::string& path) {
    const Result<MappedFile> file = MappedFile::open(path);
    std::vector<float> values(file->bytes().size() / 4);
    std::memcpy(values.data(), file->bytes().data(), values.size() * 4);
    return values;
  };
  const std::vector<float> a = floats(answer->outputs[0].path);
  const std::vector<float> b = floats(answer->outputs[1].path);
  const std::vector<float> sum = floats(answer->outputs[3].path);
  ASSERT_THAT(sum, SizeIs(1000));
  for (std::size_t i = 0; i < sum.size(); ++i) ASSERT_EQ(sum[i], a[i] + b[i] + a[i]) << i;
  EXPECT_THAT(answer->times_us, AllOf(SizeIs(20), Each(5.0)));  // both of them
  EXPECT_EQ(answer->timer, "cupti");

  request.steps[1].count = 3;
  const measure::DeviceAnswer thrice = run(request);
  ASSERT_TRUE(thrice.ok()) << thrice.error().message;
  EXPECT_THAT(thrice->times_us, AllOf(SizeIs(20), Each(10.0)));
}

TEST_F(TunedTest, PtxIsCompiledByTheDriver) {
  measure::DeviceRequest request = vector_add();
  request.program = folder_->path() + "/vector_add.ptx";
  std::ofstream(request.program) << ".version 6.0\n// cubin " << kVectorAdd << "\n";
  const measure::DeviceAnswer answer = run(request);
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  EXPECT_TRUE(answer->outputs[2].changed);
  std::ofstream(request.program) << ".version 6.0\nnonsense\n";
  const measure::DeviceAnswer wrong = run(request);
  ASSERT_FALSE(wrong.ok());
  EXPECT_EQ(wrong.kind(), measure::FailureKind::kCompile);
  EXPECT_EQ(wrong.error().exit, Exit::kInput);
  EXPECT_THAT(wrong.error().message, HasSubstr("line 1: syntax error"));
}

TEST_F(TunedTest, ASeriesEndsWhenTheMedianIsKnownOrTheKernelIsTooSlow) {
  misbehave("planted");
  measure::DeviceRequest request = with_grid(8);
  request.check = measure::Check::kNone;
  request.stopping = {.least = 5, .most = 50, .target_spread = 0.005, .abort_above_us = 2.6};
  measure::DeviceAnswer answer = run(request);
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  EXPECT_THAT(answer->times_us, AllOf(SizeIs(5), Each(2.5)));
  EXPECT_TRUE(answer->settled);
  EXPECT_FALSE(answer->cut_short);

  request.stopping.abort_above_us = 2;
  answer = run(request);
  EXPECT_THAT(answer->times_us, SizeIs(5));
  EXPECT_TRUE(answer->cut_short);

  request.steps[0].launch.grid = {17};  // a hundred times slower
  answer = run(request);
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  EXPECT_THAT(answer->times_us, SizeIs(1));
  EXPECT_TRUE(answer->cut_short);
}

TEST_F(TunedTest, LaunchesAtAThrottledClockAreRepeated) {
  misbehave("throttled");
  WorkerDevice device(BURIN_BINARY);
  measure::DeviceRequest request = tuned();
  request.check = measure::Check::kNone;
  for (int i = 0; i < 3; ++i) EXPECT_EQ(device.run(request)->discarded, 0u);  // 66 launches
  measure::DeviceAnswer answer = device.run(request);
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  EXPECT_EQ(answer->discarded, 20u);
  EXPECT_THAT(answer->times_us, SizeIs(20));

  misbehave("hot");  // all the time: after three attempts the times count
  answer = run(request);
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  EXPECT_EQ(answer->discarded, 60u);
  EXPECT_THAT(answer->times_us, SizeIs(20));
}

TEST_F(TunedTest, AWorkerServesOneDevice) {
  measure::DeviceRequest request = tuned();
  request.check = measure::Check::kNone;
  measure::DeviceRequest other = request;
  other.device = "cuda:1";
  const std::string text =
      run_program(BURIN_BINARY, {"worker"}, 30,
                  measure::request_line(request) + measure::request_line(other))
          .text;
  EXPECT_THAT(text, HasSubstr("this worker serves cuda:0; start another one for cuda:1"));
  WorkerDevice device(BURIN_BINARY);
  EXPECT_TRUE(device.run(request).ok());
  EXPECT_THAT(device.run(other).error().message, HasSubstr("cuda:1 does not exist"));
  EXPECT_TRUE(device.run(request).ok());
  EXPECT_EQ(device.workers(), 3u);
}

}  // namespace
}  // namespace burin::gpu
