// What strategies are made of: random numbers, history, moves and the model.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "tune/search/encoding.h"
#include "tune/search/gaussian_process.h"
#include "tune/search/history.h"
#include "tune/search/moves.h"
#include "tune/search/random.h"
#include "tune/search/real.h"
#include "tune/search_spaces.h"

namespace burin::tune {
namespace {

using testing::ElementsAre;

// x and y from 0 to 7, with x + y even.
Space checkered() {
  std::vector<Point> points;
  for (std::uint16_t x = 0; x < 8; ++x) {
    for (std::uint16_t y = 0; y < 8; ++y) {
      if ((x + y) % 2 == 0) points.push_back({x, y});
    }
  }
  const std::vector<std::int64_t> values{1, 2, 3, 4, 5, 6, 7, 8};
  return Space::of_points({whole_numbers("x", values), whole_numbers("y", values)}, points);
}

// These numbers must never change: sessions are resumed by them.
TEST(SearchRandom, IsTheSameEverywhere) {
  Random random(42);
  EXPECT_EQ(random.word(), Random(42).word());
  Random other(7);
  std::vector<std::uint64_t> drawn;
  for (int i = 0; i < 6; ++i) drawn.push_back(other.below(100));
  EXPECT_THAT(drawn, ElementsAre(22, 84, 27, 26, 45, 46));
  EXPECT_EQ(Random(1).below(1), 0u);
  EXPECT_LT(Random(1).below(std::uint64_t{1} << 63), std::uint64_t{1} << 63);
}

TEST(SearchRandom, IsUniform) {
  Random random(3);
  std::vector<int> counts(6, 0);
  for (int i = 0; i < 6000; ++i) ++counts[random.below(6)];
  for (const int count : counts) EXPECT_NEAR(count, 1000, 120);
  double sum = 0;
  for (int i = 0; i < 1000; ++i) sum += random.unit();
  EXPECT_NEAR(sum / 1000, 0.5, 0.03);
}

TEST(SearchReal, AgreesWithTheLibrary) {
  for (double x = -40; x < 40; x += 0.37) {
    EXPECT_NEAR(real_exp(x) / std::exp(x), 1, 1e-13) << x;
  }
  for (double x = 1e-9; x < 1e9; x *= 3.7) EXPECT_NEAR(real_log(x), std::log(x), 1e-13) << x;
  EXPECT_EQ(real_exp(-std::numeric_limits<double>::infinity()), 0);
  EXPECT_EQ(real_log(1), 0);
}

TEST(History, KnowsWhatWasAskedAndAnswered) {
  const Space space = checkered();
  History history(space);
  Random random(1);
  EXPECT_EQ(history.best(), nullptr);
  history.open({0, 0});
  EXPECT_FALSE(history.is_new({0, 0}));
  EXPECT_EQ(history.value({0, 0}), std::nullopt);
  history.answer({0, 0}, 5, 0.1);
  EXPECT_EQ(history.value({0, 0}), 5);
  EXPECT_TRUE(history.open_points().empty());
  history.answer({0, 0}, 1);  // the first answer counts
  EXPECT_EQ(history.best()->value, 5);
  history.answer({0, 2}, std::nan(""));
  EXPECT_FALSE(history.answers()[1].ok());
  EXPECT_EQ(history.best()->value, 5);

  // Every other point once.
  std::set<Point> unseen;
  while (const std::optional<Point> point = history.unseen(random)) {
    EXPECT_TRUE(unseen.insert(*point).second);
    history.open(*point);
  }
  EXPECT_EQ(unseen.size(), space.size() - 2);
  EXPECT_TRUE(history.exhausted());
}

TEST(Moves, StayValid) {
  const Space space = checkered();
  Random random(5);
  for (int i = 0; i < 200; ++i) {
    const Point a = space.at(random.below(space.size())), b = space.at(random.below(space.size()));
    EXPECT_TRUE(space.contains(mutated(space, a, 1, random)));
    EXPECT_TRUE(space.contains(crossed(space, a, b, random)));
    EXPECT_TRUE(space.contains(towards(space, a, std::vector<double>{3.4, 99}, random)));
  }
  EXPECT_NE(mutated(space, {0, 0}, 1, random), (Point{0, 0}));
}

TEST(Moves, TowardsReachesWhatOneParameterAtATimeReaches) {
  const std::vector<std::int64_t> values{1, 2, 3, 4, 5};
  std::vector<Point> points;
  for (std::uint16_t x = 0; x < 5; ++x) {
    for (std::uint16_t y = 0; y < 5; ++y) {
      if (x + y <= 5) points.push_back({x, y});
    }
  }
  const Space space =
      Space::of_points({whole_numbers("x", values), whole_numbers("y", values)}, points);
  Random random(1);
  EXPECT_EQ(towards(space, {0, 0}, Point{2, 3}, random), (Point{2, 3}));
  const Point corner = towards(space, {0, 0}, Point{4, 4}, random);
  EXPECT_EQ(corner[0] + corner[1], 5);  // as close as is valid
}

TEST(Encoding, OrdersNumbersAndKeepsCategoriesApart) {
  const std::vector<Parameter> parameters{
      whole_numbers("block", {16, 32, 48, 64}),
      Parameter{"layout", {std::string("a"), std::string("b"), std::string("c")}},
      whole_numbers("single", {3}), Parameter{"flag", {false, true}},
      whole_numbers("linear", {0, 1, 2})};
  std::vector<Point> points;
  for (std::uint16_t i = 0; i < 4; ++i) {
    points.push_back({i, static_cast<std::uint16_t>(i % 3), 0, static_cast<std::uint16_t>(i % 2),
                      static_cast<std::uint16_t>(i % 3)});
  }
  const std::vector<ParameterScale> scales = scales_of(Space::of_points(parameters, points));
  ASSERT_EQ(scales.size(), 4u);  // all but the single
  EXPECT_TRUE(scales[0].ordered);
  EXPECT_NEAR(scales[0].coordinate[1], 0.5, 1e-12);  // 32 is half-way from 16 to 64
  EXPECT_NEAR(scales[0].coordinate[3], 1, 1e-12);
  EXPECT_EQ(scales[0].roundness[1], 1);
  EXPECT_LT(scales[0].roundness[2], 1);
  EXPECT_FALSE(scales[1].ordered);
  EXPECT_FALSE(scales[2].ordered);
  EXPECT_TRUE(scales[3].ordered);
  EXPECT_NEAR(scales[3].coordinate[1], 0.5, 1e-12);
  EXPECT_EQ(distance(scales, points[0], points[0]), 0);
  EXPECT_GT(distance(scales, points[0], points[3]), 0);
}

TEST(Encoding, LimitsTheLevels) {
  std::vector<std::int64_t> values(1000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::int64_t>(i);
  std::vector<Point> points;
  for (std::uint16_t i = 0; i < 1000; ++i) points.push_back({i});
  const std::vector<ParameterScale> scales =
      scales_of(Space::of_points({whole_numbers("n", values)}, points));
  EXPECT_EQ(scales[0].coordinate.size(), ParameterScale::kMaxLevels);
  EXPECT_EQ(scales[0].level[999], ParameterScale::kMaxLevels - 1);
}

std::vector<Sample> samples_of(const Space& space, std::size_t step) {
  std::vector<Sample> samples;
  for (std::size_t i = 0; i < space.size(); i += step) {
    const Point point = space.at(i);
    const double x = point[0] / 7.0, y = point[1] / 7.0;
    samples.push_back({point, 2 * (x - 0.4) + (y - 0.5) * (y - 0.5), x});
  }
  return samples;
}

TEST(GaussianProcess, PredictsWhatItSawAndGuessesTheRest) {
  const Space space = checkered();
  const std::vector<Sample> samples = samples_of(space, 2);
  GaussianProcess process(space);
  process.fit(samples);
  std::vector<Point> points;
  for (std::uint64_t i = 0; i < space.size(); ++i) points.push_back(space.at(i));
  const Predictions all = process.predict(points);
  const std::vector<Sample> truth = samples_of(space, 1);
  for (std::size_t i = 0; i < truth.size(); ++i) {
    const double tolerance = i % 2 == 0 ? 0.1 : 0.4;
    EXPECT_NEAR(static_cast<double>(all.mean[i]), truth[i].value, tolerance) << i;
    EXPECT_LT(all.variance[i], 1);
  }
  EXPECT_LT(all.variance[0], all.variance[1]);  // seen, and not
}

TEST(GaussianProcess, LearnsOneByOneAsAllAtOnce) {
  const Space space = checkered();
  const std::vector<Sample> samples = samples_of(space, 3);
  const std::vector<Point> points{{0, 2}, {3, 5}, {7, 7}};
  GaussianProcess at_once(space), one_by_one(space);
  at_once.fit(samples);
  one_by_one.fit(samples);
  Predictions before = one_by_one.predict(points);
  const Sample another{{5, 3}, 1.5, 0.2};
  one_by_one.add(another, before);
  const Predictions after = one_by_one.predict(points);
  for (std::size_t i = 0; i < points.size(); ++i) {
    EXPECT_NEAR(before.mean[i], after.mean[i], 1e-4f);
    EXPECT_NEAR(before.variance[i], after.variance[i], 1e-4f);
    EXPECT_NEAR(before.cost[i], after.cost[i], 1e-4f);
  }
  // A belief changes no mean, but makes its surroundings more certain.
  Predictions pool = at_once.predict(points);
  const Predictions without = pool;
  at_once.believe({5, 3}, pool);
  for (std::size_t i = 0; i < points.size(); ++i) {
    EXPECT_EQ(pool.mean[i], without.mean[i]);
    EXPECT_LE(pool.variance[i], without.variance[i]);
  }
}

}  // namespace
}  // namespace burin::tune
