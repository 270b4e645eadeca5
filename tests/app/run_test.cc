// Does `burin run` execute the example kernels as their source says, and find what is wrong?
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <tuple>
#include <vector>

#include "app/command.h"
#include "launch/argument.h"

namespace burin::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kRunVectorAdd =
    "run examples/vector_add.sm_90.cubin --grid 2 --block 128 --arg buf:4000:f32 "
    "--arg buf:4000:f32 --arg buf:4000:undef --arg i32:1000";
constexpr const char* kRunTranspose =
    "run examples/transpose.sm_90.cubin --kernel transpose --grid 2,2 --block 32,8 "
    "--arg buf:16K:f32 --arg buf:16K:undef --arg i32:64";

class RunTest : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/burin-test-XXXXXX";
    folder_ = ::mkdtemp(name);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string at(const std::string& name) const { return folder_ + "/" + name; }
  template <typename T>
  std::vector<T> read(const std::string& name) const {
    std::ifstream file(at(name), std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    std::vector<T> values(text.size() / sizeof(T));
    std::memcpy(values.data(), text.data(), values.size() * sizeof(T));
    return values;
  }
  // What the buffer of this argument text and position holds before the launch.
  template <typename T>
  static std::vector<T> filled(const std::string& text, std::size_t position) {
    const launch::Argument argument = *launch::parse_argument(text, position);
    std::vector<T> values(argument.buffer()->size / sizeof(T));
    argument.buffer()->fill(
        0, {reinterpret_cast<std::uint8_t*>(values.data()), values.size() * sizeof(T)});
    return values;
  }

  std::string folder_;
};

TEST_F(RunTest, AddsVectors) {
  const Ran ran = burin(std::string(kRunVectorAdd) + " --out 2=" + at("sum"));
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(ran.err, "");
  EXPECT_THAT(ran.out, HasSubstr("vector_add: "));
  EXPECT_THAT(ran.out, HasSubstr("in 2 blocks of 128 threads (sm_90); no faults found"));
  const auto a = filled<float>("buf:4000:f32", 0);
  const auto b = filled<float>("buf:4000:f32", 1);
  const auto sum = read<float>("sum");
  ASSERT_EQ(sum.size(), 1000u);
  for (std::size_t i = 0; i < sum.size(); ++i) ASSERT_EQ(sum[i], a[i] + b[i]) << i;
}

TEST_F(RunTest, TransposesOnEveryArchitectureAndNumberOfThreads) {
  const auto in = filled<float>("buf:16K:f32", 0);
  for (const char* arch : {"sm_80", "sm_90"}) {
    std::string command = kRunTranspose;
    command.replace(command.find("sm_90"), 5, arch);
    for (const char* threads : {"1", "3"}) {
      const Ran ran = burin(command + " --threads " + threads + " --out 1=" + at("out"));
      ASSERT_EQ(ran.status, 0) << ran.err;
      const auto out = read<float>("out");
      for (std::size_t y = 0; y < 64; ++y) {
        for (std::size_t x = 0; x < 64; ++x) ASSERT_EQ(out[x * 64 + y], in[y * 64 + x]) << arch;
      }
    }
  }
}

TEST_F(RunTest, OutputsAreReproducible) {
  EXPECT_EQ(burin(kRunTranspose).out, burin(std::string(kRunTranspose) + " --threads 2").out);
}

TEST_F(RunTest, ReshapeSaysWhatFixesTheBlock) {
  const Ran text = burin(std::string(kRunTranspose) + " --reshape");
  ASSERT_EQ(text.status, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("the block shape is fixed"));
  EXPECT_THAT(text.out, HasSubstr("32 only: the threads of a block synchronise at transpose.cu:"));
  const Ran ran = burin(std::string(kRunTranspose) + " --reshape --json");
  ASSERT_EQ(ran.status, 0) << ran.err;
  const json shapes = json::parse(ran.out);
  EXPECT_EQ(shapes["schema"], "burin.reshape/1");
  EXPECT_EQ(shapes["axes"][0]["axis"], "x");
  EXPECT_EQ(shapes["axes"][0]["freedom"], "fixed");
  EXPECT_EQ(shapes["axes"][0]["reason"], "barrier");
}

TEST_F(RunTest, JsonHoldsWhatTheTextSays) {
  const Ran ran = burin(std::string(kRunTranspose) + " --json --sectors --out 1=" + at("out"));
  ASSERT_EQ(ran.status, 0) << ran.err;
  const json run = json::parse(ran.out);
  EXPECT_EQ(run["schema"], "burin.run/1");
  EXPECT_EQ(run["kernel"], "transpose");
  EXPECT_EQ(run["blocks"], 4);
  EXPECT_EQ(run["warps"], 32);
  EXPECT_EQ(run["launch"]["block"], json({32, 8, 1}));
  EXPECT_EQ(run["launch"]["arguments"][2], "i32:64");
  // Each of 32 warps loads and stores 4 rows of 32 floats: 4 sectors each.
  EXPECT_EQ(run["requests"], 256);
  EXPECT_EQ(run["sectors"], 1024);
  EXPECT_EQ(run["divergent"], 0);
  EXPECT_TRUE(run["faults"].empty());
  EXPECT_EQ(run["outputs"][0]["bytes"], 16384);
  std::uint64_t sum = 0;
  for (const json& line : run["lines"]) sum += line["warp_instructions"].get<std::uint64_t>();
  EXPECT_EQ(run["warp_instructions"], sum);
}

TEST_F(RunTest, ChecksAgainstAFile) {
  ASSERT_EQ(burin(std::string(kRunVectorAdd) + " --out 2=" + at("sum")).status, 0);
  const std::string check = std::string(kRunVectorAdd) + " --check 2=" + at("sum");
  EXPECT_EQ(burin(check).status, 0);
  EXPECT_EQ(burin(check + ":f32:1e-6").status, 0);

  std::fstream file(at("sum"), std::ios::binary | std::ios::in | std::ios::out);
  const float wrong = 100;
  file.seekp(17 * 4).write(reinterpret_cast<const char*>(&wrong), 4);
  file.close();
  const Ran differs = burin(check + ":f32:1e-6");
  EXPECT_EQ(differs.status, 1);
  EXPECT_TRUE(is_one_line(differs.err)) << differs.err;
  EXPECT_THAT(differs.err, HasSubstr("in 1 of 1,000 elements (f32); first at element 17: "));
  EXPECT_THAT(differs.err, HasSubstr(" instead of 100, largest error "));
  EXPECT_EQ(burin(check + ":f32:100").status, 0);
  const json told = json::parse(burin(check + " --json").out)["checks"][0];
  EXPECT_EQ(told["passed"], false);
  EXPECT_EQ(told["first"], 17);
}

TEST_F(RunTest, ABufferTooSmallIsFoundAsOutOfBounds) {
  std::string command = kRunVectorAdd;
  command.replace(command.find("4000:undef"), 10, "3996:undef");
  const Ran ran = burin(command);
  EXPECT_EQ(ran.status, 1) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("; 1 fault found"));
  EXPECT_THAT(ran.out, HasSubstr("out-of-bounds  vector_add.cu:6"));
  EXPECT_THAT(ran.out, HasSubstr("argument 2"));
}

TEST_F(RunTest, AReadOfUninitialisedMemoryIsFound) {
  std::string command = kRunVectorAdd;
  command.replace(command.find("4000:f32"), 8, "4000:undef");
  const Ran ran = burin(command);
  EXPECT_EQ(ran.status, 1) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("uninitialised  vector_add.cu:6"));
}

// examples/mistakes.cu says what is wrong with each of its kernels.
TEST_F(RunTest, MistakesAreFound) {
  const std::tuple<std::string, std::string, std::string> cases[] = {
      {"race --arg buf:256:int:100", "race  mistakes.cu:9",
       "wrote it at examples/mistakes.cu:8 with no barrier between"},
      {"past_the_end --arg buf:256:zero --arg buf:256:undef", "out-of-bounds  mistakes.cu:14",
       "just past the end of argument 0 (256 bytes)"},
      {"misaligned --arg buf:1K:zero --arg buf:512:undef", "misaligned  mistakes.cu:19",
       "not aligned to the access size of 8 bytes"},
      {"divergent_barrier --arg buf:256:zero", "barrier-divergence  mistakes.cu:26",
       "the warp is diverged at the barrier"},
  };
  for (const char* arch : {"sm_80", "sm_90"}) {
    for (const auto& [kernel, place, detail] : cases) {
      const Ran ran = burin(std::string("run examples/mistakes.") + arch +
                            ".cubin --grid 1 --block 64 --kernel " + kernel);
      EXPECT_EQ(ran.status, 1) << kernel << ran.err;
      EXPECT_THAT(ran.out, HasSubstr("\n" + place)) << kernel;
      EXPECT_THAT(ran.out, HasSubstr(detail)) << kernel;
      EXPECT_THAT(ran.out, HasSubstr("\n  block 0,0,0 thread ")) << kernel;
    }
  }
}

TEST_F(RunTest, AFaultInAHeaderOfCudaIsShownAtTheLineThatCallsIt) {
  const std::string command =
      "run tests/data/emulate/waits.fatbin --arch sm_90 --kernel read_past --grid 1 --block 32 "
      "--arg buf:128:zero --arg buf:128:undef --arg i32:8";
  const Ran ran = burin(command);
  EXPECT_EQ(ran.status, 1) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("\nout-of-bounds  waits.cu:"));
  EXPECT_THAT(ran.out, HasSubstr(" in __ldcs (sm_32_intrinsics.hpp:"));
  const Ran report = burin(command + " --json");
  EXPECT_THAT(report.out, HasSubstr("\"library_call\":\"__ldcs\""));
}

TEST_F(RunTest, AWaitForTheClockEnds) {
  const Ran ran = burin(
      "run tests/data/emulate/waits.fatbin --arch sm_90 --kernel wait_cycles --grid 2 --block 64 "
      "--arg i64:1000000000 --arg buf:256:undef");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("no faults found"));
}

TEST_F(RunTest, ADeadlockNamesTheWaitingWarps) {
  const Ran ran = burin(
      "run examples/mistakes.sm_90.cubin --kernel abandoned --grid 1 --block 64 --arg "
      "buf:256:zero");
  EXPECT_EQ(ran.status, 3);
  EXPECT_TRUE(is_one_line(ran.err)) << ran.err;
  EXPECT_THAT(ran.err,
              HasSubstr("abandoned: deadlock: no warp can make progress; warp 0 of block 0,0,0 "
                        "waits at a barrier (examples/mistakes.cu:43)"));
}

TEST_F(RunTest, AnEndlessLoopIsGivenUp) {
  const Ran ran = burin(
      "run examples/mistakes.sm_90.cubin --kernel endless --grid 1 --block 64 --arg buf:4:zero "
      "--max-instructions 100000");
  EXPECT_EQ(ran.status, 3);
  EXPECT_TRUE(is_one_line(ran.err)) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("the kernel never ends: warp "));
}

TEST_F(RunTest, UnknownOutputsAreToldAndFailACheck) {
  std::string command = kRunVectorAdd;
  command.replace(command.find("4000:f32"), 8, "4000");
  const Ran ran = burin(command + " --out 2=" + at("sum"));
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_TRUE(is_one_line(ran.err)) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("4,000 of its 4,000 bytes are Unknown and were written as 0"));
  const Ran checked = burin(command + " --check 2=" + at("sum"));
  EXPECT_EQ(checked.status, 1);
  EXPECT_THAT(checked.err, HasSubstr("cannot be compared"));
}

// A histogram of bytes that nobody told: its counts went nowhere, so its zeros prove nothing.
TEST_F(RunTest, NothingIsCheckedWhereStoresWentNowhere) {
  std::ofstream(at("zeros"), std::ios::binary) << std::string(1024, '\0');
  const Ran ran = burin(
      "run examples/histogram.sm_90.cubin --grid 2 --block 256 --arg buf:4K --arg buf:1K:zero "
      "--arg i32:4096 --check 1=" +
      at("zeros"));
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.err, HasSubstr("had Unknown addresses"));
}

TEST_F(RunTest, AFullDiskIsAnError) {
  const Ran ran = burin(std::string(kRunVectorAdd) + " --out 2=/dev/full");
  EXPECT_EQ(ran.status, 3);
  EXPECT_TRUE(is_one_line(ran.err)) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("No space left"));
}

TEST_F(RunTest, AKernelThatDoesNotEndIsGivenUp) {
  const Ran ran = burin(std::string(kRunVectorAdd) + " --max-instructions 10");
  EXPECT_EQ(ran.status, 3);
  EXPECT_EQ(ran.out, "");
  EXPECT_TRUE(is_one_line(ran.err)) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("vector_add: the kernel did not finish within 10 warp instr"));
}

// Bad launches and files: one sentence that names the thing, exit status 3.
TEST_F(RunTest, BadInputIsOneSentence) {
  const std::string file = "run examples/vector_add.sm_90.cubin ";
  const std::string three = "--arg buf:4:f32 --arg buf:4:f32 --arg buf:4:f32 ";
  const std::string shape = "--grid 1 --block 32 ";
  const std::pair<std::string, std::string> cases[] = {
      {file + "--grid 1,70000 --block 32 " + three + "--arg i32:1", "the grid's y is 70000"},
      {file + "--grid 1 --block 2048 " + three + "--arg i32:1", "the block's x is 2048"},
      {file + shape + three + "--arg i32:1 --smem 1G", "static shared memory are too much"},
      {file + shape + three + "--arg i32:1 --cluster 3", "is not a multiple of the cluster"},
      {file + shape + three + "--arg i32:1 --out 3=x", "is not a buffer"},
      {file + shape + three + "--arg i32:1 --check 9=x", "there is no argument 9"},
      {file + shape + three + "--arg i32:1 --check 0=/proc/nowhere", "cannot open: "},
      {file + shape + three + "--arg i32:1 --out 0=/proc/nowhere/x", "/proc/nowhere/x"},
      {file + shape + three + "--arg i32:1 --set scale=f32:2", "unknown variable scale"},
      {file + shape + "--kernel vektor_add", "did you mean vector_add?"},
      {file + shape + "--arch sm_75", "contains no machine code for sm_75, only sm_90"},
      {"run tests/data/binary/nested_sm75.cubin " + shape, "burin executes sm_80 to sm_90"},
      {"run README.md " + shape, "README.md"},
      {"run /proc/nowhere " + shape, "cannot open: "},
      {"run /proc/nowhere.cu " + shape, "nowhere.cu"},
  };
  for (const auto& [command, sentence] : cases) {
    const Ran ran = burin(command);
    EXPECT_EQ(ran.status, 3) << command << ": " << ran.err;
    EXPECT_EQ(ran.out, "") << command;
    EXPECT_TRUE(is_one_line(ran.err)) << command << ": " << ran.err;
    EXPECT_THAT(ran.err, HasSubstr(sentence)) << command;
  }
}

// All parameters are listed with what they got: which one is wrong, only the user can tell.
TEST_F(RunTest, WrongArgumentsListAllParameters) {
  const std::string file = "run examples/vector_add.sm_90.cubin --grid 1 --block 32 ";
  const std::string three = "--arg buf:4:f32 --arg buf:4:f32 --arg buf:4:f32 ";
  const std::string rows =
      "\n   0  offset 0      8 bytes: buf:4:f32\n   1  offset 8      8 bytes: buf:4:f32"
      "\n   2  offset 16     8 bytes: buf:4:f32\n   3  offset 24     4 bytes: ";
  const std::pair<std::string, std::string> cases[] = {
      {file + three, "the kernel has 4 parameters, but 3 arguments are given:" + rows + "missing"},
      {file + three + "--arg i32:1 --arg i32:2", rows + "i32:1\n   4  no such parameter: i32:2"},
      {file + three + "--arg i64:1", "argument 3 is i64 (8 bytes), but the kernel's"},
  };
  for (const auto& [command, words] : cases) {
    const Ran ran = burin(command);
    EXPECT_EQ(ran.status, 3) << command;
    EXPECT_THAT(ran.err, HasSubstr(words)) << command;
  }
}

TEST_F(RunTest, WrongOptionsAreWrongUsage) {
  for (const char* option : {"--grid 0",
                             "--block x",
                             "--arg f33:1",
                             "--smem much",
                             "--trip x",
                             "--out x",
                             "--check 1",
                             "--unknown-access best",
                             "--check-shared maybe",
                             "--threads -1",
                             "--max-instructions many",
                             "--arch nonsense",
                             "--kernel ''",
                             "--nvcc-flag=-G",
                             "--cache hot",
                             "--check 2=README.md:1",
                             "--launches 30",
                             "--cooperative",
                             "--device tpu:0",
                             "--device cuda:0 --launches 3"}) {
    std::string command = kRunVectorAdd;
    for (const std::string given : {"--grid 2", "--block 128"}) {
      const std::string name = given.substr(0, given.find(' '));
      if (std::string(option).starts_with(name)) command.erase(command.find(given), given.size());
    }
    const Ran ran = burin(command + " " + option);
    EXPECT_EQ(ran.status, 2) << option << ": " << ran.err;
    EXPECT_TRUE(is_one_line(ran.err)) << option << ": " << ran.err;
  }
}

TEST_F(RunTest, ATripThatNoLoopTakesIsTold) {
  const Ran ran = burin(std::string(kRunVectorAdd) + " --trip 12=10");
  EXPECT_EQ(ran.status, 0);
  EXPECT_TRUE(is_one_line(ran.err)) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("--trip 12=10: no loop at line 12 has an Unknown trip count"));
}

TEST_F(RunTest, FilesThatCannotBeMadeAreToldBeforeTheRun) {
  const Ran ran =
      burin(std::string(kRunVectorAdd) + " --max-instructions 1 --out 0=/proc/nowhere/x");
  EXPECT_THAT(ran.err, HasSubstr("--out: "));
  EXPECT_EQ(burin(std::string(kRunVectorAdd) + " --max-instructions 1 --out 0=" + at("x")).status,
            3);
  EXPECT_TRUE(fs::is_empty(folder_)) << "the attempt leaves nothing";
}

TEST_F(RunTest, SeveralKernelsAreListed) {
  const Ran ran = burin("run examples/transpose.sm_90.cubin --grid 1 --block 32,8");
  EXPECT_EQ(ran.status, 3);
  EXPECT_THAT(ran.err, HasSubstr("contains 2 kernels; select one with --kernel:\n  transpose\n"));
}

// A compiler that is a script: it copies the example's cubin.
TEST_F(RunTest, SourceIsCompiledAndKept) {
  fs::create_directories(at("bin"));
  std::ofstream(at("bin/nvcc")) << "#!/bin/sh\necho called >> " << at("calls") << "\n"
                                << "while [ \"$1\" != -o ]; do shift; done\n"
                                << "cp " BURIN_SOURCE_DIR "/examples/vector_add.sm_90.cubin $2\n";
  fs::permissions(at("bin/nvcc"), fs::perms::owner_all);
  fs::copy_file(BURIN_SOURCE_DIR "/examples/vector_add.cu", at("a.cu"));
  std::string command = kRunVectorAdd;
  command.replace(command.find("examples/vector_add.sm_90.cubin"), 31, at("a.cu"));
  const std::string environment = "CUDA_HOME=" + folder_ + " XDG_CACHE_HOME=" + at("cache");
  for (int i = 0; i < 2; ++i) {
    const Ran ran = shell(environment + " \"$BURIN\" " + command);
    EXPECT_EQ(ran.status, 0) << ran.err;
    EXPECT_THAT(ran.out, HasSubstr("vector_add: "));
  }
  EXPECT_EQ(read<char>("calls").size(), std::strlen("called\n"));

  std::ofstream(at("bin/nvcc")) << "#!/bin/sh\necho 'a.cu(1): error: no such thing'; exit 1\n";
  const Ran refused = shell(environment + " \"$BURIN\" " + command + " --nvcc-flag=-DN=2");
  EXPECT_EQ(refused.status, 3);
  EXPECT_THAT(refused.err, HasSubstr("nvcc failed:\n  a.cu(1): error: no such thing"));
}

TEST_F(RunTest, LinesShowsAll) {
  const Ran few = burin(kRunTranspose);
  const Ran all = burin(std::string(kRunTranspose) + " --lines");
  EXPECT_THAT(all.out, Not(HasSubstr("--lines shows them all")));
  EXPECT_GE(all.out.size(), few.out.size());
}

TEST_F(RunTest, TimingsNameTheParts) {
  const Ran ran = burin(std::string(kRunVectorAdd) + " --timings");
  EXPECT_EQ(ran.status, 0);
  for (const char* part : {"open file", "build kernel", "emulate", "report", "total"}) {
    EXPECT_THAT(ran.err, HasSubstr(part));
  }
}

TEST_F(RunTest, AnUnknownDeviceIsRefused) {
  const Ran ran = burin(std::string(kRunVectorAdd) + " --device cuda:77");
  EXPECT_EQ(ran.status, 4) << ran.err;
  EXPECT_TRUE(is_one_line(ran.err)) << ran.err;
}

}  // namespace
}  // namespace burin::test
