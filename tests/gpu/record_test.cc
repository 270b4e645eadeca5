// The recorder in a program that runs on a fake driver with a fake CUPTI: what it leaves in the
// spool, and that the program ends as it would without it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <set>

#include "capture/assemble/host_symbols.h"
#include "gpu/recorded_run.h"

namespace burin::gpu {
namespace {

using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

TEST_F(RecordTest, ALaunchIsKeptWithAllThatBelongsToIt) {
  const Spool spool = record({"launch"});
  const auto launches = spool.all<capture::SpoolLaunch>();
  ASSERT_THAT(launches, SizeIs(1));
  const capture::SpoolLaunch& launch = launches[0];
  EXPECT_EQ(launch.launch, 1u);
  EXPECT_THAT(launch.grid, ElementsAre(2, 1, 1));
  EXPECT_THAT(launch.block, ElementsAre(128, 1, 1));
  EXPECT_EQ(launch.shared_bytes, 64u);
  EXPECT_EQ(launch.flags, 0u);
  ASSERT_THAT(launch.arguments, SizeIs(28));
  EXPECT_EQ(launch.arguments[24] + 256 * launch.arguments[25], 256);  // n
  ASSERT_THAT(launch.allocations, SizeIs(3));
  EXPECT_THAT(launch.allocations, Each(Field(&capture::SpoolAllocation::size, 1024u)));
  EXPECT_EQ(launch.allocations[2].argument_offset, 16u);
  EXPECT_EQ(launch.allocations[2].memory, std::uint32_t{capture::SpoolAllocation::kDevice});

  const auto kernels = spool.all<capture::SpoolKernel>();
  ASSERT_THAT(kernels, SizeIs(1));
  EXPECT_EQ(kernels[0].name, "vector_add");
  EXPECT_EQ(kernels[0].kernel, launch.kernel);
  EXPECT_THAT(kernels[0].parameters,
              ElementsAre(capture::SpoolParameter{0, 8}, capture::SpoolParameter{8, 8},
                          capture::SpoolParameter{16, 8}, capture::SpoolParameter{24, 4}));
  const auto modules = spool.all<capture::SpoolModule>();
  ASSERT_THAT(modules, SizeIs(1));
  EXPECT_EQ(modules[0].module, kernels[0].module);
  const Result<MappedFile> cubin =
      MappedFile::open(BURIN_SOURCE_DIR "/examples/vector_add.sm_90.cubin");
  EXPECT_TRUE(std::equal(modules[0].cubin.begin(), modules[0].cubin.end(), cubin->bytes().begin(),
                         cubin->bytes().end()));

  const auto times = spool.times();
  ASSERT_THAT(times, SizeIs(1));
  EXPECT_EQ(times[0].correlation, launch.correlation);
  EXPECT_EQ(times[0].end_ns - times[0].start_ns, 250u);
  ASSERT_THAT(spool.all<capture::SpoolDevice>(), SizeIs(1));
  EXPECT_EQ(spool.all<capture::SpoolDevice>()[0].name, "Fake GPU");
  ASSERT_THAT(spool.all<capture::SpoolEnd>(), SizeIs(1));
  EXPECT_EQ(spool.all<capture::SpoolEnd>()[0].launches_seen, 1u);
  EXPECT_THAT(spool.all<capture::SpoolProblem>(), IsEmpty());
  EXPECT_THAT(spool.all<capture::SpoolProcess>()[0].command, testing::Contains("launch"));
}

TEST_F(RecordTest, ClustersOfExtendedLaunches) {
  const auto launches = record({"ex"}).all<capture::SpoolLaunch>();
  ASSERT_THAT(launches, SizeIs(1));
  EXPECT_THAT(launches[0].cluster, ElementsAre(2, 1, 1));
  EXPECT_THAT(launches[0].arguments, SizeIs(28));
}

TEST_F(RecordTest, ARefusedLaunchIsNone) {
  const Spool spool = record({"refused", "launch"});
  EXPECT_THAT(spool.all<capture::SpoolLaunch>(), SizeIs(1));
  EXPECT_EQ(spool.all<capture::SpoolEnd>()[0].launches_seen, 1u);
}

// Three kernels captured, launched twice: six, and none for the capture.
TEST_F(RecordTest, GraphsLaunchTheirKernels) {
  const Spool spool = record({"graph"});
  const auto launches = spool.all<capture::SpoolLaunch>();
  ASSERT_THAT(launches, SizeIs(6));
  EXPECT_THAT(launches, Each(Field(&capture::SpoolLaunch::flags, capture::SpoolLaunch::kGraph)));
  EXPECT_THAT(launches, Each(Field(&capture::SpoolLaunch::arguments, SizeIs(28))));
  EXPECT_THAT(launches, Each(Field(&capture::SpoolLaunch::allocations, SizeIs(3))));
  std::set<std::pair<std::uint32_t, std::uint64_t>> keys;
  for (const capture::SpoolLaunch& launch : launches)
    keys.emplace(launch.correlation, launch.graph_node);
  EXPECT_THAT(keys, SizeIs(6));
  for (const capture::SpoolTime& time : spool.times()) {
    EXPECT_TRUE(keys.contains({time.correlation, time.graph_node}));
  }
  EXPECT_THAT(spool.times(), SizeIs(6));
}

// CUPTI's records come when all is over, long after the node was changed.
TEST_F(RecordTest, AGraphsKernelsKeepTheirClusters) {
  const auto launches = record({"cluster_graph"}).all<capture::SpoolLaunch>();
  ASSERT_THAT(launches, SizeIs(2));
  EXPECT_EQ(launches[0].cluster, (std::array<std::uint32_t, 3>{2, 1, 1}));
  EXPECT_EQ(launches[1].cluster, (std::array<std::uint32_t, 3>{0, 0, 0}));
}

TEST_F(RecordTest, AGraphsLaunchHasTheArgumentsOfItsTime) {
  std::vector<int> counts;
  for (const capture::SpoolLaunch& launch : record({"changed_graph"}).all<capture::SpoolLaunch>()) {
    counts.push_back(launch.arguments[24] + 256 * launch.arguments[25]);
  }
  EXPECT_THAT(counts, ElementsAre(256, 256, 256, 256, 256, 256, 100, 256, 256));
}

TEST_F(RecordTest, LaunchesFromDifferentPlacesAreToldApart) {
  const Spool spool = record({"launch", "launch", "ex"});
  const auto launches = spool.all<capture::SpoolLaunch>();
  ASSERT_THAT(launches, SizeIs(3));
  EXPECT_NE(launches[0].stack, 0u);
  EXPECT_EQ(launches[0].stack, launches[1].stack);
  EXPECT_NE(launches[0].stack, launches[2].stack);
  capture::HostSymbols symbols;
  for (const capture::SpoolStack& stack : spool.all<capture::SpoolStack>()) {
    ASSERT_THAT(stack.frames, Not(IsEmpty()));
    EXPECT_THAT(stack.frames[0].object, testing::EndsWith(program_));
    std::vector<std::string> functions;
    for (const capture::SpoolFrame& frame : stack.frames) {
      functions.push_back(symbols.find(frame.object, frame.offset));
    }
    EXPECT_THAT(functions, testing::Contains("main"));
  }
  settings_.stacks = false;
  folder_ = *measure::ScratchFolder::make();
  settings_.folder = folder_->path();
  EXPECT_THAT(record({"launch"}).all<capture::SpoolStack>(), IsEmpty());
}

TEST_F(RecordTest, ManyThreads) {
  const Spool spool = record({"threads"});
  EXPECT_THAT(spool.all<capture::SpoolLaunch>(), SizeIs(400));
  EXPECT_THAT(spool.times(), SizeIs(400));
  std::set<std::uint64_t> numbers, threads;
  for (const capture::SpoolLaunch& launch : spool.all<capture::SpoolLaunch>()) {
    numbers.insert(launch.launch);
    threads.insert(launch.thread);
  }
  EXPECT_THAT(numbers, SizeIs(400));
  EXPECT_THAT(threads, SizeIs(4));
}

TEST_F(RecordTest, TheSameCubinLoadedAgainIsKeptOnce) {
  const Spool spool = record({"launch", "late", "launch"});
  EXPECT_THAT(spool.all<capture::SpoolModule>(), SizeIs(1));
  EXPECT_THAT(spool.all<capture::SpoolKernel>(), SizeIs(1));
  EXPECT_THAT(spool.all<capture::SpoolLaunch>(), SizeIs(2));
}

// The driver calls back from inside the recorder's own questions.
TEST_F(RecordTest, ModulesThatAreLoadedWhenTheyAreNeeded) {
  ::setenv("BURIN_FAKE", "lazy", 1);
  settings_.memory = {{"vector_add", 1}};
  const Spool spool = record({"launch", "late", "graph"});
  EXPECT_THAT(spool.all<capture::SpoolLaunch>(), SizeIs(7));
  ASSERT_THAT(spool.all<capture::SpoolKernel>(), SizeIs(1));
  EXPECT_EQ(spool.all<capture::SpoolKernel>()[0].module, 1u);
}

TEST_F(RecordTest, SamplesOfBothFamilies) {
  const Spool spool = record({"launch", "launch"});
  ASSERT_THAT(spool.all<capture::SpoolSampling>(), SizeIs(1));
  const capture::SpoolSampling sampling = spool.all<capture::SpoolSampling>()[0];
  EXPECT_EQ(sampling.period_cycles, 2048u);
  ASSERT_THAT(sampling.reasons, SizeIs(3));
  std::uint64_t not_issued = 0, selected = 0;
  for (const capture::SpoolSamples& batch : spool.all<capture::SpoolSamples>()) {
    for (const capture::SpoolSample& sample : batch.samples) {
      EXPECT_EQ(batch.functions.at(sample.function).name, "vector_add");
      for (const capture::SpoolStall& stall : sample.stalls) {
        (capture::stall_reason(sampling.reasons.at(stall.reason)).not_issued ? not_issued
                                                                             : selected) +=
            stall.samples;
      }
    }
  }
  EXPECT_EQ(not_issued, 4u);  // two launches, each at two instructions
  EXPECT_EQ(selected, 8u);
}

TEST_F(RecordTest, LostSamplesAreTold) {
  ::setenv("BURIN_FAKE", "dropped", 1);
  const auto problems = record({"launch"}).all<capture::SpoolProblem>();
  ASSERT_THAT(problems, SizeIs(1));
  EXPECT_EQ(problems[0].what, std::uint32_t{capture::SpoolProblem::kSamplesLost});
  EXPECT_EQ(problems[0].count, 6u);
}

TEST_F(RecordTest, NoCupti) {
  settings_.cupti = {"/proc/nowhere/libcupti.so"};
  const Spool spool = record({"launch"});
  ASSERT_THAT(spool.all<capture::SpoolProblem>(), SizeIs(1));
  EXPECT_THAT(spool.all<capture::SpoolProblem>()[0].sentence, HasSubstr("libcupti"));
  EXPECT_THAT(spool.all<capture::SpoolProcess>(), SizeIs(1));
}

TEST_F(RecordTest, AProgramWithoutCudaLeavesNothing) {
  EXPECT_THAT(record({"none"}).records, IsEmpty());
}

TEST_F(RecordTest, AFolderThatIsNotThereDoesNotHarmTheProgram) {
  settings_.folder = "/proc/nowhere/folder";
  EXPECT_THAT(record({"launch"}).records, IsEmpty());
}

// The exit status is the program's own, and what it launched before is there.
TEST_F(RecordTest, ExitStatusIsTheProgramsOwn) {
  const Spool spool = record({"launch", "seven"}, Answer::End::kFailed);
  EXPECT_THAT(spool.all<capture::SpoolLaunch>(), SizeIs(1));
  EXPECT_THAT(spool.all<capture::SpoolEnd>(), SizeIs(1));
}

TEST_F(RecordTest, KilledProgramsLeaveWhatWasSpooled) {
  const Spool spool = record({"many", "second", "killed"}, Answer::End::kFailed);
  EXPECT_THAT(spool.all<capture::SpoolLaunch>(), SizeIs(1000));
  EXPECT_THAT(spool.all<capture::SpoolEnd>(), IsEmpty());
  EXPECT_THAT(spool.all<capture::SpoolSamples>(), Not(IsEmpty()));
}

TEST_F(RecordTest, TheChildOfAForkWritesNothingIntoTheFile) {
  // The leak checker of the child prints that it cannot stop the parent's threads.
  const char* given = std::getenv("ASAN_OPTIONS");
  const std::string before = given == nullptr ? "" : given;
  ::setenv("ASAN_OPTIONS", (before + ":detect_leaks=0").c_str(), 1);
  const Spool spool = record({"launch", "fork", "launch"});
  EXPECT_THAT(spool.all<capture::SpoolProcess>(), SizeIs(1));
  EXPECT_THAT(spool.all<capture::SpoolLaunch>(), SizeIs(2));
  EXPECT_THAT(spool.all<capture::SpoolEnd>(), SizeIs(1));
  EXPECT_FALSE(spool.truncated);
  ::setenv("ASAN_OPTIONS", before.c_str(), 1);
}

TEST_F(RecordTest, OnlySomeLaunchesAreKept) {
  settings_.per_kernel = 10;
  const Spool spool = record({"many"});
  EXPECT_THAT(spool.all<capture::SpoolLaunch>(), SizeIs(10));
  EXPECT_EQ(spool.all<capture::SpoolEnd>()[0].launches_seen, 1000u);
  EXPECT_EQ(spool.all<capture::SpoolEnd>()[0].launches_kept, 10u);
}

}  // namespace
}  // namespace burin::gpu
