// Does `burin predict` predict, and refuse in a sentence what it cannot?
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "app/command.h"
#include "app/refusal.h"

namespace burin::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const std::string kPredictLaunch =
    " --grid 1024 --block 256 --arg buf:1M:f32 --arg buf:1M:f32 --arg buf:1M:undef --arg "
    "i32:262144";
const std::string kVectorAdd = "predict examples/vector_add.sm_90.cubin" + kPredictLaunch;

class PredictTest : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/burin-test-XXXXXX";
    folder_ = ::mkdtemp(name);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string file(const std::string& text) const {
    const std::string path = folder_ + "/file";
    std::ofstream(path) << text;
    return path;
  }

  std::string folder_;
};

TEST_F(PredictTest, SaysATimeFirst) {
  for (const char* model : {"", " --model saake"}) {
    const Ran ran = burin(kVectorAdd + " --machine h200" + model);
    EXPECT_EQ(ran.status, 0) << ran.err;
    EXPECT_EQ(ran.err, "");
    EXPECT_THAT(ran.out, StartsWith("vector_add on h200: "));
    EXPECT_THAT(ran.out, HasSubstr(" µs predicted ("));
    EXPECT_THAT(ran.out, HasSubstr("\noccupancy "));
    EXPECT_THAT(ran.out, HasSubstr("\nlong_scoreboard "));
    EXPECT_THAT(ran.out, HasSubstr("vector_add.cu:"));
    EXPECT_THAT(ran.out, Not(HasSubstr("no --machine")));
  }
}

// The example with a kernel whose section of code is empty.
std::string without_code() {
  std::ifstream in(BURIN_SOURCE_DIR "/examples/vector_add.sm_90.cubin", std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(in)), {});
  const auto at = [&](std::size_t offset) {
    std::uint64_t value = 0;
    std::memcpy(&value, bytes.data() + offset, sizeof(value));
    return value;
  };
  const std::uint64_t headers = at(0x28);
  constexpr std::uint64_t kHeaderBytes = 64, kFlags = 8, kSize = 32, kExecutable = 4;
  const std::uint64_t count = at(0x3c) & 0xffff;
  for (std::uint64_t k = 0; k < count; ++k) {
    const std::uint64_t header = headers + k * kHeaderBytes;
    if ((at(header + kFlags) & kExecutable) != 0) bytes.replace(header + kSize, 8, 8, '\0');
  }
  return bytes;
}

TEST_F(PredictTest, AKernelWithoutInstructionsIsASentence) {
  const std::string path = folder_ + "/empty.cubin";
  std::ofstream(path, std::ios::binary) << without_code();
  for (const char* command : {"predict ", "run ", "explain ", "advise "}) {
    const Ran ran = burin(command + path + kPredictLaunch);
    EXPECT_EQ(ran.status, 3) << command << ran.err;
    EXPECT_THAT(ran.err, HasSubstr("has no instructions"));
  }
}

TEST_F(PredictTest, FaultsStandAboveTheTime) {
  const std::string small =
      "examples/vector_add.sm_90.cubin --grid 1024 --block 256 --arg buf:4K:f32 --arg buf:4K:f32 "
      "--arg buf:4K:undef --arg i32:262144 --machine h200";
  for (const char* command : {"predict ", "explain ", "advise "}) {
    const Ran ran = burin(command + small);
    EXPECT_EQ(ran.status, 0) << ran.err;
    EXPECT_THAT(ran.out, StartsWith("fault: out-of-bounds at vector_add.cu:"));
    EXPECT_THAT(ran.out, HasSubstr("bytes past the end of argument 2 (4,096 bytes)"));
    const json report = json::parse(burin(command + small + " --json").out);
    ASSERT_FALSE(report["faults"].empty()) << command;
    const json& fault = report["faults"][0];
    EXPECT_EQ(fault["kind"], "out-of-bounds");
    EXPECT_GT(fault["count"], 0);
    EXPECT_GT(fault["line"], 0);
    EXPECT_GT(fault["offset"], 0);
  }
  EXPECT_TRUE(json::parse(burin(kVectorAdd + " --json").out)["faults"].empty());
}

TEST_F(PredictTest, BuffersThatDoNotFitTheGpuAreAFault) {
  const std::string large =
      "examples/vector_add.sm_90.cubin --grid 1024 --block 256 --arg buf:100G:f32 --arg "
      "buf:100G:f32 --arg buf:1M:undef --arg i32:262144 --machine h200";
  for (const char* command : {"predict ", "explain ", "advise "}) {
    const Ran ran = burin(command + large);
    EXPECT_EQ(ran.status, 0) << ran.err;
    EXPECT_THAT(ran.out, StartsWith("fault: the buffers take 200 GiB, and h200 has "));
    const json report = json::parse(burin(command + large + " --json").out);
    ASSERT_FALSE(report["notes"].empty()) << command;
    EXPECT_THAT(report["notes"][0].get<std::string>(), StartsWith("the buffers take 200 GiB"));
  }
}

TEST_F(PredictTest, AKeyHasOneValue) {
  expect_refusal(kVectorAdd + " --trip 6=1 --trip 6=2", 2,
                 "--trip: 6: 1 and 2 are both given; leave one of them out");
  expect_refusal(kVectorAdd + " --l2-hit 0.5 --l2-hit 0.6", 2,
                 "--l2-hit: 0.5 and 0.6 are both given");
  EXPECT_EQ(burin(kVectorAdd + " --l2-hit 0.5 --l2-hit 6=0.6 --l2-hit 0.5").status, 0);
}

TEST_F(PredictTest, TakesTheMachineOfTheArchitecture) {
  const json h200 = json::parse(burin(kVectorAdd + " --json").out);
  EXPECT_EQ(h200["machine"], "h200");
  const Ran ran =
      burin("predict examples/vector_add.sm_80.cubin" + kPredictLaunch + " --model saake");
  EXPECT_THAT(ran.out, StartsWith("vector_add on a100: "));
  EXPECT_THAT(ran.out, HasSubstr("no --machine given: assuming a100 for sm_80"));
}

TEST_F(PredictTest, OptionsReachTheModel) {
  const auto predicted = [](const std::string& more) {
    const Ran ran = burin(kVectorAdd + " --machine h200 --json " + more);
    EXPECT_EQ(ran.status, 0) << ran.err;
    return json::parse(ran.out);
  };
  EXPECT_EQ(predicted("--model saake")["l2_hit_rate"], 0);
  EXPECT_EQ(predicted("--model saake")["model"], "saake");
  EXPECT_EQ(predicted("--model saake --l2-hit 1")["l2_hit_rate"], 1);
  EXPECT_EQ(predicted("--model saake --l2-hit 1")["dram_bytes"], 0);
  // The line of the sum: its loads and its store.
  EXPECT_EQ(predicted("--model saake --l2-hit vector_add.cu:99=1")["l2_hit_rate"], 0);
  EXPECT_EQ(predicted("--warm --model saake")["caches"], "warm");
  EXPECT_EQ(predicted("--model saake --cold")["caches"], "cold");
}

TEST_F(PredictTest, ALowerClockSlowsArithmeticMoreThanMemory) {
  const auto time_us = [](const std::string& arguments) {
    const Ran ran = burin("predict " + arguments + " --machine h200 --json");
    EXPECT_EQ(ran.status, 0) << ran.err;
    return nlohmann::json::parse(ran.out)["time_us"].get<double>();
  };
  const std::string arithmetic =
      "examples/matrix_product.sm_90.cubin --grid 16,16 --block 16,16 --arg buf:256K:f32 --arg "
      "buf:256K:f32 --arg buf:256K:undef --arg i32:256";
  EXPECT_GT(time_us(arithmetic + " --clock 990") / time_us(arithmetic), 1.3);
  const std::string memory =
      "examples/vector_add.sm_90.cubin --grid 65536 --block 256 --arg buf:64M:f32 --arg "
      "buf:64M:f32 --arg buf:64M:undef --arg i32:16777216";
  EXPECT_LT(time_us(memory + " --clock 1500") / time_us(memory), 1.2);
}

// A wait for a clock takes its time, and so does a sleep: 1 ms each.
TEST_F(PredictTest, WaitsTakeTheirTime) {
  const std::string file = "predict tests/data/emulate/waits.fatbin --arch sm_90 --machine h200 ";
  for (const char* wait : {"--kernel wait_cycles --grid 264 --block 64 --arg i64:1980000",
                           "--kernel wait_timer --grid 1 --block 32 --arg u64:1000000",
                           "--kernel sleep --grid 8 --block 32 --arg u32:100000 --arg i32:10"}) {
    const Ran ran = burin(file + wait + " --arg buf:1K:undef --json");
    ASSERT_EQ(ran.status, 0) << ran.err;
    const json report = json::parse(ran.out);
    EXPECT_NEAR(report["time_us"].get<double>(), 1000, 80) << wait;
  }
}

TEST_F(PredictTest, RefusesAnUnknownMachineAndListsTheKnown) {
  expect_refusal(kVectorAdd + " --machine h300", 3, "h200");
  EXPECT_THAT(burin(kVectorAdd + " --machine h300").err, HasSubstr("a100"));
}

TEST_F(PredictTest, RefusesAKernelForAnotherArchitecture) {
  expect_refusal("predict examples/vector_add.sm_80.cubin" + kPredictLaunch + " --machine h200", 3,
                 "vector_add is compiled for sm_80 and cannot run on h200 (sm_90); compile it for "
                 "sm_90 or select --machine a100 or rtx3090 or rtx4090");
  expect_refusal(kVectorAdd + " --machine a100", 3, "sm_90 and cannot run on a100 (sm_80)");
}

TEST_F(PredictTest, RefusesALaunchThatCannotBeResident) {
  // An H200 whose SMs have less shared memory than the launch may ask for.
  std::ifstream known(BURIN_SOURCE_DIR "/data/machines/h200.json");
  json machine = json::parse(known);
  machine["entries"]["limit.shared"]["value"] = 102400;
  machine["entries"]["limit.shared_per_block"]["value"] = 101376;
  machine["carve_outs"] = {0, 102400};
  expect_refusal(kVectorAdd + " --smem 200K --machine " + file(machine.dump()), 3, "shared memory");
}

TEST_F(PredictTest, RefusesAMachineFileWithMissingEntries) {
  expect_refusal(kVectorAdd + " --machine " + file(R"({"schema": "burin.machine/1", "name": "x",
    "title": "x", "architecture": "sm_90", "policy": "greedy_youngest", "carve_outs": [0],
    "sources": {}, "entries": {}})"),
                 3, "missing");
  expect_refusal(kVectorAdd + " --machine " + folder_ + "/none.json", 3, "none.json");
}

TEST_F(PredictTest, WrongUsageIsOneLine) {
  expect_refusal("predict examples/vector_add.sm_90.cubin --block 32", 2, "--grid is required");
  expect_refusal("predict --grid 1 --block 32", 2, "FILE is required");
  expect_refusal(kVectorAdd + " --l2-hit 1.5", 2, "--l2-hit: expected a rate from 0 to 1");
  expect_refusal(kVectorAdd + " --l2-hit x.cu:=0.5", 2, "--l2-hit: expected a rate");
  expect_refusal(kVectorAdd + " --l2-hit nan", 2, "--l2-hit: expected a rate");
  expect_refusal(kVectorAdd + " --model gpgpu", 2, "--model");
  expect_refusal(kVectorAdd + " --cold --warm", 2, "--cold");
  expect_refusal(kVectorAdd + " --trip x", 2, "--trip: expected");
  expect_refusal(kVectorAdd + " --unknown-access best", 2, "--unknown-access: expected");
}

TEST_F(PredictTest, ManyLaunchesInOneCall) {
  const std::string launches = file(
      "# shapes\n"
      "--grid 1024 --block 256\n"
      "\n"
      "  --block 128 --grid 2048   \n"
      "--grid 1 --block 4096\n"
      "--grid 1 --blok 32\n"
      "examples/vector_add.sm_80.cubin --grid 1024 --block 256\n"
      "--grid 512 --block 512 --model burin --warm\n");
  const std::string common =
      "predict examples/vector_add.sm_90.cubin --arg buf:1M:f32 --arg buf:1M:f32 --arg "
      "buf:1M:undef --arg i32:262144 --machine h200 --model saake --launches " +
      launches;
  const Ran ran = burin(common + " --json");
  EXPECT_EQ(ran.status, 3);
  const json all = json::parse(ran.out);
  ASSERT_EQ(all.size(), 6u);
  EXPECT_EQ(all[0]["launch"]["block"][0], 256);
  EXPECT_EQ(all[1]["launch"]["block"][0], 128);
  EXPECT_EQ(all[1]["model"], "saake");
  EXPECT_EQ(all[2]["line"], 5);
  EXPECT_THAT(all[2]["error_message"], HasSubstr("4096"));
  EXPECT_EQ(all[3]["line"], 6);
  EXPECT_THAT(all[4]["error_message"], HasSubstr("sm_80"));
  EXPECT_EQ(all[5]["caches"], "warm");
  EXPECT_EQ(all[5]["model"], "burin");
  EXPECT_THAT(ran.err, HasSubstr("burin: " + launches + ":5: "));
  EXPECT_THAT(ran.err, HasSubstr("burin: " + launches + ":6: "));
  EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 3);

  const Ran text = burin(common);
  EXPECT_EQ(text.status, 3);
  EXPECT_EQ(std::count(text.out.begin(), text.out.end(), '\n'), 4);
  EXPECT_THAT(text.out, HasSubstr("--block 128 --grid 2048\n"));
}

TEST_F(PredictTest, ALaunchFileThatCannotBeReadOrIsEmpty) {
  expect_refusal("predict --launches " + folder_ + "/none", 3, "--launches: ");
  expect_refusal("predict --launches " + file("# nothing\n"), 3, "contains no launches");
}

TEST_F(PredictTest, AMeasuredTimeStandsBesideThePredicted) {
  const std::string fake = "export BURIN_LIBCUDA=" BURIN_FAKE_NVIDIA
                           " BURIN_LIBCUPTI=" BURIN_FAKE_NVIDIA " BURIN_LIBNVML=" BURIN_FAKE_NVIDIA
                           "; exec $BURIN " +
                           kVectorAdd + " --machine h200 --model saake --device cuda:0 ";
  const Ran ran = shell(fake);
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("on cuda:0 (Fake GPU, driver 580.00.01): 2.50 µs"));
  EXPECT_THAT(ran.out, HasSubstr("the prediction is "));
  EXPECT_THAT(ran.out, Not(HasSubstr("bit for bit")));
  const Ran as_json = shell(fake + "--json");
  const json j = json::parse(as_json.out);
  EXPECT_EQ(j["device"]["median_us"], 2.5);
  EXPECT_FALSE(j["device"].contains("agrees"));
  const double ratio = j["time_us"].get<double>() / 2.5;
  EXPECT_NEAR(j["error"], std::max(ratio, 1 / ratio) - 1, 1e-9);
}

}  // namespace
}  // namespace burin::test
