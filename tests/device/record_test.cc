// Recording on a real GPU. Opt-in: BURIN_DEVICE names the GPU (it must be the first), and nvcc
// builds the program.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "base/child.h"
#include "capture/capture.h"
#include "measure/scratch_folder.h"

namespace burin::app {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

// A program of bench/record, built and recorded.
class DeviceRecordTest : public testing::Test {
 protected:
  void SetUp() override {
    if (std::getenv("BURIN_DEVICE") == nullptr) {
      GTEST_SKIP() << "BURIN_DEVICE names no GPU, such as cuda:0";
    }
    nvcc_ = find_program("nvcc", {"/usr/local/cuda/bin"});
    if (nvcc_.empty()) GTEST_SKIP() << "nvcc, which builds the program, is not installed";
    folder_ = *measure::ScratchFolder::make();
  }

  Result<capture::Capture> record(const std::string& name, std::vector<std::string> words) {
    const std::string program = folder_->path() + "/" + name;
    file_ = program + ".burin";
    const std::string source = BURIN_SOURCE_DIR "/bench/record/" + name + ".cu";
    const Answer built =
        run_program(nvcc_, {"-std=c++17", "-arch=native", "-o", program, source}, 300);
    EXPECT_TRUE(built.ok()) << built.text;
    words.insert(words.begin(), "record");
    words.insert(words.end(), {"-o", file_, "--", program});
    const Answer recorded = run_program(BURIN_BINARY, words, 120);
    EXPECT_TRUE(recorded.ok()) << recorded.text;
    return capture::Capture::open(file_);
  }

  std::string nvcc_, file_;
  std::shared_ptr<measure::ScratchFolder> folder_;
};

TEST_F(DeviceRecordTest, EveryKindOfLaunchIsKeptWithItsTimeAndRunsAgain) {
  const Result<capture::Capture> capture = record("shapes", {"--memory", "plain"});
  ASSERT_TRUE(capture.ok()) << capture.error().message;
  ASSERT_THAT(capture->launches(), SizeIs(8));
  for (const capture::CapturedLaunch& launch : capture->launches()) {
    EXPECT_TRUE(launch.duration_ns.has_value()) << launch.id;
  }
  const Answer replayed = run_program(BURIN_BINARY, {"run", file_ + ":1", "--check"}, 60);
  EXPECT_TRUE(replayed.ok()) << replayed.text;
}

TEST_F(DeviceRecordTest, InstructionsAreCountedLaunchByLaunch) {
  const Result<capture::Capture> capture = record("shapes", {"--counters", "--memory", "shared"});
  ASSERT_TRUE(capture.ok()) << capture.error().message;
  for (const capture::CapturedLaunch& launch : capture->launches()) {
    EXPECT_TRUE(launch.has_counts) << launch.id;
  }
  const Answer replayed = run_program(BURIN_BINARY, {"run", file_ + ":shared"}, 60);
  EXPECT_THAT(replayed.text, HasSubstr("execution counts of all instructions match the GPU's"));
}

TEST_F(DeviceRecordTest, WhatTheProgramWroteIntoVariablesIsReplayed) {
  const Result<capture::Capture> capture = record("variables", {"--memory", "weigh:2"});
  ASSERT_TRUE(capture.ok()) << capture.error().message;
  EXPECT_THAT(*capture->variables(2), SizeIs(6));
  const Answer replayed = run_program(BURIN_BINARY, {"run", file_ + ":2", "--check"}, 60);
  EXPECT_TRUE(replayed.ok()) << replayed.text;
}

}  // namespace
}  // namespace burin::app
