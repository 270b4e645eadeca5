// Are a kernel's mistakes found and told with the right line, block and thread?
#include "emulate/values/fault.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emulate/launched.h"

namespace burin::emulate {
namespace {

using testing::HasSubstr;

// Reports are the same whatever the order in which workers come to a mistake.
TEST(FaultList, KeepsTheLowestBlockAndCountsTheRest) {
  FaultList list;
  list.add({.instruction = 7, .block = {5, 1, 0}, .detail = ""});
  list.add({.instruction = 7, .block = {9, 0, 0}, .thread = {3, 0, 0}, .detail = "", .count = 4});
  list.add({.instruction = 7, .block = {9, 0, 0}, .thread = {1, 0, 0}, .detail = ""});
  EXPECT_TRUE(list.repeat(Fault::Kind::kOutOfBounds, 7, {9, 0, 0}, 2));
  EXPECT_TRUE(list.repeat(Fault::Kind::kOutOfBounds, 7, {0, 1, 0}, 1));
  EXPECT_FALSE(list.repeat(Fault::Kind::kOutOfBounds, 7, {8, 0, 0}, 1)) << "a lower block";
  EXPECT_FALSE(list.repeat(Fault::Kind::kMisaligned, 7, {9, 0, 0}, 1)) << "another kind";
  list.add({.kind = Fault::Kind::kMisaligned, .instruction = 7, .detail = ""});
  list.add({.instruction = 2, .detail = ""});
  const std::vector<Fault> faults = list.take();
  ASSERT_EQ(faults.size(), 3u);
  EXPECT_EQ(faults[0].instruction, 2u);
  EXPECT_EQ(faults[1].kind, Fault::Kind::kOutOfBounds);
  EXPECT_EQ(faults[1].block, (launch::Dims{9, 0, 0}));
  EXPECT_EQ(faults[1].thread, (launch::Dims{3, 0, 0}));
  EXPECT_EQ(faults[1].count, 9u);
  EXPECT_EQ(faults[2].kind, Fault::Kind::kMisaligned);
}

Launched launch(const std::string& name, launch::Dims block, std::vector<std::string> arguments) {
  return Launched("fault", name, {.block = block, .arguments = std::move(arguments)});
}

TEST(Faults, AStoreOutsideNamesItsThread) {
  const Launched run("fault", "outside",
                     {.grid = {3}, .block = {8, 4}, .arguments = {"buf:128:zero"}});
  ASSERT_EQ(run.error(), "");
  ASSERT_EQ(run.run().faults.size(), 1u);
  const Fault& fault = run.run().faults[0];
  EXPECT_EQ(fault.kind, Fault::Kind::kOutOfBounds);
  EXPECT_EQ(fault.block, (launch::Dims{2, 0, 0}));
  EXPECT_EQ(fault.thread, (launch::Dims{7, 3, 0}));
  EXPECT_EQ(fault.address, run.run().buffers[0] + 128);
  EXPECT_EQ(fault.bytes, 4u);
  EXPECT_EQ(fault.count, 1u);
  EXPECT_THAT(fault.detail, HasSubstr("end of argument 0 (128 bytes)"));
  EXPECT_EQ(run.line_of(fault.instruction), run.line("blockIdx.x == 2 ? 1 : 0"));
  EXPECT_EQ(run.word(0, 31), 30u) << "the other lanes' stores are done";
}

TEST(Faults, AMisalignedLoadHarmsItsLaneOnly) {
  const Launched run = launch("misaligned", {32}, {"buf:128:int:1000", "buf:128:zero"});
  ASSERT_EQ(run.error(), "");
  ASSERT_EQ(run.run().faults.size(), 1u);
  const Fault& fault = run.run().faults[0];
  EXPECT_EQ(fault.kind, Fault::Kind::kMisaligned);
  EXPECT_EQ(fault.thread, (launch::Dims{5, 0, 0}));
  EXPECT_EQ(fault.address, run.run().buffers[0] + 22);
  EXPECT_EQ(fault.count, 1u);
  for (std::uint32_t i = 0; i < 32; ++i) {
    EXPECT_EQ(run.word(1, i), i == 5 ? Word{} : run.given(0)[i]) << "lane " << i;
  }
}

TEST(Faults, MemoryNobodyWroteIsReported) {
  const Launched run = launch("uninitialised", {32}, {"buf:128:undef", "buf:128:zero"});
  ASSERT_EQ(run.error(), "");
  ASSERT_EQ(run.run().faults.size(), 1u);
  EXPECT_EQ(run.run().faults[0].kind, Fault::Kind::kUninitialised);
  EXPECT_EQ(run.run().faults[0].thread, (launch::Dims{0, 0, 0}));
  EXPECT_EQ(run.run().faults[0].count, 32u);
  EXPECT_EQ(run.words(1, 0, 32), Words(32));
  EXPECT_TRUE(launch("uninitialised", {32}, {"buf:128", "buf:128:zero"}).run().faults.empty())
      << "not told is not undefined";
}

TEST(Faults, SharedMemoryNobodyWroteIsReported) {
  const Launched run = launch("stale", {64}, {"buf:256:zero"});
  ASSERT_EQ(run.error(), "");
  const Fault* fault = run.fault(Fault::Kind::kUninitialised);
  ASSERT_NE(fault, nullptr);
  EXPECT_GE(fault->thread.x, 20u);
  EXPECT_EQ(fault->count, 44u);
  EXPECT_EQ(run.word(0, 19), 19u);
  EXPECT_EQ(run.run().faults.size(), 1u);
}

TEST(Faults, ARaceNamesBothSides) {
  const Launched run = launch("races", {64}, {"buf:256:zero"});
  ASSERT_EQ(run.error(), "");
  const Fault* fault = run.fault(Fault::Kind::kRace);
  ASSERT_NE(fault, nullptr);
  EXPECT_THAT(fault->detail, HasSubstr("fault.cu:"));
  EXPECT_THAT(fault->detail, HasSubstr("with no barrier between"));
}

TEST(Faults, ACopyThatNobodyWaitsForIsReported) {
  const auto copies = [](const char* waits) {
    return launch("copies", {64}, {"buf:256:perm", "buf:256:zero", waits});
  };
  const Launched never = copies("i32:0");
  const Fault* fault = never.fault(Fault::Kind::kRace);
  ASSERT_NE(fault, nullptr);
  EXPECT_EQ(fault->count, 64u);
  EXPECT_THAT(fault->detail, HasSubstr("has not waited for the copy"));
  EXPECT_TRUE(copies("i32:1").run().faults.empty());
  EXPECT_NE(copies("i32:2").fault(Fault::Kind::kRace), nullptr) << "the last group is still out";
}

TEST(Faults, AnAtomicDoesNotHideItsWarpsPlainWrite) {
  const Launched run = launch("hidden", {64}, {"buf:256:zero"});
  const Fault* fault = run.fault(Fault::Kind::kRace);
  ASSERT_NE(fault, nullptr);
  EXPECT_THAT(fault->detail, HasSubstr("wrote it"));
  EXPECT_TRUE(launch("hidden", {32}, {"buf:256:zero"}).run().faults.empty());
}

TEST(Faults, SharedMemoryStartsBehindWhatTheSystemReserves) {
  const auto before = [](const char* at) { return launch("before", {64}, {"buf:256:zero", at}); };
  EXPECT_TRUE(before("i32:0").run().faults.empty());
  const Launched run = before("i32:-1");
  const Fault* fault = run.fault(Fault::Kind::kOutOfBounds);
  ASSERT_NE(fault, nullptr);
  EXPECT_EQ(fault->count, 1u);
  EXPECT_THAT(fault->detail,
              HasSubstr("4 bytes before the start of the block's shared memory (256 bytes)"));
  const Launched after = before("i32:2");
  ASSERT_NE(after.fault(Fault::Kind::kOutOfBounds), nullptr);
  EXPECT_THAT(after.fault(Fault::Kind::kOutOfBounds)->detail,
              HasSubstr("just past the end of the block's shared memory (256 bytes)"));
}

TEST(Faults, SharedMemoryIsWatchedOnlyWhereAsked) {
  Launched::Shape shape{.block = {64}, .arguments = {"buf:256:zero"}};
  shape.options.check_shared = false;
  EXPECT_TRUE(Launched("fault", "races", shape).run().faults.empty());
  EXPECT_TRUE(Launched("fault", "stale", shape).run().faults.empty());
}

TEST(Faults, AnOwnArrayThatWasNotFilledIsReported) {
  const Launched run = launch("stack", {32}, {"buf:128:zero", "i32:3"});
  ASSERT_EQ(run.error(), "");
  const Fault* fault = run.fault(Fault::Kind::kUninitialised);
  ASSERT_NE(fault, nullptr);
  EXPECT_EQ(fault->thread, (launch::Dims{0, 0, 0})) << "word 0; words 3 to 10 are filled";
  EXPECT_EQ(fault->count, 24u);
  EXPECT_EQ(run.word(0, 1), 2u) << "word 5";
  EXPECT_EQ(run.word(0, 2), 7u) << "word 10";
}

TEST(Faults, AKernelMayStopItself) {
  EXPECT_EQ(launch("traps", {32}, {"buf:128:int:3", "buf:128:zero"}).error(), "");
  EXPECT_EQ(launch("traps", {32}, {"buf:128:int:4", "buf:128:zero"}).error(),
            "the kernel executed a trap at offset 0x80, fault.cu:30");
}

TEST(Faults, AreTheSameForAnyNumberOfWorkers) {
  for (const unsigned threads : {1u, 2u}) {
    Launched::Shape shape{.grid = {16}, .block = {64}, .arguments = {"buf:256:zero"}};
    shape.options.threads = threads;
    const Launched run("fault", "stale", shape);
    ASSERT_EQ(run.run().faults.size(), 1u);
    EXPECT_EQ(run.run().faults[0].block, (launch::Dims{0, 0, 0}));
    EXPECT_EQ(run.run().faults[0].count, 16u * 44);
  }
}

}  // namespace
}  // namespace burin::emulate
