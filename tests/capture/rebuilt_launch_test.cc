// Is a captured launch, rebuilt, the launch that it was?
#include "capture/rebuilt_launch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "capture/recorded_program.h"
#include "emulate/outputs.h"
#include "emulate/run.h"
#include "read/program/kernel.h"

namespace burin::test {
namespace {

using testing::HasSubstr;

class CaptureLaunchTest : public testing::Test {
 protected:
  CaptureLaunchTest()
      : capture_(program_.assembled()), image_(read::read_cubin(program_.cubin(), std::nullopt)) {}

  const read::Function& function() const { return image_->functions[0]; }
  Result<capture::RebuiltLaunch> rebuilt(std::size_t id) const {
    return rebuild_launch(*capture_, capture_->launches()[id - 1], function());
  }

  RecordedProgram program_;
  Result<capture::Capture> capture_;
  Result<read::Image> image_;
};

TEST_F(CaptureLaunchTest, ComputesWhatTheGpuDid) {
  const Result<capture::RebuiltLaunch> launch = rebuilt(2);
  ASSERT_TRUE(launch) << launch.error().message;
  ASSERT_TRUE(check_launch(launch->launch, function()));
  EXPECT_TRUE(launch->notes.empty());
  const Result<read::Kernel> kernel = read::build_kernel(*image_, function());
  ASSERT_TRUE(kernel);
  const Result<burin::emulate::Run> run = emulate::emulate(*kernel, launch->launch, {});
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_FALSE(run->stopped);
  EXPECT_TRUE(run->faults.empty());
  ASSERT_EQ(launch->expected.size(), 3u);
  for (const launch::ExpectedMemory& expected : launch->expected) {
    const emulate::CheckedOutput checked = emulate::check_memory(*run, expected, "app.burin");
    EXPECT_TRUE(checked.passed()) << emulate::describe(checked);
    EXPECT_EQ(checked.comparison.elements, RecordedProgram::kCount);
  }
}

TEST_F(CaptureLaunchTest, AWrongByteIsFound) {
  Result<capture::RebuiltLaunch> launch = rebuilt(2);
  ASSERT_TRUE(launch);
  const Result<read::Kernel> kernel = read::build_kernel(*image_, function());
  const Result<burin::emulate::Run> run = emulate::emulate(*kernel, launch->launch, {});
  ASSERT_TRUE(run);
  launch->expected[2].pieces[0].bytes[17] ^= 1;
  const emulate::CheckedOutput checked =
      emulate::check_memory(*run, launch->expected[2], "app.burin");
  EXPECT_FALSE(checked.passed());
  EXPECT_EQ(checked.comparison.different, 1u);
  EXPECT_EQ(checked.comparison.first, 4u);
}

TEST_F(CaptureLaunchTest, WithoutContentsTheyAreUnknown) {
  const Result<capture::RebuiltLaunch> launch = rebuilt(1);
  ASSERT_TRUE(launch);
  EXPECT_TRUE(launch->expected.empty());
  ASSERT_EQ(launch->notes.size(), 1u);
  EXPECT_THAT(launch->notes[0], HasSubstr("--memory"));
  ASSERT_EQ(launch->launch.memory.size(), 3u);
  EXPECT_EQ(launch->launch.memory[1].address, RecordedProgram::kB);
  EXPECT_EQ(launch->launch.memory[1].buffer.contents(), launch::Contents::kUnknown);
  EXPECT_EQ(launch->launch.arguments[3].text, "u32:1000");
  const Result<read::Kernel> kernel = read::build_kernel(*image_, function());
  const Result<burin::emulate::Run> run = emulate::emulate(*kernel, launch->launch, {});
  ASSERT_TRUE(run);
  EXPECT_TRUE(run->faults.empty());
}

// What the recorder could not copy after the launch must not be taken for unchanged.
TEST_F(CaptureLaunchTest, NothingIsExpectedOfALaunchThatHadTrouble) {
  std::vector<capture::SpoolRecord> records = program_.records();
  capture::SpoolProblem problem;
  problem.what = capture::SpoolProblem::kTimedOut;
  problem.launch = 2;
  problem.sentence = "it did not end in time";
  records.insert(records.end() - 1, problem);
  program_.write_spool(4711, records);
  ASSERT_TRUE(capture::assemble_capture(program_.spool(), program_.capture(), {}, {}));
  const Result<capture::Capture> capture = capture::Capture::open(program_.capture());
  ASSERT_TRUE(capture);
  const Result<capture::RebuiltLaunch> launch =
      rebuild_launch(*capture, capture->launches()[1], function());
  ASSERT_TRUE(launch);
  EXPECT_TRUE(launch->expected.empty());
  ASSERT_EQ(launch->notes.size(), 1u);
}

}  // namespace
}  // namespace burin::test
