// What holds for every strategy, on small spaces.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "base/hash.h"
#include "tune/search/strategy.h"
#include "tune/search_spaces.h"

namespace burin::tune {
namespace {

using testing::HasSubstr;
using Objective = std::function<double(const Point&)>;

constexpr double kFailure = std::numeric_limits<double>::infinity();

std::vector<Parameter> small_parameters() {
  return {whole_numbers("block", {16, 32, 48, 64, 96, 128}), whole_numbers("tile", {1, 2, 3, 4}),
          Parameter{"layout", {std::string("row"), std::string("column"), std::string("tiled")}},
          Parameter{"unroll", {false, true}}, whole_numbers("fixed", {7})};
}

// Blocks times tiles must not exceed 256: 126 of 144 points.
Space small_space() {
  const std::vector<Parameter> parameters = small_parameters();
  const auto value = [&](std::size_t p, std::size_t v) {
    return std::get<std::int64_t>(parameters[p].values[v]);
  };
  std::vector<Point> points;
  for (std::uint16_t block = 0; block < 6; ++block) {
    for (std::uint16_t tile = 0; tile < 4; ++tile) {
      if (value(0, block) * value(1, tile) > 256) continue;
      for (std::uint16_t layout = 0; layout < 3; ++layout) {
        for (std::uint16_t unroll = 0; unroll < 2; ++unroll) {
          points.push_back({block, tile, layout, unroll, 0});
        }
      }
    }
  }
  return Space::of_points(parameters, points);
}

// Best at block 64, tile 3, layout "column", unrolled: 100. Every parameter helps by itself.
double easy(const Point& point) {
  const double block = std::abs(static_cast<double>(point[0]) - 3);
  const double tile = std::abs(static_cast<double>(point[1]) - 2);
  return 100 *
         (1 + 0.3 * block + 0.5 * tile + (point[2] == 1 ? 0 : 0.4) + (point[3] == 1 ? 0 : 0.2));
}

struct Asked {
  std::vector<Point> points;
  std::size_t best_at = 0;  // trials until the best
};

// Asks for everything, with up to `ahead` points open, and checks the contract on the way.
Asked exhaust(const std::string& name, const Space& space, SearchOptions options,
              const Objective& objective, std::size_t limit = 1'000'000) {
  Result<std::unique_ptr<Strategy>> strategy = make_strategy(name, space, options);
  EXPECT_TRUE(strategy.ok());
  Asked asked;
  std::set<Point> seen;
  std::deque<Point> open;
  double best = kFailure;
  while (asked.points.size() < limit) {
    while (open.size() < options.ahead) {
      std::optional<Point> point = (*strategy)->ask();
      if (!point) break;
      EXPECT_TRUE(space.contains(*point));
      EXPECT_TRUE(seen.insert(*point).second) << describe(space, *point) << " a second time";
      open.push_back(*point);
    }
    if (open.empty()) break;  // nothing is open, and still it does not ask: it must be finished
    const double value = objective(open.front());
    (*strategy)->tell(open.front(), value, 0.5);
    asked.points.push_back(open.front());
    if (value < best) {
      best = value;
      asked.best_at = asked.points.size();
    }
    open.pop_front();
  }
  if (asked.points.size() < limit) {
    EXPECT_TRUE((*strategy)->finished());
    EXPECT_EQ((*strategy)->ask(), std::nullopt);
  }
  return asked;
}

class EveryStrategy : public testing::TestWithParam<std::string> {};

TEST_P(EveryStrategy, ExhaustsTheSpaceWithoutRepeats) {
  const Space space = small_space();
  EXPECT_EQ(exhaust(GetParam(), space, {.seed = 1}, easy).points.size(), space.size());
}

TEST_P(EveryStrategy, AsksForTheSamePointsBySeed) {
  const Space space = small_space();
  const std::vector<Point> points = exhaust(GetParam(), space, {.seed = 5}, easy).points;
  EXPECT_EQ(points, exhaust(GetParam(), space, {.seed = 5}, easy).points);
  if (GetParam() != "exhaustive") {
    EXPECT_NE(points, exhaust(GetParam(), space, {.seed = 6}, easy).points);
  }
}

TEST_P(EveryStrategy, KeepsSeveralPointsOpen) {
  const Space space = small_space();
  const SearchOptions options{.seed = 2, .ahead = 4};
  const std::vector<Point> points = exhaust(GetParam(), space, options, easy).points;
  EXPECT_EQ(points.size(), space.size());
  EXPECT_EQ(points, exhaust(GetParam(), space, options, easy).points);
}

TEST_P(EveryStrategy, TriesTheGivenPointsFirst) {
  const Space space = small_space();
  const std::vector<Point> first{{5, 0, 2, 1, 0}, {0, 3, 0, 0, 0}, {2, 2, 1, 1, 0}};
  std::vector<Point> given = first;
  given.insert(given.begin() + 1, {5, 3, 0, 0, 0});  // not valid
  given.push_back(first[0]);                         // again
  for (const std::size_t ahead : {1, 4}) {
    const Asked asked =
        exhaust(GetParam(), space, {.seed = 3, .ahead = ahead, .first = given}, easy);
    ASSERT_EQ(asked.points.size(), space.size());
    EXPECT_EQ(std::vector<Point>(asked.points.begin(), asked.points.begin() + 3), first);
  }
}

TEST_P(EveryStrategy, GetsByWithFailures) {
  const Space space = small_space();
  const auto mostly_failing = [](const Point& point) {
    return point[0] + point[1] < 6 ? kFailure : easy(point);
  };
  EXPECT_EQ(exhaust(GetParam(), space, {.seed = 1}, mostly_failing).points.size(), space.size());
  const auto failing = [](const Point&) { return kFailure; };
  EXPECT_EQ(exhaust(GetParam(), space, {.seed = 1, .ahead = 3}, failing).points.size(),
            space.size());
  const auto not_a_number = [](const Point&) { return std::nan(""); };
  EXPECT_EQ(exhaust(GetParam(), space, {.seed = 1}, not_a_number).points.size(), space.size());
}

TEST_P(EveryStrategy, MinimisesNegativeAndMixedObjectives) {
  const Space space = small_space();
  for (const double offset : {-1000.0, -200.0, 0.0}) {
    const auto shifted = [&](const Point& point) { return easy(point) + offset; };
    EXPECT_EQ(exhaust(GetParam(), space, {.seed = 1}, shifted).points.size(), space.size());
  }
}

TEST_P(EveryStrategy, HandlesTinySpaces) {
  const Space one = Space::of_points(small_parameters(), {{1, 1, 1, 1, 0}});
  EXPECT_EQ(exhaust(GetParam(), one, {.seed = 1}, easy).points.size(), 1u);
  const Space two = Space::of_points(small_parameters(), {{1, 1, 1, 1, 0}, {2, 3, 0, 0, 0}});
  EXPECT_EQ(exhaust(GetParam(), two, {.seed = 1, .ahead = 4}, easy).points.size(), 2u);
  const Space none;
  EXPECT_EQ(exhaust(GetParam(), none, {.seed = 1}, easy).points.size(), 0u);
}

// A space of 10^12 points, which no strategy may enumerate.
TEST_P(EveryStrategy, SearchesHugeSpaces) {
  std::vector<Parameter> parameters;
  std::vector<Space::Layer> layers;
  for (int p = 0; p < 6; ++p) {
    std::vector<std::int64_t> values(100);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::int64_t>(i + 1);
    parameters.push_back(whole_numbers("p" + std::to_string(p), values));
    layers.push_back({std::vector<std::uint32_t>(100, 0)});
  }
  const Space space(parameters, layers);
  ASSERT_EQ(space.size(), 1'000'000'000'000u);
  const auto sum = [](const Point& point) {
    double total = 1;
    for (const std::uint16_t value : point) total += value;
    return total;
  };
  EXPECT_EQ(exhaust(GetParam(), space, {.seed = 4}, sum, 60).points.size(), 60u);
}

std::vector<std::string> all_names() {
  std::vector<std::string> names;
  for (const StrategyKind& kind : strategies()) names.emplace_back(kind.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Strategies, EveryStrategy, testing::ValuesIn(all_names()),
                         [](const auto& tested) { return tested.param; });

// 126 points, of which random search needs 63 on average.
TEST(SearchQuality, GoodStrategiesFindTheOptimumOfAnEasySpaceSoon) {
  const Space space = small_space();
  const auto mean_trials = [&](const std::string& name) {
    double trials = 0;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      trials += static_cast<double>(exhaust(name, space, {.seed = seed}, easy).best_at);
    }
    return trials / 20;
  };
  EXPECT_NEAR(mean_trials("random"), 63, 20);
  EXPECT_LT(mean_trials("local"), 35);
  EXPECT_LT(mean_trials("annealing"), 45);
  EXPECT_LT(mean_trials("genetic"), 50);
  EXPECT_LT(mean_trials("differential"), 50);
  EXPECT_LT(mean_trials("swarm"), 50);
  EXPECT_LT(mean_trials("surrogate"), 20);
  EXPECT_LT(mean_trials("ensemble"), 20);
}

TEST(SearchQuality, AGivenOptimumIsUsed) {
  const Space space = small_space();
  const SearchOptions options{.seed = 1, .first = {{3, 2, 1, 1, 0}}};
  for (const std::string& name : all_names()) {
    EXPECT_EQ(exhaust(name, space, options, easy).best_at, 1u) << name;
  }
}

// Half of the points cost ten times as much and promise the same.
TEST(SearchQuality, CheapPointsAreTriedSooner) {
  const Space space = small_space();
  double cheap = 0, all = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    Result<std::unique_ptr<Strategy>> strategy = make_strategy("surrogate", space, {.seed = seed});
    ASSERT_TRUE(strategy.ok());
    for (int i = 0; i < 30; ++i) {
      const Point point = *(*strategy)->ask();
      const bool is_cheap = point[3] == 0;
      (*strategy)->tell(point, easy({point[0], point[1], point[2], 1, 0}), is_cheap ? 0.1 : 1);
      cheap += is_cheap;
      ++all;
    }
  }
  EXPECT_GT(cheap / all, 0.65);
}

// Sessions are resumed by repeating a search, perhaps on another computer: compilers and libraries
// must not matter. A change of a strategy changes its number, and ends the sessions that used it.
TEST(SearchQuality, AsksForTheSamePointsOnEveryPlatform) {
  const Space space = small_space();
  const auto rugged = [](const Point& point) {
    std::uint64_t hash = 1;
    for (const std::uint16_t value : point) hash = hash_combine(hash, value);
    return easy(point) * (1 + static_cast<double>(hash >> 40) * 0x1p-24);
  };
  std::map<std::string, std::uint64_t> hashes;
  for (const std::string& name : all_names()) {
    std::uint64_t hash = 0;
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      for (const Point& point :
           exhaust(name, space, {.seed = seed, .ahead = 1 + seed % 3}, rugged).points) {
        hash = hash_combine(hash, space.index_of(point));
      }
    }
    hashes[name] = hash;
  }
  const std::map<std::string, std::uint64_t> expected{
      {"annealing", 0xb2cf7e6f5d309e0cu}, {"differential", 0xa2039e7542392883u},
      {"ensemble", 0x87fa15c141b13311u},  {"exhaustive", 0x58c40ced787e15d0u},
      {"genetic", 0x50b32d6b81fc7f96u},   {"local", 0xdd5d66d37f2e07e4u},
      {"random", 0x8554baeccfb5c7c6u},    {"surrogate", 0x486386943cad571au},
      {"swarm", 0xe891d7492cc3f854u},
  };
  EXPECT_EQ(hashes, expected);
}

TEST(MakeStrategy, NamesTheClosestStrategy) {
  const auto unknown = make_strategy("ensembel", small_space(), {});
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.error().exit, Exit::kUsage);
  EXPECT_THAT(unknown.error().message, HasSubstr("did you mean ensemble?"));
  EXPECT_THAT(make_strategy("quantum", small_space(), {}).error().message,
              HasSubstr("choose one of ensemble, "));
}

}  // namespace
}  // namespace burin::tune
