// When the driver, CUPTI or the disk refuses: is it told with the remedy, and does the program end
// as it would without the recorder?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gpu/record/driver/device_claim.h"
#include "gpu/recorded_run.h"

namespace burin::gpu {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

using RecordTroubleTest = RecordTest;

TEST_F(RecordTroubleTest, WithoutPermissionThereAreLaunchesAndTimes) {
  ::setenv("BURIN_FAKE", "privileges", 1);
  const Spool spool = record({"launch"});
  EXPECT_THAT(spool.all<capture::SpoolLaunch>(), SizeIs(1));
  EXPECT_THAT(spool.times(), SizeIs(1));
  const auto problems = spool.all<capture::SpoolProblem>();
  ASSERT_THAT(problems, SizeIs(1));
  EXPECT_EQ(problems[0].what, std::uint32_t{capture::SpoolProblem::kNoPermission});
  EXPECT_THAT(problems[0].sentence, HasSubstr("NVreg_RestrictProfilingToAdminUsers"));
}

TEST_F(RecordTroubleTest, AnotherProfiler) {
  ::setenv("BURIN_FAKE", "subscribed", 1);
  const Spool spool = record({"launch"});
  EXPECT_THAT(spool.all<capture::SpoolLaunch>(), IsEmpty());
  ASSERT_THAT(spool.all<capture::SpoolProblem>(), SizeIs(1));
  EXPECT_EQ(spool.all<capture::SpoolProblem>()[0].what,
            std::uint32_t{capture::SpoolProblem::kOtherProfiler});
}

// Each refusal of samples leaves launches and times, and a sentence.
TEST_F(RecordTroubleTest, RefusalsNameTheCauseAndTheRemedy) {
  const std::tuple<const char*, std::uint32_t, const char*, const char*> kCases[] = {
      {"busy", capture::SpoolProblem::kOtherProfiler, "DCGM", "dcgmi profile --pause"},
      {"mig", capture::SpoolProblem::kNotSupported, "partitioned (MIG)", "Record on a whole GPU"},
  };
  for (const auto& [word, what, cause, remedy] : kCases) {
    use_new_folder();
    ::setenv("BURIN_FAKE", word, 1);
    const Spool spool = record({"launch"});
    EXPECT_THAT(spool.all<capture::SpoolLaunch>(), SizeIs(1)) << word;
    EXPECT_THAT(spool.times(), SizeIs(1)) << word;
    const auto problems = spool.all<capture::SpoolProblem>();
    ASSERT_THAT(problems, SizeIs(1)) << word;
    EXPECT_EQ(problems[0].what, what);
    EXPECT_THAT(problems[0].sentence, HasSubstr(cause));
    EXPECT_THAT(problems[0].sentence, HasSubstr(remedy));
    EXPECT_THAT(problems[0].sentence, HasSubstr("launches and times are complete"));
  }
}

// CUPTI would sample neither and end all recording in one of them.
TEST_F(RecordTroubleTest, WhereAnotherProcessIsSampledThereAreLaunchesAndTimes) {
  const auto devices = record({"launch"}).all<capture::SpoolDevice>();
  ASSERT_THAT(devices, SizeIs(1));
  {
    const DeviceClaim other = DeviceClaim::take(devices[0].bus);
    ASSERT_TRUE(static_cast<bool>(other));
    EXPECT_FALSE(static_cast<bool>(DeviceClaim::take(devices[0].bus)));
    use_new_folder();
    const Spool spool = record({"launch"});
    EXPECT_THAT(spool.all<capture::SpoolLaunch>(), SizeIs(1));
    EXPECT_THAT(spool.times(), SizeIs(1));
    EXPECT_THAT(spool.all<capture::SpoolSamples>(), IsEmpty());
    ASSERT_THAT(spool.all<capture::SpoolProblem>(), SizeIs(1));
    EXPECT_EQ(spool.all<capture::SpoolProblem>()[0].what,
              std::uint32_t{capture::SpoolProblem::kSampledElsewhere});
    EXPECT_THAT(spool.all<capture::SpoolProblem>()[0].sentence, HasSubstr("one after the other"));
  }
  use_new_folder();
  EXPECT_THAT(record({"launch"}).all<capture::SpoolProblem>(), IsEmpty());
}

TEST_F(RecordTroubleTest, EachLaunchNamesItsGpu) {
  const Spool spool = record({"launch", "second_gpu", "late", "launch", "launch"});
  const auto devices = spool.all<capture::SpoolDevice>();
  ASSERT_THAT(devices, SizeIs(2));
  EXPECT_NE(devices[0].bus, devices[1].bus);
  const auto launches = spool.all<capture::SpoolLaunch>();
  ASSERT_THAT(launches, SizeIs(3));
  EXPECT_EQ(launches[0].device, 0u);
  EXPECT_EQ(launches[1].device, 1u);
  EXPECT_EQ(launches[2].context, 2u);
  EXPECT_THAT(spool.all<capture::SpoolSampling>(), SizeIs(2));  // both are sampled
}

// The program's own limit on files would end it with a signal.
TEST_F(RecordTroubleTest, AFullDiskEndsTheRecordingAndNotTheProgram) {
  const Spool spool = record({"no_room", "many"});
  EXPECT_FALSE(spool.truncated);
  EXPECT_THAT(spool.all<capture::SpoolEnd>(), IsEmpty());
  const auto problems = spool.all<capture::SpoolProblem>();
  ASSERT_THAT(problems, SizeIs(1));
  EXPECT_EQ(problems[0].what, std::uint32_t{capture::SpoolProblem::kDiskFull});
  EXPECT_THAT(problems[0].sentence, HasSubstr("free disk space"));
}

TEST_F(RecordTroubleTest, MemoryOfAGraphsKernelIsToldToBeMissing) {
  settings_.memory = {{"vector_add", 2}};
  const Spool spool = record({"graph"});
  EXPECT_THAT(spool.all<capture::SpoolMemory>(), IsEmpty());
  const auto problems = spool.all<capture::SpoolProblem>();
  ASSERT_THAT(problems, SizeIs(1));
  EXPECT_EQ(problems[0].what, std::uint32_t{capture::SpoolProblem::kGraphMemory});
  EXPECT_EQ(problems[0].launch, 2u);
  EXPECT_THAT(problems[0].sentence, HasSubstr("CUDA graph"));
}

}  // namespace
}  // namespace burin::gpu
