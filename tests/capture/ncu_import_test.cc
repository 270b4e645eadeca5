// Does a report of Nsight Compute become a capture with every sample it has?
#include "capture/ncu/ncu_import.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/file.h"
#include "capture/ncu/csv.h"
#include "capture/recorded_program.h"

namespace burin::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kRecursion = BURIN_SOURCE_DIR "/tests/data/ncu/recursion.source.csv";

TEST(Csv, ReadsQuotesCommasAndLineEnds) {
  capture::CsvReader in("a,\"b,\"\"c\"\"\",\r\n\"two\nlines\",x\n\nlast");
  ASSERT_TRUE(in.next());
  EXPECT_THAT(in.fields(), ElementsAre("a", "b,\"c\"", ""));
  ASSERT_TRUE(in.next());
  EXPECT_THAT(in.fields(), ElementsAre("two\nlines", "x"));
  ASSERT_TRUE(in.next());
  EXPECT_THAT(in.fields(), ElementsAre(""));
  ASSERT_TRUE(in.next());
  EXPECT_THAT(in.fields(), ElementsAre("last"));
  EXPECT_FALSE(in.next());
  capture::CsvReader open("\"never closed,\n");
  ASSERT_TRUE(open.next());
  EXPECT_THAT(open.fields(), ElementsAre("never closed,\n"));
}

TEST(NcuImport, ReadsTheSourcePage) {
  const Result<MappedFile> file = MappedFile::open(kRecursion);
  ASSERT_TRUE(file);
  const Result<std::vector<capture::NcuKernel>> kernels = capture::read_ncu_source(
      {reinterpret_cast<const char*>(file->bytes().data()), file->bytes().size()});
  ASSERT_TRUE(kernels) << kernels.error().message;
  ASSERT_EQ(kernels->size(), 1u);
  const capture::NcuKernel& kernel = (*kernels)[0];
  EXPECT_EQ(kernel.name, "recursion(const int *, int *, int)");
  ASSERT_EQ(kernel.instructions.size(), 152u);
  EXPECT_EQ(kernel.instructions[1].offset, 16u);
  EXPECT_EQ(kernel.instructions[1].sass, "S2R R3, SR_TID.X");
  std::uint64_t samples = 0, not_issued = 0;
  double executed = 0;
  for (const capture::NcuInstruction& instruction : kernel.instructions) {
    for (const capture::NcuStall& stall : instruction.stalls) {
      samples += stall.samples;
      not_issued += stall.not_issued;
    }
    for (const auto& [metric, value] : instruction.metrics) {
      if (metric == "Instructions Executed") executed += value;
    }
  }
  EXPECT_EQ(samples, 11u);
  EXPECT_EQ(not_issued, 11u);
  EXPECT_EQ(executed, 2731);
}

TEST(NcuImport, SamplesWithoutAColumnAreKept) {
  const Result<std::vector<capture::NcuKernel>> kernels = capture::read_ncu_source(
      "\"Kernel Name\",\"f(int)\"\n"
      "\"Address\",\"Source\",\"Warp Stall Sampling (All Samples)\",\"stall_wait\"\n"
      "\"0x100\",\"NOP\",\"1,010\",\"10\"\n");
  ASSERT_TRUE(kernels);
  const std::vector<capture::NcuStall>& stalls = (*kernels)[0].instructions[0].stalls;
  ASSERT_EQ(stalls.size(), 2u);
  EXPECT_EQ(stalls[0].reason, "wait");
  EXPECT_EQ(stalls[1].samples, 1000u);
}

TEST(NcuImport, ReadsTheLaunchesOfTheRawPage) {
  const Result<std::vector<capture::NcuLaunch>> launches = capture::read_ncu_launches(
      "==PROF== words\n"
      "\"ID\",\"Process ID\",\"Process Name\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"CC\","
      "\"gpu__time_duration.sum\"\n"
      "\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"ns\"\n"
      "\"0\",\"499\",\"app\",\"f(int)\",\"(256, 2, 1)\",\"(1024, 1, 7)\",\"9.0\",\"12,345\"\n");
  ASSERT_TRUE(launches) << launches.error().message;
  ASSERT_EQ(launches->size(), 1u);
  const capture::NcuLaunch& launch = (*launches)[0];
  EXPECT_EQ(launch.kernel, "f(int)");
  EXPECT_EQ(launch.block, (launch::Dims{256, 2, 1}));
  EXPECT_EQ(launch.grid, (launch::Dims{1024, 1, 7}));
  EXPECT_EQ(launch.sm, 90u);
  EXPECT_EQ(launch.duration_ns, 12345);
}

TEST(NcuImport, BecomesACapture) {
  const RecordedProgram program;
  const Result<void> done = capture::import_ncu(kRecursion, program.capture());
  ASSERT_TRUE(done) << done.error().message;
  const Result<capture::Capture> capture = capture::Capture::open(program.capture());
  ASSERT_TRUE(capture) << capture.error().message;
  ASSERT_EQ(capture->kernels().size(), 1u);
  EXPECT_EQ(capture->kernels()[0].module, 0u);
  const Result<launch::StallProfile> profile = capture->profile(1);
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->total(), 11);
  const auto stalls = profile->stalls();
  EXPECT_EQ(stalls[static_cast<std::size_t>(launch::Stall::kBranchResolving)].latency, 5);
  EXPECT_EQ(capture->listing(1)->size(), 152u);
  EXPECT_GT(capture->counters(1)->size(), 152u);
}

TEST(NcuImport, RefusesOtherFilesInWords) {
  const RecordedProgram program;
  const std::string csv = program.folder() + "/table.csv";
  std::ofstream(csv) << "a,b\n1,2\n";
  const Result<void> table = capture::import_ncu(csv, program.capture());
  ASSERT_FALSE(table);
  EXPECT_THAT(table.error().message, HasSubstr("is not a source page of Nsight Compute"));
  EXPECT_FALSE(std::filesystem::exists(program.capture()));
  const std::string report = program.folder() + "/x.ncu-rep";
  std::ofstream(report) << "NVR";
  EXPECT_FALSE(capture::import_ncu(report, program.capture()));
}

}  // namespace
}  // namespace burin::test
