// Neighbours and free parameters of a space, by their definitions.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tune/space/space.h"

namespace burin::tune {
namespace {

struct RandomSpace {
  std::vector<Parameter> parameters;
  std::vector<Point> points;  // sorted
};

RandomSpace random_space(std::mt19937& random) {
  RandomSpace made;
  std::vector<Point> all = {{}};
  for (std::size_t i = 0; i < 1 + random() % 4; ++i) {
    Parameter parameter{std::string(1, static_cast<char>('a' + i)), {}};
    const std::size_t count = 1 + random() % 5;
    std::vector<Point> longer;
    for (std::size_t value = 0; value < count; ++value) {
      parameter.values.emplace_back(static_cast<std::int64_t>(value));
    }
    for (const Point& point : all) {
      for (std::size_t value = 0; value < count; ++value) {
        longer.push_back(point);
        longer.back().push_back(static_cast<std::uint16_t>(value));
      }
    }
    made.parameters.push_back(std::move(parameter));
    all = std::move(longer);
  }
  for (const Point& point : all) {
    if (random() % 3 == 0) made.points.push_back(point);
  }
  return made;
}

// The parameters in which two points differ.
std::vector<std::size_t> differences(const Point& a, const Point& b) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] != b[i]) found.push_back(i);
  }
  return found;
}

bool is_between(const Point& middle, const Point& a, const Point& b, std::size_t parameter) {
  const auto [low, high] = std::minmax(a[parameter], b[parameter]);
  return low < middle[parameter] && middle[parameter] < high;
}

TEST(Space, NeighboursByDefinition) {
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    const RandomSpace made = random_space(random);
    const Space space = Space::of_points(made.parameters, made.points);
    ASSERT_EQ(space.size(), made.points.size());
    for (const Point& point : made.points) {
      std::vector<Point> any;
      std::vector<Point> adjacent;
      for (const Point& other : made.points) {
        const std::vector<std::size_t> differ = differences(point, other);
        if (differ.size() != 1) continue;
        any.push_back(other);
        const bool nearest = std::ranges::none_of(made.points, [&](const Point& middle) {
          return differences(point, middle) == differ &&
                 is_between(middle, point, other, differ.front());
        });
        if (nearest) adjacent.push_back(other);
      }
      std::vector<Point> found = space.neighbours(point, Neighbourhood::kAnyValue);
      std::ranges::sort(found);
      ASSERT_EQ(found, any);
      found = space.neighbours(point, Neighbourhood::kAdjacent);
      std::ranges::sort(found);
      ASSERT_EQ(found, adjacent);
    }
  }
}

TEST(Space, NeighboursStepOverExcludedValues) {
  const Space space = Space::of_points(
      {{"a", {std::int64_t{1}, std::int64_t{2}, std::int64_t{4}, std::int64_t{8}}}},
      {{0}, {2}, {3}});
  EXPECT_EQ(space.neighbours({2}, Neighbourhood::kAdjacent), (std::vector<Point>{{0}, {3}}));
  EXPECT_EQ(space.neighbours({0}, Neighbourhood::kAdjacent), (std::vector<Point>{{2}}));
  EXPECT_EQ(space.neighbours({0}, Neighbourhood::kAnyValue), (std::vector<Point>{{2}, {3}}));
}

TEST(Space, FreeParametersHaveTwoValidValues) {
  const Space space = Space::of_points({{"a", {std::int64_t{1}, std::int64_t{2}}},
                                        {"b", {std::int64_t{1}, std::int64_t{2}}},
                                        {"c", {std::int64_t{1}}}},
                                       {{0, 1, 0}, {1, 1, 0}, {1, 1, 0}});
  EXPECT_EQ(space.size(), 2U);
  EXPECT_EQ(space.free_parameters(), std::vector<std::size_t>{0});
}

TEST(Space, OfNoPointsIsEmpty) {
  const Space space = Space::of_points({{"a", {std::int64_t{1}}}}, {});
  EXPECT_EQ(space.size(), 0U);
  EXPECT_FALSE(space.contains({0}));
}

}  // namespace
}  // namespace burin::tune
