// The pass in which instructions are counted, and the variables that --memory keeps.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "corpus_files.h"
#include "gpu/record/cubin_names.h"
#include "gpu/recorded_run.h"

namespace burin::gpu {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class RecordCountersTest : public RecordTest {
 protected:
  void SetUp() override {
    RecordTest::SetUp();
    settings_.counters = true;
    settings_.stacks = false;
  }
};

TEST_F(RecordCountersTest, EachLaunchHasItsOwnCounts) {
  const Spool spool = record({"launch", "refused", "ex"});
  EXPECT_THAT(spool.all<capture::SpoolProblem>(), IsEmpty());
  EXPECT_THAT(spool.all<capture::SpoolLaunch>(), SizeIs(2));
  const auto counters = spool.all<capture::SpoolCounters>();
  ASSERT_THAT(counters, SizeIs(2));
  EXPECT_EQ(counters[0].launch, spool.all<capture::SpoolLaunch>()[0].launch);
  EXPECT_EQ(counters[1].launch, spool.all<capture::SpoolLaunch>()[1].launch);
  EXPECT_EQ(counters[0].function.name, "vector_add");
  ASSERT_THAT(counters[0].metrics, SizeIs(2));
  EXPECT_EQ(counters[0].metrics[0], "smsp__sass_inst_executed");
  ASSERT_THAT(counters[0].counts, SizeIs(2));  // what is never executed is left out
  EXPECT_EQ(counters[0].counts[1].offset, 16u);
  EXPECT_THAT(counters[0].counts[1].values, ElementsAre(8, 256));  // 2 blocks of 4 warps
  EXPECT_THAT(counters[1].counts[0].values, ElementsAre(8, 256));  // 4 blocks of 2 warps
}

TEST_F(RecordCountersTest, NothingElseIsMeasured) {
  const Spool spool = record({"launch"});
  EXPECT_THAT(spool.times(), IsEmpty());
  EXPECT_THAT(spool.all<capture::SpoolSamples>(), IsEmpty());
}

TEST_F(RecordCountersTest, GraphsAreCountedAsAWhole) {
  const auto counters = record({"graph"}).all<capture::SpoolCounters>();
  ASSERT_THAT(counters, SizeIs(2));
  EXPECT_EQ(counters[0].launch, 0u);
  EXPECT_THAT(counters[0].counts[0].values, ElementsAre(24, 768));
}

TEST_F(RecordCountersTest, LaunchesThatAreNotKeptLeaveNoCounts) {
  settings_.first = 1;
  EXPECT_THAT(record({"launch", "launch"}).all<capture::SpoolCounters>(), SizeIs(1));
}

TEST_F(RecordCountersTest, ThreadsAreCountedOneByOne) {
  const Spool spool = record({"threads"});
  const auto counters = spool.all<capture::SpoolCounters>();
  ASSERT_THAT(counters, SizeIs(400));
  for (const capture::SpoolCounters& each : counters) EXPECT_EQ(each.counts[0].values[0], 8u);
}

TEST_F(RecordCountersTest, WhatIsNotCountedIsTold) {
  ::setenv("BURIN_FAKE", "uncounted", 1);
  const auto problems = record({"launch", "launch"}).all<capture::SpoolProblem>();
  ASSERT_THAT(problems, SizeIs(1));
  EXPECT_EQ(problems[0].what, std::uint32_t{capture::SpoolProblem::kUncounted});
  EXPECT_EQ(problems[0].count, 2u);

  use_new_folder();
  ::setenv("BURIN_FAKE", "privileges", 1);
  const Spool refused = record({"launch"});
  EXPECT_THAT(refused.all<capture::SpoolLaunch>(), SizeIs(1));
  ASSERT_THAT(refused.all<capture::SpoolProblem>(), SizeIs(1));
  EXPECT_THAT(refused.all<capture::SpoolProblem>()[0].sentence, HasSubstr("there are no counts"));
}

using RecordVariablesTest = RecordTest;

TEST_F(RecordVariablesTest, VariablesAreCopiedWithTheMemory) {
  cubin_ = corpus_file("cubins/image.sm_90.cubin");
  settings_.memory = {{"vector_add", 1}};
  const Spool spool = record({"launch"});
  const auto variables = spool.all<capture::SpoolVariable>();
  ASSERT_THAT(variables, SizeIs(1));
  EXPECT_EQ(variables[0].name, "kFilter");
  EXPECT_EQ(variables[0].launch, 1u);
  EXPECT_EQ(variables[0].size, 36u);
  std::vector<capture::SpoolMemory> contents;
  for (const capture::SpoolMemory& memory : spool.all<capture::SpoolMemory>()) {
    if (memory.address == variables[0].address) contents.push_back(memory);
  }
  ASSERT_THAT(contents, SizeIs(1));
  float second = 0;
  ASSERT_THAT(contents[0].contents, SizeIs(1));
  std::memcpy(&second, spool.content(contents[0].contents[0]).data() + 4, 4);
  EXPECT_EQ(second, 2);
}

TEST(CubinNames, WhatIsNoCubinHasNone) {
  const std::uint8_t bytes[] = {0x7f, 'E', 'L', 'F', 0};
  EXPECT_THAT(variable_names(bytes, true), IsEmpty());
  EXPECT_THAT(function_names({}), IsEmpty());
  const Result<MappedFile> file = MappedFile::open(corpus_file("cubins/image.sm_90.cubin"));
  ASSERT_TRUE(file.ok());
  EXPECT_THAT(variable_names(file->bytes(), true), ElementsAre("kFilter"));
  for (std::size_t size = 0; size < file->bytes().size(); size += 997) {
    (void)variable_names(file->bytes().first(size), true);
  }
}

}  // namespace
}  // namespace burin::gpu
