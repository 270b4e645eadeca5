// `burin record` as a user calls it, on a fake driver, and the captures that it made on an H200.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/command.h"
#include "capture/capture.h"
#include "measure/scratch_folder.h"

namespace burin::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::SizeIs;

class RecordCommandTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = *measure::ScratchFolder::make();
    capture_ = folder_->path() + "/app.burin";
    for (const char* library : {"BURIN_LIBCUDA", "BURIN_LIBCUPTI"}) {
      ::setenv(library, BURIN_FAKE_CUPTI, 1);
    }
    ::setenv("BURIN_FAKE", "", 1);
  }
  void TearDown() override {
    for (const char* name : {"BURIN_LIBCUDA", "BURIN_LIBCUPTI", "BURIN_FAKE"}) ::unsetenv(name);
  }

  Ran record(const std::string& words, const std::string& options = "") {
    return burin("record -o " + capture_ + " " + options +
                 " -- " BURIN_FAKE_PROGRAM " examples/vector_add.sm_90.cubin " + words);
  }

  std::shared_ptr<measure::ScratchFolder> folder_;
  std::string capture_;
};

TEST_F(RecordCommandTest, ACaptureIsMadeAndTheSpoolIsGone) {
  const Ran ran = record("launch ex graph");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("app.burin: 8 launches of 1 kernel"));
  EXPECT_THAT(ran.out, HasSubstr("ended with status 0"));
  EXPECT_THAT(ran.out, HasSubstr("vector_add"));
  EXPECT_FALSE(fs::exists(capture_ + ".spool"));
  const Result<capture::Capture> capture = capture::Capture::open(capture_);
  ASSERT_TRUE(capture.ok()) << capture.error().message;
  EXPECT_THAT(capture->launches(), SizeIs(8));
  EXPECT_TRUE(capture->launches()[7].is_graph);
}

TEST_F(RecordCommandTest, JsonSaysTheSame) {
  const Ran ran = record("launch", "--json");
  const nlohmann::json report = nlohmann::json::parse(ran.out);
  EXPECT_EQ(report["schema"], "burin.record/1");
  EXPECT_EQ(report["launches"], 1);
  EXPECT_EQ(report["kernels"][0]["name"], "vector_add");
}

// From the program's memory before the launch the emulator makes its memory after it.
TEST_F(RecordCommandTest, WhatWasRecordedWithMemoryRunsAgain) {
  ASSERT_EQ(record("launch", "--memory vector_add").status, 0);
  const Ran ran = burin("run " + capture_ + ":1 --check");
  EXPECT_EQ(ran.status, 0) << ran.err;
}

TEST_F(RecordCommandTest, TheProgramsStatusIsToldAndNotTakenOver) {
  const Ran ran = record("launch seven");
  EXPECT_EQ(ran.status, 0);
  EXPECT_THAT(ran.out, HasSubstr("ended with status 7"));
}

TEST_F(RecordCommandTest, AKilledProgramLeavesACapture) {
  const Ran ran = record("many second killed");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("1,000 launches"));
  EXPECT_THAT(ran.out, HasSubstr("signal 9"));
}

TEST_F(RecordCommandTest, NothingRecordedIsNeverDone) {
  const Ran without = record("none");
  EXPECT_EQ(without.status, 3);
  EXPECT_THAT(without.err, HasSubstr("did not use CUDA"));
  EXPECT_TRUE(is_one_line(without.err));
  const Ran idle = record("");
  EXPECT_EQ(idle.status, 3);
  EXPECT_THAT(idle.err, HasSubstr("launched no selected kernel"));
  EXPECT_FALSE(fs::exists(capture_));
  EXPECT_FALSE(fs::exists(capture_ + ".spool"));
}

TEST_F(RecordCommandTest, WhatTheDeviceRefusesIsTold) {
  ::setenv("BURIN_FAKE", "subscribed", 1);
  const Ran other = record("launch");
  EXPECT_EQ(other.status, 4);
  EXPECT_THAT(other.err, HasSubstr("another profiler"));
  ::setenv("BURIN_FAKE", "privileges", 1);
  const Ran without_samples = record("launch");
  EXPECT_EQ(without_samples.status, 0);
  EXPECT_THAT(without_samples.out, HasSubstr("NVreg_RestrictProfilingToAdminUsers=0"));
  ::setenv("BURIN_LIBCUPTI", "none", 1);
  const Ran no_cupti = record("launch", "--force");
  EXPECT_EQ(no_cupti.status, 4);
  EXPECT_THAT(no_cupti.err, HasSubstr("libcupti"));
  ::setenv("BURIN_LIBCUDA", "none", 1);
  const Ran no_driver = record("launch", "--force");
  EXPECT_EQ(no_driver.status, 4);
  EXPECT_THAT(no_driver.err, HasSubstr("no NVIDIA driver"));
}

TEST_F(RecordCommandTest, BadUsageRunsNothing) {
  EXPECT_EQ(burin("record").status, 2);
  EXPECT_EQ(record("launch", "--kernel '('").status, 2);
  EXPECT_EQ(burin("record -o " + capture_ + " -- /proc/nowhere/program").status, 3);
  ASSERT_EQ(record("launch").status, 0);
  const Ran again = record("launch");
  EXPECT_EQ(again.status, 2);
  EXPECT_THAT(again.err, HasSubstr("--force"));
}

TEST_F(RecordCommandTest, AnInterruptedRecordingIsAssembledLater) {
  ASSERT_EQ(record("launch", "--keep-spool").status, 0);
  const Ran ran =
      burin("record --assemble " + capture_ + ".spool -o " + folder_->path() + "/b.burin");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("b.burin: 1 launch"));
}

TEST_F(RecordCommandTest, OnlySomeLaunches) {
  const Ran ran = record("many", "--per-kernel 3");
  EXPECT_THAT(ran.out, HasSubstr("3 launches of 1 kernel"));
  EXPECT_THAT(ran.out, HasSubstr("selected from 1,000 launches"));
}

// Recorded on an H200 (bench/record/shapes.cu and kernels of the corpus).
TEST(RecordedTest, EveryKindOfLaunch) {
  const Result<capture::Capture> capture =
      capture::Capture::open(BURIN_SOURCE_DIR "/tests/data/record/shapes.burin");
  ASSERT_TRUE(capture.ok()) << capture.error().message;
  ASSERT_THAT(capture->launches(), SizeIs(8));
  EXPECT_EQ(capture->gpus()[0].name, "NVIDIA H200");
  const std::vector<capture::CapturedLaunch>& launches = capture->launches();
  EXPECT_EQ(launches[1].shared_bytes, 1024u);
  EXPECT_TRUE(launches[2].is_cooperative);
  ASSERT_TRUE(launches[3].cluster.has_value());
  EXPECT_EQ(launches[3].cluster->x, 2u);
  for (const capture::CapturedLaunch& launch : launches)
    EXPECT_TRUE(launch.duration_ns.has_value());
  const Result<std::vector<capture::CapturedFrame>> stack = capture->stack(launches[0].stack);
  ASSERT_TRUE(stack.ok());
  EXPECT_THAT(*stack, testing::Contains(testing::Field(&capture::CapturedFrame::symbol, "main")));
}

TEST(RecordedTest, TheEmulatorLeavesTheMemoryThatTheGpuLeft) {
  for (const char* launch :
       {"shapes.burin:1", "shapes.burin:6", "softmax.burin", "histogram_shared.burin"}) {
    const Ran ran = burin(std::string("run tests/data/record/") + launch + " --check");
    EXPECT_EQ(ran.status, 0) << launch << ran.err;
  }
}

}  // namespace
}  // namespace burin::test
