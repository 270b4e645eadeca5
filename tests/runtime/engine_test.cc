// The engine with a CUDA that is a few functions of this file.
#include "runtime/engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "runtime/saxpy_rp.h"
#include "sanitized.h"

namespace burin::runtime {
namespace {

using testing::HasSubstr;
using testing::Not;

struct FakeCuda {
  KernelFacts kernel;
  DeviceFacts device;
  int current_device = 0;
  int device_count = 1;
  int described = 0;
  bool capturing = false;
};
FakeCuda fake;

CudaApi fake_api() {
  fake = {};
  fake.kernel.name = "_Z5saxpyifPKfPf";
  fake.kernel.parameters_known = true;
  fake.kernel.parameters = {{0, 4}, {4, 4}, {8, 8}, {16, 8}};
  fake.kernel.registers = 12;
  fake.kernel.max_threads = 1024;
  fake.kernel.max_dynamic_shared = 49152;
  fake.device = {"NVIDIA H200", 9, 0, 1024, {1024, 1024, 64}, {2147483647, 65535, 65535}, {}};
  CudaApi api;
  api.device_count = [] { return fake.device_count; };
  api.device = [] { return fake.current_device; };
  api.describe_kernel = [](const void*, KernelFacts& facts) {
    ++fake.described;
    facts = fake.kernel;
    return true;
  };
  api.describe_device = [](int, DeviceFacts& facts) {
    facts = fake.device;
    return true;
  };
  api.is_capturing = [](void*) { return fake.capturing; };
  return api;
}

struct EngineTest : testing::Test {
  Engine make(const std::string& rp = kSaxpyRp, Settings::Mode mode = Settings::Mode::kOn) {
    write_text(rp_folder.path() + "/saxpy.rp", rp);
    return Engine(settings(mode), api);
  }
  Settings settings(Settings::Mode mode = Settings::Mode::kOn) {
    Settings made;
    made.mode = mode;
    made.path = {rp_folder.path()};
    made.log = log_path();
    return made;
  }
  std::string log_path() const { return rp_folder.path() + "/log"; }
  std::string log() const { return read_text(log_path()); }

  LaunchRequest request(std::int32_t size, std::uint32_t block = 256) {
    n = size;
    LaunchRequest made;
    made.kernel = this;
    made.arguments.pointers = pointers;
    const auto threads = static_cast<std::uint32_t>(size);
    made.own = {{(threads + block - 1) / block, 1, 1}, {block, 1, 1}, 0};
    return made;
  }

  LaunchShape chosen(Engine& engine, std::int32_t size, std::uint32_t block = 256) {
    return engine.decide(request(size, block)).shape;
  }

  RpFolder rp_folder;
  CudaApi api = fake_api();
  std::int32_t n = 0;
  float a = 2;
  void* x = nullptr;
  void* y = nullptr;
  const void* pointers[4] = {&n, &a, &x, &y};
};

TEST_F(EngineTest, ChoosesTheShapeOfTheRegion) {
  Engine engine = make();
  EXPECT_TRUE(engine.active());
  EXPECT_EQ(chosen(engine, 1000), (LaunchShape{{32, 1, 1}, {32, 1, 1}, 0}));
  EXPECT_EQ(chosen(engine, 100000), (LaunchShape{{782, 1, 1}, {128, 1, 1}, 0}));
  EXPECT_EQ(chosen(engine, 1000000), (LaunchShape{{1954, 1, 1}, {512, 1, 1}, 0}));
  EXPECT_EQ(chosen(engine, 1000), (LaunchShape{{32, 1, 1}, {32, 1, 1}, 0}));
  EXPECT_EQ(fake.described, 1);
  EXPECT_THAT(log(), HasSubstr("n=1000: block 256 1 1 -> 32 1 1, grid 4 1 1 -> 32 1 1 (inside)\n"));
}

TEST_F(EngineTest, KeepsABlockThatIsTheBest) {
  Engine engine = make();
  const Engine::Decision decision = engine.decide(request(1000, 32));
  EXPECT_FALSE(decision.changed);
  EXPECT_THAT(log(), HasSubstr("block 32 1 1 kept"));
}

TEST_F(EngineTest, LogModeChangesNothing) {
  Engine engine = make(kSaxpyRp, Settings::Mode::kLog);
  EXPECT_EQ(chosen(engine, 1000).block[0], 256u);
  EXPECT_THAT(log(), HasSubstr("-> 32 1 1, grid 4 1 1 -> 32 1 1 (inside), not applied"));
}

TEST_F(EngineTest, OffReadsNothing) {
  Engine engine = make("no rational program", Settings::Mode::kOff);
  EXPECT_FALSE(engine.active());
  EXPECT_EQ(chosen(engine, 1000).block[0], 256u);
  EXPECT_EQ(fake.described, 0);
  EXPECT_EQ(log(), "");
}

struct Refusal {
  const char* old_text;
  const char* new_text;
  const char* message;
};

TEST_F(EngineTest, FilesForAnotherBuildAreRefused) {
  const Refusal refusals[] = {
      {"registers 12", "registers 16", "made for another build: 16 registers, the kernel has 12"},
      {"shared 0", "shared 128", "128 bytes of shared memory, the kernel has 0"},
      {"parameters 0:4 4:4 8:8 16:8", "parameters 0:4 8:8 16:8",
       "parameters 0:4 8:8 16:8, the kernel has 0:4 4:4 8:8 16:8"},
      {"proof proved every id is ctaid * ntid + tid", "proof none", "no proof"},
      {"required_block 0 0 0", "required_block 256 1 1", "requires its block size"},
      {"device \"NVIDIA H200\"", "device \"NVIDIA A100\"", "sm_count is unknown for it"},
  };
  for (const Refusal& refusal : refusals) {
    std::remove(log_path().c_str());
    Engine engine = make(saxpy_rp_with(refusal.old_text, refusal.new_text));
    for (const int size : {1000, 2000, 1000}) {
      EXPECT_FALSE(engine.decide(request(size)).changed) << refusal.message;
    }
    EXPECT_THAT(log(), HasSubstr(refusal.message));
    EXPECT_THAT(log(), HasSubstr("launches unchanged\n"));
    EXPECT_EQ(log().find('\n'), log().size() - 1) << "one line: " << log();
  }
}

TEST_F(EngineTest, CodeThatDiffersIsRefused) {
  const std::string hash(64, 'a');
  Engine engine = make(saxpy_rp_with("code -", "code " + hash));
  fake.kernel.code = {std::string(64, 'b')};
  fake.kernel.code_complete = true;
  EXPECT_FALSE(engine.decide(request(1000)).changed);
  EXPECT_THAT(log(), HasSubstr("the kernel's code differs"));
  engine.forget_handles();
  fake.kernel.code = {std::string(64, 'b'), hash};  // one of several architectures
  EXPECT_TRUE(engine.decide(request(1000)).changed);
  engine.forget_handles();
  fake.kernel.code = {};
  fake.kernel.code_complete = false;  // not seen
  EXPECT_TRUE(engine.decide(request(1000)).changed);
}

TEST_F(EngineTest, UnknownParametersNeedEqualCode) {
  const std::string hash(64, 'a');
  Engine engine = make(saxpy_rp_with("code -", "code " + hash));
  fake.kernel.parameters_known = false;
  fake.kernel.parameters.clear();
  EXPECT_FALSE(engine.decide(request(1000)).changed);
  EXPECT_THAT(log(), HasSubstr("CUDA 12.4"));
  engine.forget_handles();
  fake.kernel.code = {hash};
  EXPECT_TRUE(engine.decide(request(1000)).changed);
}

TEST_F(EngineTest, DamagedFilesAreIgnored) {
  std::string damaged = kSaxpyRp;
  damaged.replace(damaged.find("end -"), 5, "end 12345678");
  write_text(rp_folder.path() + "/a.rp", damaged);
  write_text(rp_folder.path() + "/b.rp", std::string("\0\xff\x80garbage", 10));
  write_text(rp_folder.path() + "/c.rp", "");
  Engine engine = make();
  EXPECT_TRUE(engine.decide(request(1000)).changed);
  for (const char* name : {"a.rp", "b.rp", "c.rp"}) EXPECT_THAT(log(), HasSubstr(name));
  EXPECT_THAT(log(), HasSubstr("file ignored"));
}

// Every prefix of a file, and every file with one byte changed, is refused or harmless.
TEST_F(EngineTest, TruncatedFilesDoNoHarm) {
  const std::string whole = kSaxpyRp;
  for (std::size_t size = 0; size < whole.size(); size += 7) {
    Engine engine = make(whole.substr(0, size));
    EXPECT_FALSE(engine.active()) << size;
    EXPECT_FALSE(engine.decide(request(1000)).changed);
  }
}

TEST_F(EngineTest, LaunchBoundsAndDeviceLimitsHold) {
  fake.kernel.max_threads = 256;
  fake.device.max_grid = {40, 65535, 65535};
  Engine engine = make();
  EXPECT_EQ(chosen(engine, 1000).grid[0], 32u);
  // 512 threads exceed the launch bounds and 128 need a grid of 7813: the program's own stays.
  EXPECT_EQ(chosen(engine, 1000000).block[0], 256u);
  EXPECT_THAT(log(), HasSubstr("exceeds"));
  // The second best fits.
  EXPECT_EQ(chosen(engine, 2048).block[0], 64u);
}

TEST_F(EngineTest, SharedMemoryThatTheKernelDoesNotAllow) {
  Engine engine = make(saxpy_rp_with("shared_bytes = smem", "shared_bytes = 1024 * bx"));
  EXPECT_EQ(chosen(engine, 1000).shared_bytes, 32768u);
  EXPECT_EQ(chosen(engine, 100000).block[0], 32u);  // 128 and 64 threads need more than 48 KiB
}

TEST_F(EngineTest, LaunchesOfAPartStayAsTheyAre) {
  Engine engine = make();
  LaunchRequest part = request(1000);
  part.own.grid = {2, 1, 1};
  EXPECT_FALSE(engine.decide(part).changed);
  EXPECT_THAT(log(), HasSubstr("own grid"));
  EXPECT_FALSE(engine.decide(request(-5)).changed);
  part = request(1000);
  part.own.grid = {0, 1, 1};
  EXPECT_FALSE(engine.decide(part).changed);
  part.own.grid = {4, 70000, 1};
  EXPECT_FALSE(engine.decide(part).changed);
}

TEST_F(EngineTest, ArgumentsInABuffer) {
  Engine engine = make();
  LaunchRequest buffered = request(1000);
  std::int32_t buffer[6] = {1000};
  buffered.arguments = {nullptr, buffer, sizeof buffer};
  EXPECT_EQ(engine.decide(buffered).shape.block[0], 32u);
  buffered.arguments.buffer_bytes = 2;  // n does not fit
  EXPECT_FALSE(engine.decide(buffered).changed);
}

TEST_F(EngineTest, UnknownDevicesUseTheProgram) {
  fake.device.name = "NVIDIA Test";
  fake.device.inputs = {{"sm_count", 10}};
  Engine engine = make();
  EXPECT_TRUE(engine.decide(request(1000)).changed);
  EXPECT_THAT(log(), HasSubstr("(unknown device)"));
}

TEST_F(EngineTest, TablesMadeWithoutAGpuHaveTheNameOfAMachineFile) {
  Engine engine = make(saxpy_rp_with("device \"NVIDIA H200\"", "device \"h200\""));
  EXPECT_TRUE(engine.decide(request(1000)).changed);
  EXPECT_THAT(log(), HasSubstr("(inside)"));
  Engine other = make(saxpy_rp_with("device \"NVIDIA H200\"", "device \"h20\""));
  EXPECT_FALSE(other.decide(request(1000)).changed);
}

TEST_F(EngineTest, CapturedLaunchesStayUnlessAskedFor) {
  fake.capturing = true;
  Engine engine = make();
  LaunchRequest captured = request(1000);
  captured.stream = this;
  EXPECT_TRUE(engine.decide(captured).changed);  // no capture has begun
  engine.capture_begins();
  EXPECT_FALSE(engine.decide(captured).changed);
  EXPECT_FALSE(engine.decide(captured).changed);
  EXPECT_TRUE(engine.decide(request(1000)).changed);  // the legacy default stream
  EXPECT_THAT(log(), HasSubstr("captured into a graph"));
  Settings graphs = settings();
  graphs.graphs = true;
  Engine changing(graphs, api);
  changing.capture_begins();
  EXPECT_TRUE(changing.decide(captured).changed);
}

TEST_F(EngineTest, ARefusedLaunchIsRepeatedAsTheProgramAsked) {
  Engine engine = make();
  std::vector<std::uint32_t> blocks;
  const auto real = [&](const LaunchShape& shape) {
    blocks.push_back(shape.block[0]);
    return shape.block[0] == 32 ? 701 : 0;
  };
  EXPECT_EQ(engine.launch(request(1000), real), 0);
  EXPECT_EQ(engine.launch(request(1000), real), 0);
  EXPECT_EQ(blocks, (std::vector<std::uint32_t>{32, 256, 256}));
  EXPECT_THAT(log(), HasSubstr("CUDA refused"));
}

TEST_F(EngineTest, DevicesHaveTheirOwnHistory) {
  fake.device_count = 2;
  Engine engine = make();
  EXPECT_EQ(chosen(engine, 1000).block[0], 32u);
  fake.current_device = 1;
  fake.device.name = "NVIDIA Other";
  fake.device.inputs = {};
  EXPECT_EQ(chosen(engine, 1000).block[0], 256u);  // sm_count is unknown for it
  fake.current_device = 0;
  EXPECT_EQ(chosen(engine, 1000).block[0], 32u);
  fake.current_device = -1;
  EXPECT_EQ(chosen(engine, 1000).block[0], 256u);
}

// Sizes of three arguments, or of 64 bits, are not kept in one word.
TEST_F(EngineTest, SizesOfSeveralArguments) {
  const char* const sizes[] = {"arg0_i32 + arg2_i64 - arg2_i64", "arg0_i32 + 0 * arg3_i64",
                               "arg0_i32 + 0 * arg1_i32 + 0 * arg2_at4_i32", "arg0_u32"};
  for (const char* size : sizes) {
    Engine engine = make(saxpy_rp_with("arg0_i32", size));
    for (int round = 0; round < 3; ++round) {
      EXPECT_EQ(chosen(engine, 1000).grid[0], 32u) << size;
      EXPECT_EQ(chosen(engine, 1001).grid[0], 32u) << size;
      EXPECT_EQ(chosen(engine, 1025).grid[0], 33u) << size;
      EXPECT_EQ(chosen(engine, 100000).block[0], 128u) << size;
    }
  }
}

TEST_F(EngineTest, AnotherKernelUnderTheSameHandle) {
  Engine engine = make();
  EXPECT_TRUE(engine.decide(request(1000)).changed);
  fake.kernel.name = "_Z5other";
  EXPECT_TRUE(engine.decide(request(1000)).changed);
  engine.forget_handles();
  EXPECT_FALSE(engine.decide(request(1000)).changed);
}

// How fast, bench/launch_overhead.py tells.
TEST_F(EngineTest, WhatWasChosenBeforeIsFoundFaster) {
  Engine engine = make();
  engine.decide(request(50));
  using Clock = std::chrono::steady_clock;
  const auto ns_per_launch = [&](auto&& size, int count) {
    LaunchRequest made = request(1000);
    const Clock::time_point start = Clock::now();
    for (int i = 0; i < count; ++i) {
      n = size(i);
      made.own.grid[0] = static_cast<std::uint32_t>(n + 255) / 256;
      engine.decide(made);
    }
    return std::chrono::duration<double, std::nano>(Clock::now() - start).count() / count;
  };
  double first = 1e9;
  double later = 1e9;
  int next = 0;
  for (int round = 0; round < 20; ++round) {
    first = std::min(first, ns_per_launch([&](int) { return 100 + next++; }, 50));
    later = std::min(later, ns_per_launch([](int i) { return 100 + i % 40; }, 2000));
  }
  EXPECT_LT(later, first / 3);
}

TEST_F(EngineTest, ThreadsGetTheSameAnswers) {
  Engine engine = make();
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      std::int32_t size = 0;
      const void* arguments[4] = {&size, nullptr, nullptr, nullptr};
      LaunchRequest made;
      made.kernel = &engine;
      made.arguments.pointers = arguments;
      for (int i = 0; i < 20000; ++i) {
        size = 100 + (i * (t + 1)) % 12000;
        made.own = {{static_cast<std::uint32_t>(size + 255) / 256, 1, 1}, {256, 1, 1}, 0};
        const std::uint32_t block = size <= 4096 ? 32 : 128;
        const LaunchShape expected = {
            {(static_cast<std::uint32_t>(size) + block - 1) / block, 1, 1}, {block, 1, 1}, 0};
        if (engine.decide(made).shape != expected) ++wrong;
        if (i % 1000 == 0) engine.forget_handles();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace burin::runtime
