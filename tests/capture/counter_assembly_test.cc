// Do counts of a second run find the launches of the first?
#include "capture/assemble/counter_assembly.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "capture/counts.h"
#include "capture/cut.h"
#include "capture/recorded_program.h"

namespace burin::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

capture::SpoolCounters counters(std::uint64_t launch, std::uint64_t executed) {
  capture::SpoolCounters made;
  made.metrics = {"smsp__sass_inst_executed", "smsp__sass_thread_inst_executed_pred_on"};
  made.function = {RecordedProgram::kCrc, "vector_add"};
  made.counts = {{0, {executed, 32 * executed}}, {32, {executed, 0}}};
  made.launch = launch;
  return made;
}

// As the first run, but with counts and neither times nor samples.
std::vector<capture::SpoolRecord> second_run(const RecordedProgram& program) {
  std::vector<capture::SpoolRecord> all;
  for (const capture::SpoolRecord& record : program.records()) {
    if (std::holds_alternative<capture::SpoolTimes>(record) ||
        std::holds_alternative<capture::SpoolSamples>(record) ||
        std::holds_alternative<capture::SpoolMemory>(record) ||
        std::holds_alternative<capture::SpoolContent>(record)) {
      continue;
    }
    all.push_back(record);
    if (const auto* launch = std::get_if<capture::SpoolLaunch>(&record)) {
      all.emplace_back(counters(launch->launch, 4 * launch->grid[0]));
    }
  }
  return all;
}

Result<capture::Assembled> assemble(const RecordedProgram& program,
                                    const std::vector<capture::SpoolRecord>& second) {
  program.write_spool(4711, program.records());
  std::filesystem::create_directory(capture::counters_folder(program.spool()));
  program.write_spool(4712, second, capture::counters_folder(program.spool()));
  return capture::assemble_capture(program.spool(), program.capture(), {}, {});
}

TEST(CounterAssembly, CountsGoToTheLaunchThatIsRepeated) {
  const RecordedProgram program;
  const Result<capture::Assembled> made = assemble(program, second_run(program));
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(made->launches, 3u);
  EXPECT_EQ(made->launches_counted, 3u);
  EXPECT_EQ(made->processes, 1u);
  EXPECT_EQ(made->problems, 0u);
  const Result<capture::Capture> capture = capture::Capture::open(program.capture());
  ASSERT_TRUE(capture);
  for (const capture::CapturedLaunch& launch : capture->launches()) EXPECT_TRUE(launch.has_counts);
  // The second is counted as the first, and kept once; the third has twice the blocks.
  EXPECT_THAT(executed_counts(*capture->counts(capture->launches()[1])), ElementsAre(8, 0, 8));
  EXPECT_THAT(executed_counts(*capture->counts(capture->launches()[2])), ElementsAre(16, 0, 16));
  EXPECT_THAT(executed_counts(*capture->counters(1)), ElementsAre(32, 0, 32));
}

TEST(CounterAssembly, LaunchesThatTheFirstRunHadNotAreTold) {
  const RecordedProgram program;
  std::vector<capture::SpoolRecord> second = second_run(program);
  capture::SpoolLaunch other;
  other.launch = 9;
  other.kernel = 1;
  other.grid = {7, 1, 1};
  other.block = {128, 1, 1};
  second.insert(second.end() - 1, {other, counters(9, 28)});
  ASSERT_TRUE(assemble(program, second));
  const Result<capture::Capture> capture = capture::Capture::open(program.capture());
  ASSERT_TRUE(capture);
  ASSERT_THAT(capture->problems(), SizeIs(1));
  EXPECT_EQ(capture->problems()[0].count, 1u);
  EXPECT_THAT(capture->problems()[0].sentence, HasSubstr("the program is not deterministic"));
  EXPECT_THAT(executed_counts(*capture->counters(1)), ElementsAre(32, 0, 32));
}

TEST(CounterAssembly, WhatAGraphExecutedIsItsKernels) {
  const RecordedProgram program;
  std::vector<capture::SpoolRecord> second = second_run(program);
  second.insert(second.end() - 1, counters(0, 100));
  ASSERT_TRUE(assemble(program, second));
  const Result<capture::Capture> capture = capture::Capture::open(program.capture());
  ASSERT_TRUE(capture);
  EXPECT_THAT(executed_counts(*capture->counters(1)), ElementsAre(132, 0, 132));
}

TEST(CounterAssembly, AnotherProgramsCountsAreLeftOut) {
  const RecordedProgram program;
  std::vector<capture::SpoolRecord> second = second_run(program);
  std::get<capture::SpoolProcess>(second[0]).command = {"./other"};
  const Result<capture::Assembled> made = assemble(program, second);
  ASSERT_TRUE(made);
  EXPECT_EQ(made->launches_counted, 0u);
}

TEST(CounterAssembly, ACutLaunchKeepsItsCounts) {
  const RecordedProgram program;
  ASSERT_TRUE(assemble(program, second_run(program)));
  const Result<capture::Capture> capture = capture::Capture::open(program.capture());
  ASSERT_TRUE(capture);
  const std::string path = program.folder() + "/cut.burin";
  ASSERT_TRUE(cut_capture(*capture, capture->launches()[1], {}, path));
  const Result<capture::Capture> cut = capture::Capture::open(path);
  ASSERT_TRUE(cut);
  EXPECT_TRUE(cut->launches()[0].has_counts);
  EXPECT_THAT(executed_counts(*cut->counts(cut->launches()[0])), ElementsAre(8, 0, 8));
}

TEST(CounterAssembly, CapturesOfTheFirstVersionHaveNoCounts) {
  const Result<capture::Capture> capture =
      capture::Capture::open(BURIN_SOURCE_DIR "/tests/data/capture/vector_add.v1.burin");
  ASSERT_TRUE(capture) << capture.error().message;
  EXPECT_FALSE(capture->launches()[0].has_counts);
  EXPECT_THAT(*capture->counts(capture->launches()[0]), IsEmpty());
  EXPECT_THAT(*capture->variables(2), IsEmpty());
}

TEST(Counts, AreComparedInstructionByInstruction) {
  const std::vector<capture::CapturedCounter> counted = {
      {1, 1, 0, "smsp__sass_inst_executed", 8},
      {1, 1, 32, "smsp__sass_inst_executed", 6},
      {1, 1, 32, "smsp__sass_sectors_mem_global", 99}};
  const std::vector<double> same = {8, 0, 6}, other = {8, 0, 12};
  EXPECT_TRUE(compare_counts(same, counted).is_equal());
  EXPECT_EQ(compare_counts(same, counted).agreement, 1);
  const capture::CountAgreement differs = compare_counts(other, counted);
  EXPECT_EQ(differs.instructions, 2u);
  EXPECT_EQ(differs.equal, 1u);
  EXPECT_EQ(differs.first, 32u);
  EXPECT_EQ(differs.first_ours, 12);
  EXPECT_EQ(differs.first_counted, 6);
  EXPECT_EQ(differs.agreement, 14.0 / 20);
}

}  // namespace
}  // namespace burin::test
