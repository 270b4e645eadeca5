#include "runtime/history/refinement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <thread>
#include <vector>

#include "runtime/history/wisdom.h"
#include "runtime/saxpy_rp.h"

namespace burin::runtime {
namespace {

// A GPU whose clock stands still but for the launches that the tests make.
struct FakeEvents {
  double clock_us = 0;
  bool pending = false;
  bool broken = false;
  std::map<void*, double> recorded;
  std::map<void*, std::unique_ptr<int>> events;
};
FakeEvents fake_events;

CudaApi event_api() {
  fake_events = {};
  CudaApi api;
  api.create_event = []() -> void* {
    auto event = std::make_unique<int>();
    int* const address = event.get();
    fake_events.events.emplace(address, std::move(event));
    return address;
  };
  api.destroy_event = [](void* event) { fake_events.events.erase(event); };
  api.record_event = [](void* event, void*) {
    fake_events.recorded[event] = fake_events.clock_us;
    return !fake_events.broken;
  };
  api.elapsed = [](void* start, void* stop, double& us) {
    us = fake_events.recorded[stop] - fake_events.recorded[start];
    return fake_events.pending ? CudaApi::EventState::kPending : CudaApi::EventState::kReady;
  };
  return api;
}

const LaunchShape kShapes[] = {
    {{8, 1, 1}, {128, 1, 1}, 0}, {{16, 1, 1}, {64, 1, 1}, 0}, {{4, 1, 1}, {256, 1, 1}, 0}};

std::uint32_t launch_with(Refinement& refinement) {
  LaunchShape shape;
  const bool timed = refinement.begin(shape);
  if (timed) refinement.start(nullptr);
  fake_events.clock_us += shape.block[0] == 64 ? 10 : 20;
  if (timed) refinement.stop(nullptr);
  return shape.block[0];
}

TEST(Refinement, TheFastestWins) {
  const CudaApi api = event_api();
  Refinement refinement(kShapes, api);
  Refinement::Result result;
  std::map<std::uint32_t, int> launches;
  int count = 0;
  while (!refinement.take_winner(result) && ++count < 100) ++launches[launch_with(refinement)];
  EXPECT_EQ(result.shape, kShapes[1]);
  EXPECT_EQ(result.time_us, 10);
  EXPECT_EQ(result.last_us, 20);
  EXPECT_EQ(launches[256], static_cast<int>(Refinement::kRounds));
  EXPECT_EQ(launch_with(refinement), 64u);
  EXPECT_FALSE(refinement.take_winner(result)) << "only once";
  EXPECT_THAT(fake_events.events, testing::IsEmpty()) << "events that nobody needs any more";
}

// One round in which the first shape is as fast is enough to keep it.
TEST(Refinement, NoiseChangesNothing) {
  const CudaApi api = event_api();
  Refinement refinement(kShapes, api);
  Refinement::Result result;
  int count = 0;
  for (; !refinement.take_winner(result) && count < 100; ++count) {
    LaunchShape shape;
    const bool timed = refinement.begin(shape);
    if (timed) refinement.start(nullptr);
    const bool first = shape == kShapes[0];
    fake_events.clock_us += first && count >= 3 ? 20 : first ? 9 : 10;
    if (timed) refinement.stop(nullptr);
  }
  EXPECT_LT(count, 100);
  EXPECT_EQ(result.shape, kShapes[0]);
}

// A program that queues launches faster than the GPU runs them: all shapes are queued in turn, then
// the first is used until the times are there.
TEST(Refinement, NothingWaitsForTheGpu) {
  const CudaApi api = event_api();
  Refinement refinement(kShapes, api);
  Refinement::Result result;
  fake_events.pending = true;
  for (std::uint32_t round = 0; round < Refinement::kRounds; ++round) {
    for (const LaunchShape& shape : kShapes) EXPECT_EQ(launch_with(refinement), shape.block[0]);
  }
  for (int i = 0; i < 10; ++i) EXPECT_EQ(launch_with(refinement), 128u);
  EXPECT_FALSE(refinement.take_winner(result));
  fake_events.pending = false;
  EXPECT_EQ(launch_with(refinement), 64u);
  ASSERT_TRUE(refinement.take_winner(result));
  EXPECT_EQ(result.shape, kShapes[1]);
}

TEST(Refinement, AFailureEndsIt) {
  const CudaApi api = event_api();
  Refinement refinement(kShapes, api);
  fake_events.broken = true;
  Refinement::Result result;
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(launch_with(refinement), 128u);
    EXPECT_FALSE(refinement.take_winner(result));
  }
}

TEST(Wisdom, IsSharedBetweenRuns) {
  const RpFolder folder;
  const std::string path = folder.path() + "/wisdom";
  Wisdom first(path);
  Wisdom second(path);
  ASSERT_TRUE(first.add(1, {{64, 1, 1}, 10, 20, "saxpy NVIDIA H200"}).ok());
  ASSERT_TRUE(second.add(2, {{32, 4, 1}, 5, 6, "blur NVIDIA H200"}).ok());
  Wisdom third(path);
  Extent block;
  ASSERT_TRUE(third.find(1, block));
  EXPECT_EQ(block, (Extent{64, 1, 1}));
  ASSERT_TRUE(third.find(2, block));
  EXPECT_EQ(block, (Extent{32, 4, 1}));
  EXPECT_FALSE(third.find(3, block));
  EXPECT_THAT(read_text(path),
              testing::HasSubstr("0000000000000001 64 1 1 10.000 20.000 saxpy NVIDIA H200\n"));
}

TEST(Wisdom, ManyWritersLoseNothing) {
  const RpFolder folder;
  const std::string path = folder.path() + "/wisdom";
  std::vector<std::thread> threads;
  for (std::uint64_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      Wisdom wisdom(path);
      for (std::uint64_t i = 0; i < 10; ++i) {
        EXPECT_TRUE(wisdom.add(100 * t + i, {{32, 1, 1}, 1, 1, "k"}).ok());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const Wisdom all(path);
  Extent block;
  for (std::uint64_t t = 0; t < 4; ++t) {
    for (std::uint64_t i = 0; i < 10; ++i) EXPECT_TRUE(all.find(100 * t + i, block));
  }
}

TEST(Wisdom, DamagedFilesAreReadAsFarAsTheyMakeSense) {
  const RpFolder folder;
  const std::string path = folder.path() + "/wisdom";
  write_text(path,
             "burin-wisdom 1\nnonsense\n0000000000000007 64 1\n"
             "0000000000000008 0 1 1 1 1 k\n0000000000000009 16 2 1 1.5 2 k\n");
  const Wisdom wisdom(path);
  Extent block;
  EXPECT_FALSE(wisdom.find(7, block));
  EXPECT_FALSE(wisdom.find(8, block));
  EXPECT_TRUE(wisdom.find(9, block));
  write_text(path, "burin-wisdom 2\n0000000000000009 16 2 1 1.5 2 k\n");
  EXPECT_FALSE(Wisdom(path).find(9, block));
  EXPECT_FALSE(Wisdom("/no/such/folder/wisdom").add(1, {{1, 1, 1}, 0, 0, ""}).ok());
}

}  // namespace
}  // namespace burin::runtime
