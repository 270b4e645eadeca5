// Does the spool of recorded processes become a capture that has it all, however they ended?
#include "capture/assemble/assemble.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "capture/recorded_program.h"

namespace burin::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(CaptureAssemble, KeepsWhatWasRecorded) {
  const RecordedProgram program;
  const Result<capture::Capture> capture = program.assembled();
  ASSERT_TRUE(capture) << capture.error().message;
  ASSERT_EQ(capture->processes().size(), 1u);
  EXPECT_THAT(capture->processes()[0].command, ElementsAre("./app", "--size", "1000"));
  EXPECT_EQ(capture->processes()[0].end_ns, 1'000'000u);
  EXPECT_EQ(capture->processes()[0].launches_seen, 4u);
  ASSERT_EQ(capture->gpus().size(), 1u);
  EXPECT_EQ(capture->gpus()[0].sm, 90u);
  EXPECT_EQ(*capture->cubin(1), program.cubin());
  EXPECT_EQ(capture->info("burin"), "test");

  ASSERT_EQ(capture->launches().size(), 3u);
  const capture::CapturedLaunch& second = capture->launches()[1];
  EXPECT_EQ(capture->kernel(second.kernel).name, "vector_add");
  EXPECT_EQ(second.grid, (launch::Dims{2, 1, 1}));
  EXPECT_EQ(second.start_ns, 20'000u);
  EXPECT_EQ(second.duration_ns, 5'000u);
  EXPECT_EQ(second.ranges, "step");
  EXPECT_TRUE(second.has_memory);
  EXPECT_FALSE(capture->launches()[0].has_memory);
  EXPECT_EQ(capture->launches()[2].duration_ns, std::nullopt);
  EXPECT_EQ(capture->stack(second.stack)->at(0).symbol, "main");

  const Result<capture::CapturedArguments> arguments = capture->arguments(2);
  ASSERT_TRUE(arguments && arguments->bytes);
  EXPECT_EQ(arguments->bytes->size(), 28u);
  ASSERT_EQ(arguments->allocations.size(), 3u);
  EXPECT_EQ(arguments->allocations[2].address, RecordedProgram::kSum);
  const Result<capture::CapturedMemory> memory = capture->memory(2);
  ASSERT_TRUE(memory);
  ASSERT_EQ(memory->before.size(), 3u);
  ASSERT_EQ(memory->after.size(), 1u);
  EXPECT_EQ(memory->after[0].bytes, RecordedProgram::bytes(program.sum()));
}

TEST(CaptureAssemble, SamplesOfBothFamiliesBecomeOneProfile) {
  const RecordedProgram program;
  const Result<capture::Capture> capture = program.assembled();
  ASSERT_TRUE(capture) << capture.error().message;
  EXPECT_THAT(capture->sample_counts(), ElementsAre(111));
  ASSERT_EQ(capture->samplings().size(), 1u);
  EXPECT_EQ(capture->samplings()[0].total, 113u);
  EXPECT_EQ(capture->samplings()[0].dropped, 2u);
  const Result<launch::StallProfile> profile = capture->profile(1);
  ASSERT_TRUE(profile);
  ASSERT_EQ(profile->rows.size(), 2u);
  EXPECT_EQ(profile->total(), 111);
  EXPECT_EQ(profile->issued(), 11);
  const auto& waits =
      profile->rows[0].stalls[static_cast<std::size_t>(launch::Stall::kLongScoreboard)];
  EXPECT_EQ(waits.active, 40);
  EXPECT_EQ(waits.latency, 60);
}

TEST(CaptureAssemble, ProcessesAreJoinedAndTheirModulesKeptOnce) {
  const RecordedProgram program;
  program.write_spool(1, program.records(1));
  program.write_spool(2, program.records(2));
  const Result<capture::Assembled> made =
      capture::assemble_capture(program.spool(), program.capture(), {}, {});
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(made->processes, 2u);
  EXPECT_EQ(made->launches, 6u);
  EXPECT_EQ(made->launches_seen, 8u);
  EXPECT_EQ(made->launches_without_time, 2u);
  EXPECT_EQ(made->kernels, 1u);
  EXPECT_EQ(made->samples, 222u);
  EXPECT_EQ(made->samples_lost, 4u);
  const Result<capture::Capture> capture = capture::Capture::open(program.capture());
  ASSERT_TRUE(capture) << capture.error().message;
  EXPECT_EQ(capture->modules().size(), 1u);
  EXPECT_EQ(capture->kernels().size(), 1u);
  EXPECT_EQ(capture->launches()[5].process, 2u);
}

// Wherever a process is killed, the capture has what came before.
TEST(CaptureAssemble, AKilledProcessKeepsWhatItHadWritten) {
  const RecordedProgram program;
  program.write_spool(4711, program.records());
  const std::string file = capture::spool_files(program.spool())->at(0);
  const auto size = std::filesystem::file_size(file);
  std::uint64_t launches = 3;
  for (std::uintmax_t keep = size - 1; keep > 200; keep -= std::min<std::uintmax_t>(keep, 997)) {
    std::filesystem::resize_file(file, keep);
    const Result<capture::Assembled> made =
        capture::assemble_capture(program.spool(), program.capture(), {}, {});
    ASSERT_TRUE(made) << made.error().message;
    EXPECT_EQ(made->killed, 1u);
    EXPECT_LE(made->launches, launches);
    launches = made->launches;
    const Result<capture::Capture> capture = capture::Capture::open(program.capture());
    ASSERT_TRUE(capture) << capture.error().message;
    EXPECT_EQ(capture->processes()[0].end_ns, std::nullopt);
    ASSERT_EQ(capture->problems().size(), 1u);
    EXPECT_THAT(capture->problems()[0].sentence, HasSubstr("process 4711 was killed or crashed"));
  }
  EXPECT_EQ(launches, 0u);
}

TEST(CaptureAssemble, AFullDiskIsNoCrash) {
  const RecordedProgram program;
  std::vector<capture::SpoolRecord> records = program.records();
  capture::SpoolProblem full;
  full.what = capture::SpoolProblem::kDiskFull;
  full.sentence = "no room";
  records.back() = full;
  program.write_spool(4711, records);
  const Result<capture::Assembled> made =
      capture::assemble_capture(program.spool(), program.capture(), {}, {});
  ASSERT_TRUE(made);
  EXPECT_EQ(made->killed, 0u);
  EXPECT_EQ(made->launches, 3u);
  const Result<capture::Capture> capture = capture::Capture::open(program.capture());
  ASSERT_TRUE(capture);
  ASSERT_EQ(capture->problems().size(), 1u);
  EXPECT_EQ(capture->problems()[0].sentence, "no room");
}

TEST(CaptureAssemble, AKernelOfAnUnknownModuleIsLookedForInThoseOfTheProcess) {
  const RecordedProgram program;
  std::vector<capture::SpoolRecord> records = program.records();
  for (capture::SpoolRecord& record : records) {
    if (auto* kernel = std::get_if<capture::SpoolKernel>(&record)) kernel->module = 0;
  }
  program.write_spool(4711, records);
  ASSERT_TRUE(capture::assemble_capture(program.spool(), program.capture(), {}, {}));
  const Result<capture::Capture> capture = capture::Capture::open(program.capture());
  ASSERT_TRUE(capture);
  EXPECT_EQ(capture->kernels()[0].module, 1u);
}

TEST(CaptureAssemble, OfModulesWithOneChecksumTheSamplesBelongToTheOneWithTheFunction) {
  const RecordedProgram program;
  const Result<MappedFile> other =
      MappedFile::open(BURIN_SOURCE_DIR "/examples/transpose.sm_90.cubin");
  ASSERT_TRUE(other);
  std::vector<capture::SpoolRecord> records = program.records();
  records.insert(records.begin() + 3,
                 capture::SpoolModule{2, RecordedProgram::kCrc, other->bytes()});
  program.write_spool(4711, records);
  ASSERT_TRUE(capture::assemble_capture(program.spool(), program.capture(), {}, {}));
  const Result<capture::Capture> capture = capture::Capture::open(program.capture());
  ASSERT_TRUE(capture);
  EXPECT_EQ(capture->modules().size(), 2u);
  EXPECT_EQ(capture->kernels().size(), 1u);
  EXPECT_THAT(capture->sample_counts(), ElementsAre(111));
}

TEST(CaptureAssemble, SaysWhereThereIsNothing) {
  const RecordedProgram program;
  const Result<capture::Assembled> made =
      capture::assemble_capture(program.spool(), program.capture(), {}, {});
  ASSERT_FALSE(made);
  EXPECT_THAT(made.error().message, HasSubstr("contains no recording"));
  EXPECT_FALSE(std::filesystem::exists(program.capture()));
}

}  // namespace
}  // namespace burin::test
