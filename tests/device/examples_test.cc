// The examples on a real GPU, against the emulator. Opt-in: BURIN_DEVICE names the GPU,
//
//   BURIN_DEVICE=cuda:0 build/tests/test_device
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/child.h"
#include "base/text.h"

namespace burin::app {
namespace {

using testing::HasSubstr;

struct Example {
  const char* name;
  const char* options;  // what stands behind `burin run`
};

void PrintTo(const Example& example, std::ostream* out) {
  *out << example.name;
}

const Example kExamples[] = {
    {"vector_add",
     "examples/vector_add.sm_90.cubin --grid 64 --block 256 --arg buf:400000:f32 --arg "
     "buf:400000:f32 --arg buf:400000:undef --arg i32:100000"},
    {"transpose",
     "examples/transpose.sm_90.cubin --kernel transpose_padded --grid 8,8 --block 32,8 --arg "
     "buf:256K:f32 --arg buf:256K:undef --arg i32:256"},
    {"histogram",
     "examples/histogram.sm_90.cubin --grid 16 --block 256 --arg buf:64K:u8 --arg buf:1K:zero "
     "--arg i32:65536"},
};

class DeviceTest : public testing::Test {
 protected:
  void SetUp() override {
    const char* device = std::getenv("BURIN_DEVICE");
    if (device == nullptr) GTEST_SKIP() << "BURIN_DEVICE names no GPU, such as cuda:0";
    device_ = device;
    ASSERT_EQ(::chdir(BURIN_SOURCE_DIR), 0);
  }

  Answer run(const std::string& options) const {
    std::vector<std::string> words{"run"};
    for (const std::string_view word : split(options, ' ')) words.emplace_back(word);
    words.insert(words.end(), {"--json", "--device", device_});
    return run_program(BURIN_BINARY, words, 120);
  }

  std::string device_;
};

class OnDevice : public DeviceTest, public testing::WithParamInterface<Example> {};

TEST_P(OnDevice, LeavesWhatTheEmulatorDoes) {
  const Answer answer = run(GetParam().options);
  ASSERT_TRUE(answer.ok()) << answer.text;
  const auto device = nlohmann::json::parse(answer.text)["device"];
  EXPECT_EQ(device["agrees"], true) << device;
  EXPECT_EQ(device["times_us"].size(), 20u);
  EXPECT_GT(device["median_us"], 0.5);
  EXPECT_LT(device["median_us"], 1000);
  EXPECT_EQ(device["timer"], "cupti");
  EXPECT_GT(device["clock_mhz"].size(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Examples, OnDevice, testing::ValuesIn(kExamples),
                         [](const auto& test) { return std::string(test.param.name); });

TEST_F(DeviceTest, AFaultCostsTheWorkerOnly) {
  const Answer answer = run(
      "examples/vector_add.sm_90.cubin --grid 4 --block 256 --arg buf:4000:f32 --arg buf:4000:f32 "
      "--arg u64:4096 --arg i32:1000");
  EXPECT_FALSE(answer.ok());
  EXPECT_THAT(answer.text, HasSubstr("the kernel vector_add failed on " + device_));
}

}  // namespace
}  // namespace burin::app
