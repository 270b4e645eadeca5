// From clocks in files to entries of a machine, without a GPU: the device is a script.
#include "gpu/micro/calibrate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "gpu/micro/check_code.h"
#include "machine/load.h"
#include "toolchain/tools.h"

namespace burin::gpu {
namespace {

using testing::HasSubstr;

TEST(Calibrate, PatternsMatchNames) {
  EXPECT_TRUE(matches("l1.*", "l1.latency"));
  EXPECT_TRUE(matches("*gap", "class.fma.gap"));
  EXPECT_TRUE(matches("chase", "chase"));
  EXPECT_FALSE(matches("l1", "l1.latency"));
  EXPECT_FALSE(matches("l1.*y", "l1.size"));
}

// A GPU on which a barrier takes 12 cycles and 2 for each warp.
class BarrierDevice : public measure::Device {
 public:
  measure::DeviceAnswer run(const measure::DeviceRequest& request) override {
    ++launches;
    if (launches == fails_at) return Error{"the kernel stopped", Exit::kDevice};
    const std::size_t warps = request.steps.front().launch.block.x / 32;
    std::vector<std::uint32_t> words;
    for (std::size_t i = 0; i < kPasses * warps; ++i) {
      words.push_back(1000);
      words.push_back(static_cast<std::uint32_t>(1000 + 64 * (12 + 2 * warps)));
    }
    measure::DeviceResult result;
    result.gpu = "Fake GPU";
    result.outputs = {{.argument = 0, .path = request.outputs + "/0.bin"}};
    std::ofstream(result.outputs[0].path, std::ios::binary)
        .write(reinterpret_cast<const char*>(words.data()),
               static_cast<std::streamsize>(words.size() * 4));
    return result;
  }

  int launches = 0;
  int fails_at = 0;
};

class CalibrateTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!toolchain::find_tool("nvcc")) GTEST_SKIP() << "there is no nvcc";
    request.gpu = {.arch = {90, 0}, .sms = 132, .l2_bytes = 60u << 20};
    request.machine = *machine::load_machine("h200");
    request.only = {"barrier.*"};
  }
  BarrierDevice device;
  CalibrateRequest request;
};

TEST_F(CalibrateTest, ClocksBecomeEntriesWithTheirSource) {
  const Result<Calibration> done = calibrate(device, request);
  ASSERT_TRUE(done.ok()) << done.error().message;
  EXPECT_NEAR(done->machine.barrier.latency, 12, 1e-9);
  EXPECT_NEAR(done->machine.barrier.gap, 2, 1e-9);
  EXPECT_EQ(done->machine.origins.at("barrier.gap").source, "barrier");
  EXPECT_EQ(done->machine.dram.latency, request.machine.dram.latency);
}

TEST_F(CalibrateTest, AFailedLaunchSettlesNothingAndSaysWhy) {
  device.fails_at = 3;
  const Result<Calibration> done = calibrate(device, request);
  ASSERT_TRUE(done.ok());
  ASSERT_EQ(done->results.size(), 1u);
  EXPECT_THAT(done->results[0].refused, HasSubstr("the kernel stopped"));
  EXPECT_TRUE(done->results[0].settled.empty());
  EXPECT_EQ(done->machine.barrier.gap, request.machine.barrier.gap);
}

TEST_F(CalibrateTest, OnlyMustNameSomething) {
  request.only = {"no.such"};
  const Result<Calibration> done = calibrate(device, request);
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.error().exit, Exit::kUsage);
}

// Instructions by name: two clock reads with `between` in the middle.
std::vector<read::Instruction> timed_code(const std::vector<const read::Opcode*>& between) {
  static constexpr read::Opcode kClock{.mnemonic = "CS2R"};
  read::Instruction clock;
  clock.opcode = &kClock;
  clock.operand_count = 1;
  clock.operand_storage[0].kind = read::Operand::Kind::kSpecial;
  clock.operand_storage[0].suffix = "SR_CLOCKLO";
  std::vector<read::Instruction> code{clock};
  for (const read::Opcode* opcode : between) {
    code.emplace_back();
    code.back().opcode = opcode;
  }
  code.push_back(clock);
  return code;
}

TEST(CheckCode, CountsTheWantedAndRefusesStrangers) {
  static constexpr read::Opcode kFfma{.mnemonic = "FFMA"}, kMove{.mnemonic = "MOV"};
  const auto said = [](const std::vector<const read::Opcode*>& between, const CodeCheck& check) {
    const Result<void> right = check_instructions(timed_code(between), check);
    return right ? std::string() : right.error().message;
  };
  EXPECT_EQ(said({&kFfma, &kFfma}, {"k", "FFMA", 2}), "");
  EXPECT_THAT(said({&kFfma}, {"k", "FFMA", 2}), HasSubstr("1 FFMA between its clock reads"));
  EXPECT_THAT(said({&kFfma, &kMove, &kFfma}, {"k", "FFMA", 2}), HasSubstr("'MOV"));
  EXPECT_EQ(said({&kFfma, &kMove, &kFfma}, {"k", "FFMA", 2, {"MOV"}}), "");
  EXPECT_THAT(check_instructions({}, {"k", "FFMA", 2}).error().message, HasSubstr("clock twice"));
}

}  // namespace
}  // namespace burin::gpu
