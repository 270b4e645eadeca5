// Which sizes `burin fit` samples, and how far they speak for others.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "formula/rational/chooser.h"
#include "model/fit/explore.h"
#include "model/fit/fit_shapes.h"
#include "model/fit/sampler.h"
#include "model/fit/size_distance.h"
#include "model/fit/small_sizes.h"

namespace burin::model {
namespace {

using formula::Shape;
using testing::ElementsAre;

const std::vector<Shape> kFewShapes = {{256, 1, 1}, {32, 8, 1}, {16, 16, 1}};
const std::vector<Sizes> kSquares = {{64, 64}, {512, 512}, {2048, 2048}};

TEST(SizeDistance, SeparatesWorkFromProportions) {
  const SizeDistance grown = distance_of({1024, 1024}, {4096, 4096});
  EXPECT_NEAR(grown.work, std::log(16), 1e-9);
  EXPECT_NEAR(grown.proportions, 0, 1e-9);
  const SizeDistance longer = distance_of({1024, 1024}, {16384, 64});
  EXPECT_NEAR(longer.work, 0, 1e-9);
  EXPECT_NEAR(longer.proportions, std::sqrt(2) * std::log(16), 1e-9);
}

TEST(SizeDistance, UsualSizesAreThoseThatMostAreLike) {
  std::vector<Sizes> sizes = kSquares;
  sizes.push_back({32768, 128});
  EXPECT_THAT(usual_sizes(sizes), ElementsAre(0u, 1u, 2u));
  // Where all differ, none is usual, and so all are.
  EXPECT_THAT(usual_sizes(std::vector<Sizes>{{1, 4096}, {64, 64}, {4096, 1}}),
              ElementsAre(0u, 1u, 2u));
}

TEST(SmallSizes, AreLongAndNarrowWithTheSameWork) {
  const auto time = [](const Sizes& sizes, const Shape&) {
    return std::optional<double>(1e-4 * static_cast<double>(sizes[0] * sizes[1]));
  };
  const auto fits = [](const Sizes&) { return true; };
  EXPECT_THAT(small_sizes(kSquares, kFewShapes, time, fits),
              ElementsAre(Sizes{32768, 128}, Sizes{128, 32768}));
  EXPECT_TRUE(small_sizes(
                  std::vector<Sizes>{{64}, {512}}, kFewShapes,
                  [](const Sizes&, const Shape&) { return std::optional<double>(1); }, fits)
                  .empty());
}

TEST(SmallSizes, NoLaunchIsMuchLongerThanThoseGiven) {
  // The first side alone takes time, as where it is the length of a loop.
  const auto time = [](const Sizes& sizes, const Shape&) {
    return std::optional<double>(0.1 * static_cast<double>(sizes[0]));
  };
  const std::vector<Sizes> found =
      small_sizes(kSquares, kFewShapes, time, [](const Sizes&) { return true; });
  ASSERT_EQ(found.size(), 2u);
  for (const Sizes& sizes : found) EXPECT_LE(*time(sizes, {}), 1.25 * *time({2048, 2048}, {}));
  EXPECT_GE(found[0][0], 1024);  // long as far as it may be
}

TEST(SmallSizes, WhatGrowsWithASquareIsNotMadeTooSmall) {
  const auto time = [](const Sizes& sizes, const Shape&) {
    return std::optional<double>(1e-5 * std::pow(static_cast<double>(sizes[0]), 2));
  };
  const std::vector<Sizes> found =
      small_sizes(kSquares, kFewShapes, time, [](const Sizes&) { return true; });
  ASSERT_FALSE(found.empty());
  EXPECT_LE(*time(found[0], {}), 1.25 * *time({2048, 2048}, {}));
  EXPECT_GE(*time(found[0], {}), 0.25 * *time({2048, 2048}, {}));
}

TEST(SmallSizes, MemoryAndFailuresAreRespected) {
  const auto time = [](const Sizes&, const Shape&) { return std::optional<double>(1); };
  const auto fits = [](const Sizes& sizes) { return sizes[0] <= 4096 && sizes[1] <= 4096; };
  for (const Sizes& sizes : small_sizes(kSquares, kFewShapes, time, fits)) {
    EXPECT_TRUE(fits(sizes));
  }
  const auto never = [](const Sizes&, const Shape&) { return std::optional<double>(); };
  EXPECT_TRUE(small_sizes(kSquares, kFewShapes, never, fits).empty());
}

TEST(OtherProportions, VolumesAreAlsoFlat) {
  const std::vector<Sizes> volumes = {{10, 10, 10}, {160, 160, 160}};
  const std::vector<Sizes> found = other_proportions(volumes);
  EXPECT_EQ(found.size(), 6u);
  EXPECT_THAT(found, testing::Contains(Sizes{2560, 40, 40}));
  EXPECT_THAT(found, testing::Contains(Sizes{20, 453, 453}));
}

TEST(OtherProportions, WhatWasAlwaysTheSameIsVaried) {
  EXPECT_THAT(other_proportions(std::vector<Sizes>{{1000, 7}, {9000, 7}}),
              ElementsAre(Sizes{9000, 112}));
}

TEST(Sampler, SearchesAtEveryProportion) {
  const std::vector<Sizes> sizes = {{64, 64}, {512, 512}, {2048, 2048}, {128, 32768}, {32768, 128}};
  EXPECT_THAT(searched_sizes(sizes), testing::UnorderedElementsAre(2u, 3u, 4u));
  EXPECT_EQ(searched_sizes(sizes).front(), 2u);
}

// Square data wants square blocks, long data rows.
double shaped_time(const Sizes& sizes, const Shape& shape) {
  const double wanted = sizes[0] > 16 * sizes[1] ? 8 : 4;
  const double off = std::abs(std::log2(static_cast<double>(shape[0])) - wanted);
  return 1e-4 * static_cast<double>(sizes[0] * sizes[1]) * (1 + 0.2 * off);
}

TEST(FitShapes, AnotherProportionHasItsOwnShape) {
  std::vector<Shape> shapes;
  for (std::uint32_t x = 1; x <= 256; x *= 2) shapes.push_back({x, 256 / x, 1});
  ShapeTimes times;
  times.names = {"width", "height"};
  for (const Sizes& sizes :
       {Sizes{64, 64}, Sizes{512, 512}, Sizes{2048, 2048}, Sizes{32768, 128}, Sizes{128, 32768}}) {
    for (const Shape& shape : shapes) times.add(sizes, shape, shaped_time(sizes, shape));
  }
  const Result<ShapeFit> fit = fit_shapes(
      times.sorted(), nullptr, {.grid = {"ceildiv(width, bx)", "ceildiv(height, by)", "1"}});
  ASSERT_TRUE(fit.ok()) << fit.error().message;
  formula::RationalProgram program = fit->program;
  program.devices = {fit->table};
  const Result<formula::Chooser> chooser = formula::Chooser::prepare(program);
  ASSERT_TRUE(chooser.ok()) << chooser.error().message;
  for (const auto& [sizes, wanted] :
       {std::pair(Sizes{8000, 8000}, 16u), std::pair(Sizes{200000, 300}, 256u),
        std::pair(Sizes{300, 200000}, 16u)}) {
    formula::Choice choice;
    ASSERT_TRUE(chooser->choose({.sizes = sizes, .device = 0}, choice));
    EXPECT_EQ(choice.block[0], wanted) << sizes[0];
  }
}

TEST(Repeats, AnOutlierCountsNeitherInTheMedianNorBehindTheFence) {
  const std::vector<double> times = {10, 11, 12, 13, 100};
  EXPECT_EQ(combined(Repeats::kMedian, times), 12);
  EXPECT_EQ(combined(Repeats::kFenced, times), 11.5);
  EXPECT_EQ(combined(Repeats::kFenced, {7}), 7);
  EXPECT_EQ(combined(Repeats::kMedian, {7, 9}), 8);
}

TEST(Fewer, TakesNoMoreThanItsBudget) {
  ShapeTimes times;
  times.names = {"n"};
  for (std::int64_t n = 1000; n <= 1000000; n *= 10) {
    for (std::uint32_t x = 32; x <= 1024; x += 32) times.add({n}, {x, 1, 1}, 1.0 + x % 256);
  }
  const ShapeTimes few = fewer(times.sorted(), 40);
  EXPECT_LE(few.sampled(), 40u);
  EXPECT_EQ(few.shapes[few.best(few.sizes.size() - 1)][0] % 256, 0u);
}

}  // namespace
}  // namespace burin::model
