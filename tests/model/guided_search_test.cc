// The guided search on made-up kernels, whose times follow from a formula: nothing is compiled.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <set>

#include "model/guided/search.h"
#include "tune/space/build_space.h"

namespace burin::model {
namespace {

using machine::Resource;
using testing::HasSubstr;

formula::Value whole(std::int64_t value) {
  return formula::Value{value};
}

tune::Parameter numbers(const std::string& name, std::initializer_list<std::int64_t> values) {
  tune::Parameter parameter{.name = name, .values = {}};
  for (const std::int64_t value : values) parameter.values.push_back(whole(value));
  return parameter;
}

tune::Space space_with(std::vector<tune::Parameter> parameters, const char* restriction = "True") {
  const std::vector<formula::Expression> restrictions = {*formula::Expression::parse(restriction)};
  Result<tune::Space> space = tune::build_space(std::move(parameters), restrictions);
  EXPECT_TRUE(space);
  return *space;
}

// The value of a parameter at a point.
double value_of(const tune::Space& space, const tune::Point& point, const std::string& name) {
  for (std::size_t p = 0; p < space.dimensions(); ++p) {
    if (space.parameters()[p].name == name) return *formula::number(space.value(point, p));
  }
  ADD_FAILURE() << name;
  return 0;
}

class MadeUp : public Examiner {
 public:
  using Kernel = std::function<Examined(const tune::Point&)>;
  explicit MadeUp(Kernel kernel) : kernel_(std::move(kernel)) {}

  Result<std::vector<Examined>> examine(std::span<const tune::Point> points) override {
    ++calls;
    std::vector<Examined> examined;
    for (const tune::Point& point : points) {
      EXPECT_TRUE(asked_.insert(point).second) << "examined twice";
      if (refuses) return Error{"no compiler"};
      examined.push_back(kernel_(point));
    }
    return examined;
  }
  std::size_t asked() const { return asked_.size(); }
  bool refuses = false;
  std::size_t calls = 0;

 private:
  Kernel kernel_;
  std::set<tune::Point> asked_;
};

Examined made_up(double time_us, Resource resource, double demand_us) {
  Examined e;
  e.time_us = time_us;
  e.demand_us[static_cast<std::size_t>(resource)] = demand_us;
  e.waits_for = resource;
  e.chain_us = demand_us / 4;
  e.warps = 64;
  e.threads = 256;
  e.registers = 32;
  return e;
}

TEST(Examined, ABusyResourceIsAThroughputBottleneck) {
  const Examined busy = made_up(100, Resource::kDram, 95);
  EXPECT_EQ(busy.bottleneck(), (Bottleneck{Resource::kDram, false}));
  const Examined idle = made_up(100, Resource::kDram, 40);
  EXPECT_EQ(idle.bottleneck(), (Bottleneck{Resource::kDram, true}));
  EXPECT_DOUBLE_EQ(idle.utilization(Resource::kDram), 0.4);
}

TEST(Examined, WhatIsNeverBusyIsNoBottleneck) {
  Examined e = made_up(100, Resource::kShared, 40);
  e.waits_for = Resource::kBarrier;
  EXPECT_EQ(e.bottleneck(), (Bottleneck{Resource::kShared, true}));
}

// 64 warps keep DRAM busy for 95 µs, and one alone would take 23.75 µs: 16 warps are enough.
TEST(Examined, WarpsThatHideTheLatency) {
  EXPECT_DOUBLE_EQ(made_up(100, Resource::kDram, 95).warps_needed(), 16);
  Examined long_chain = made_up(100, Resource::kDram, 95);
  long_chain.chain_us = 99;
  EXPECT_DOUBLE_EQ(long_chain.warps_needed(), 64);
}

TEST(GuidedAxes, TunablesByWhatTheyAre) {
  tune::Parameter text{.name = "layout", .values = {std::string("NHWC"), std::string("NCHW")}};
  tune::Parameter flag{.name = "flag", .values = {false, true}};
  const tune::Space space =
      space_with({numbers("bx", {32, 64}), numbers("coarsen_thread_x", {1, 2}),
                  numbers("unroll@12", {0, 2, 4}), numbers("tile", {4, 1, 2}),
                  numbers("use_shared", {0, 1}), numbers("fixed", {7}), text, flag});
  const std::vector<Axis> axes = axes_of(space, {"bx"});
  std::vector<AxisKind> kinds;
  for (const Axis& axis : axes) kinds.push_back(axis.kind);
  EXPECT_THAT(kinds, testing::ElementsAre(AxisKind::kBlock, AxisKind::kCoarsen, AxisKind::kUnroll,
                                          AxisKind::kNumber, AxisKind::kSwitch, AxisKind::kSwitch,
                                          AxisKind::kSwitch));
  // In the order of the numbers, not of the list.
  EXPECT_THAT(axes[3].ascending, testing::ElementsAre(1, 2, 0));
}

TEST(GuidedAxes, AMoveStepsOverWhatIsNotValid) {
  const tune::Space space =
      space_with({numbers("tile", {1, 2, 4, 8, 16})}, "tile != 2 and tile != 16");
  const Axis axis = axes_of(space, {}).front();
  const tune::Point start = {0};
  EXPECT_EQ(axis.next(space, start), (tune::Point{2}));
  EXPECT_EQ(axis.at_least(space, start, 5), (tune::Point{3}));
  EXPECT_EQ(axis.at_least(space, start, 10), std::nullopt);
  EXPECT_EQ(axis.at_least(space, start, 10, true), (tune::Point{3}));
}

TEST(GuidedAxes, StartsAtAPlainKernel) {
  const tune::Space space =
      space_with({numbers("bx", {8, 16, 32, 64, 128}), numbers("by", {1, 2, 4, 8, 16}),
                  numbers("tile", {4, 2, 1}), numbers("use_shared", {0, 1})});
  const tune::Point start = plain_point(space, axes_of(space, {"bx", "by"}));
  EXPECT_EQ(tune::describe(space, start), "bx=32, by=8, tile=1, use_shared=0");
}

// DRAM is busy for a quarter of the time, for half of it with tile 2: tile 4 fills it. Anything
// larger would be slower, and `other` changes nothing.
TEST(GuidedSearch, LatencyIsHiddenByTheLeastFactorThatFillsTheResource) {
  const tune::Space space =
      space_with({numbers("tile", {1, 2, 4, 8, 16}), numbers("other", {1, 2, 4})});
  MadeUp kernel([&](const tune::Point& point) {
    const double tile = value_of(space, point, "tile");
    return made_up(tile <= 4 ? 100 / tile : 25 * tile, Resource::kDram, 25);
  });
  const Result<Guided> found =
      guided_search(space, axes_of(space, {}), kernel, {.start = tune::Point{0, 0}});
  ASSERT_TRUE(found);
  ASSERT_GE(found->path.size(), 2u);
  const GuidedMove& move = found->path[1];
  EXPECT_THAT(move.text, HasSubstr("dram latency limits it at 256 threads, 64 warps on an SM (busy "
                                   "25 %): tile 1 → 4 (busy 100 %), 25.0 µs"));
  EXPECT_EQ(value_of(space, found->trials[move.trial].point, "tile"), 4);
  EXPECT_EQ(move.trial, 3u);  // the start, a unit stride along each axis, and the move
}

// A stride may make the bottleneck busier by adding work: that is no concurrency.
TEST(GuidedSearch, MoreWorkIsNotMoreConcurrency) {
  const tune::Space space = space_with({numbers("scatter", {1, 2, 4}), numbers("tile", {1, 2})});
  MadeUp kernel([&](const tune::Point& point) {
    const double scatter = value_of(space, point, "scatter");
    const double tile = value_of(space, point, "tile");
    return made_up(50 + 50 * scatter - 5 * tile, Resource::kL1, 20 + 40 * (scatter - 1));
  });
  const Result<Guided> found =
      guided_search(space, axes_of(space, {}), kernel, {.start = tune::Point{0, 0}});
  ASSERT_TRUE(found);
  EXPECT_THAT(found->path[1].text, HasSubstr("tile 1 → 2"));
}

// Shared memory is always busy. Tiles halve its traffic and cost occupancy; 16 warps are enough.
TEST(GuidedSearch, ThroughputIsRelievedAsFarAsOccupancyMayFall) {
  const tune::Space space = space_with({numbers("tile", {1, 2, 4, 8}), numbers("other", {1, 2})});
  MadeUp kernel([&](const tune::Point& point) {
    const double tile = value_of(space, point, "tile");
    Examined e = made_up(100 / tile, Resource::kShared, 99 / tile);
    e.warps = static_cast<std::uint32_t>(64 / tile);
    e.registers = static_cast<std::uint32_t>(32 * tile);
    if (e.warps < 16) e.time_us = 400;  // latency shows
    return e;
  });
  const Result<Guided> found = guided_search(space, axes_of(space, {}), kernel,
                                             {.start = tune::Point{0, 0}, .following = 1});
  ASSERT_TRUE(found);
  EXPECT_THAT(
      found->path[1].text,
      HasSubstr("shared throughput limits it at 256 threads, 64 warps on an SM (busy 99 %), "
                "and 16 warps would do: tile 1 → 4"));
  EXPECT_EQ(value_of(space, found->best()->point, "tile"), 4);
}

// The optimum is where the bottleneck does not lead: the best configuration seen is what counts.
TEST(GuidedSearch, KeepsTheBestThatItHasSeen) {
  const tune::Space space =
      space_with({numbers("tile", {1, 2, 4, 8, 16, 32}), numbers("bx", {32, 64, 128, 256}),
                  numbers("flag", {0, 1})});
  const auto time = [&](const tune::Point& point) {
    const double tile = value_of(space, point, "tile");
    const double bx = value_of(space, point, "bx");
    return 100 + 10 * std::abs(std::log2(tile / 8)) + 7 * std::abs(std::log2(bx / 64)) -
           30 * value_of(space, point, "flag");
  };
  MadeUp kernel([&](const tune::Point& p) { return made_up(time(p), Resource::kFma, 50); });
  const Result<Guided> found = guided_search(space, axes_of(space, {"bx"}), kernel, {.most = 30});
  ASSERT_TRUE(found);
  EXPECT_EQ(tune::describe(space, found->best()->point), "tile=8, bx=64, flag=1");
  double least = 1e300;
  for (const GuidedTrial& trial : found->trials) least = std::min(least, trial.examined.time_us);
  EXPECT_EQ(found->best()->examined.time_us, least);
  EXPECT_EQ(found->ranked().front(), found->best());
  EXPECT_THAT(found->path.back().text, HasSubstr("the best of 30 is tile=8, bx=64, flag=1"));
}

// At the plain start one plane is computed per block, where the queue is not allowed.
TEST(GuidedSearch, TriesASwitchThatTheStartExcludes) {
  const tune::Space space = space_with(
      {numbers("planes", {1, 2, 4, 8}), numbers("bx", {64, 128, 256}), numbers("queue", {0, 1})},
      "queue == 0 or planes > 1");
  const auto time = [&](const tune::Point& point) {
    return 200 - 2 * value_of(space, point, "planes") - 100 * value_of(space, point, "queue");
  };
  MadeUp kernel([&](const tune::Point& p) { return made_up(time(p), Resource::kDram, 40); });
  const Result<Guided> found =
      guided_search(space, axes_of(space, {"bx"}), kernel, {.most = 20, .following = 0.5});
  ASSERT_TRUE(found);
  const bool tried = std::ranges::any_of(found->path, [](const GuidedMove& move) {
    return move.text.find("queue 0 → 1 is faster") != std::string::npos;
  });
  EXPECT_TRUE(tried);
}

// The emulator alone would take a=8; the closed form knows better.
TEST(GuidedSearch, BothModelsDecide) {
  Examined e = made_up(90, Resource::kFma, 50);
  EXPECT_EQ(e.expected_us(), 90);
  e.estimate_us = 40;
  EXPECT_DOUBLE_EQ(e.expected_us(), 60);
  const tune::Space space = space_with({numbers("a", {1, 2, 4, 8}), numbers("b", {1, 2, 4})});
  MadeUp kernel([&](const tune::Point& p) {
    Examined examined = made_up(100.0 - 5 * p[0], Resource::kFma, 50);
    examined.estimate_us = p[0] == 3 ? 200 : 100;
    return examined;
  });
  const Result<Guided> found = guided_search(space, axes_of(space, {}), kernel, {});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->best()->point[0], 2);
  EXPECT_EQ(found->ranked().front(), found->best());
}

// Configurations that do not wait for each other's predictions come together.
TEST(GuidedSearch, AsksForSeveralAtOnce) {
  const tune::Space space =
      space_with({numbers("a", {1, 2, 4, 8, 16}), numbers("b", {1, 2, 4, 8, 16}),
                  numbers("c", {1, 2, 4, 8, 16})});
  MadeUp kernel([&](const tune::Point& p) {
    return made_up(100.0 - p[0] - 2 * p[1] - p[2], Resource::kL2, 30);
  });
  const Result<Guided> found = guided_search(space, axes_of(space, {}), kernel, {.most = 60});
  ASSERT_TRUE(found);
  EXPECT_EQ(kernel.asked(), 60u);
  EXPECT_LE(kernel.calls, 30u);
}

TEST(GuidedSearch, CompilesNoMoreThanItMay) {
  const tune::Space space =
      space_with({numbers("a", {1, 2, 4, 8, 16}), numbers("b", {1, 2, 4, 8, 16}),
                  numbers("c", {1, 2, 4, 8, 16})});
  for (const std::size_t most : {1u, 5u, 60u}) {
    MadeUp kernel([&](const tune::Point& p) {
      return made_up(100.0 - p[0] - 2 * p[1] - p[2], Resource::kL2, 30);
    });
    const Result<Guided> found = guided_search(space, axes_of(space, {}), kernel, {.most = most});
    ASSERT_TRUE(found);
    EXPECT_EQ(kernel.asked(), most);
    EXPECT_EQ(found->trials.size(), most);
  }
}

TEST(GuidedSearch, ASmallSpaceIsExhausted) {
  const tune::Space space = space_with({numbers("a", {1, 2, 4}), numbers("b", {0, 1})});
  MadeUp kernel([&](const tune::Point& p) { return made_up(10.0 + p[0], Resource::kAlu, 5); });
  const Result<Guided> found = guided_search(space, axes_of(space, {}), kernel, {});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->trials.size(), 6u);
}

TEST(GuidedSearch, GoesOnWhereConfigurationsFail) {
  const tune::Space space =
      space_with({numbers("a", {1, 2, 4, 8, 16, 32}), numbers("b", {1, 2, 4})});
  MadeUp kernel([&](const tune::Point& p) {
    if (p[0] < 3) {
      Examined e;
      e.failure = "too much shared memory";
      return e;
    }
    return made_up(10.0 + p[0], Resource::kAlu, 5);
  });
  const Result<Guided> found =
      guided_search(space, axes_of(space, {}), kernel, {.start = tune::Point{0, 0}});
  ASSERT_TRUE(found);
  ASSERT_NE(found->best(), nullptr);
  EXPECT_EQ(found->best()->point[0], 3);

  MadeUp hopeless([&](const tune::Point&) {
    Examined e;
    e.failure = "does not compile";
    return e;
  });
  const Result<Guided> nothing = guided_search(space, axes_of(space, {}), hopeless, {.most = 5});
  ASSERT_TRUE(nothing);
  EXPECT_EQ(nothing->best(), nullptr);
  EXPECT_TRUE(nothing->ranked().empty());
}

TEST(GuidedSearch, EndsIfNothingCanBeExamined) {
  const tune::Space space = space_with({numbers("a", {1, 2, 4})});
  MadeUp kernel([](const tune::Point&) { return Examined{}; });
  kernel.refuses = true;
  const Result<Guided> found = guided_search(space, axes_of(space, {}), kernel, {});
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().message, "no compiler");
}

TEST(GuidedSearch, TakesTheSameWayEachTime) {
  const tune::Space space =
      space_with({numbers("a", {1, 2, 4, 8, 16, 32}), numbers("b", {1, 2, 4, 8, 16, 32}),
                  numbers("c", {0, 1, 2})});
  const auto points = [&] {
    MadeUp kernel([&](const tune::Point& p) {
      return made_up(100 + std::sin(7.0 * p[0] + 3.0 * p[1]) * 20 + 5 * p[2], Resource::kXu, 60);
    });
    const Result<Guided> found = guided_search(space, axes_of(space, {}), kernel, {.most = 25});
    std::vector<tune::Point> asked;
    for (const GuidedTrial& trial : found->trials) asked.push_back(trial.point);
    return asked;
  };
  EXPECT_EQ(points(), points());
}

}  // namespace
}  // namespace burin::model
