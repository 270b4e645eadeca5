// From times over sizes and shapes to a rational program that chooses.
#include "model/fit/fit_shapes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "formula/rational/chooser.h"
#include "model/fit/explore.h"
#include "model/fit/sampler.h"

namespace burin::model {
namespace {

using formula::Shape;
using testing::ElementsAre;
using testing::HasSubstr;

std::string trials_refusal(const std::string& text) {
  const Result<ShapeTimes> times = read_trials_csv(text);
  return times ? "" : times.error().message;
}

TEST(ShapeTimes, ReadsTrials) {
  const Result<ShapeTimes> times = read_trials_csv(
      "m,block_x,block_y,time_us,n\r\n"
      "2,64,4,3.5,100\n"
      "# again\n"
      "2,64,4,2.5,100\n"
      "1,32,1,9,100\n"
      "2,64,4,3.0,100\n");
  ASSERT_TRUE(times.ok()) << times.error().message;
  EXPECT_THAT(times->names, ElementsAre("m", "n"));
  EXPECT_THAT(times->sizes, ElementsAre(Sizes{1, 100}, Sizes{2, 100}));
  EXPECT_THAT(times->shapes, ElementsAre(Shape{32, 1, 1}, Shape{64, 4, 1}));
  EXPECT_DOUBLE_EQ(times->time_us[1][1], 3.0);  // the median
  EXPECT_FALSE(times->has(0, 1));
  EXPECT_EQ(times->sampled(), 2u);
  EXPECT_EQ(times->best(0), 0u);
}

TEST(ShapeTimes, RefusalsNameTheLine) {
  EXPECT_THAT(trials_refusal(""), HasSubstr("the file is empty"));
  EXPECT_THAT(trials_refusal("n,block_x\n"), HasSubstr("line 1: column time_us is missing"));
  EXPECT_THAT(trials_refusal("block_x,time_us\n"), HasSubstr("no column for a size"));
  EXPECT_THAT(trials_refusal("n,block_w,block_x,time_us\n"), HasSubstr("\"block_w\" is no column"));
  EXPECT_THAT(trials_refusal("n,block_x,time_us\n"), HasSubstr("no trials"));
  EXPECT_THAT(trials_refusal("n,block_x,time_us\n1,32\n"),
              HasSubstr("line 2: 2 values for 3 columns"));
  EXPECT_THAT(trials_refusal("n,block_x,time_us\n1,32,fast\n"), HasSubstr("not a positive time"));
  EXPECT_THAT(trials_refusal("n,block_x,time_us\n1.5,32,1\n"),
              HasSubstr("n is \"1.5\", not a positive integer"));
  EXPECT_THAT(trials_refusal("n,block_x,time_us\n1,2048,1\n"), HasSubstr("at most 1024"));
  EXPECT_THAT(trials_refusal("n,block_x,block_y,time_us\n1,64,64,1\n"),
              HasSubstr("cannot be launched"));
  EXPECT_THAT(trials_refusal("n,n,block_x,time_us\n"), HasSubstr("column n occurs twice"));
}

TEST(DecisionTable, SplitsWhereTheBestShapeChanges) {
  std::vector<TablePoint> points;
  for (const double n : {10.0, 100.0, 1000.0, 10000.0}) {
    const double loss = n > 300 ? 0.0 : 0.2;
    points.push_back({{n}, {0.2 - loss, loss}, 1});
  }
  const std::vector<formula::TableNode> table = build_table(points, {});
  ASSERT_EQ(table.size(), 3u);
  EXPECT_EQ(table[0].at_most, 316);  // between 100 and 1000 on a logarithmic axis
  EXPECT_EQ(table[1].ranked[0], 0u);
  EXPECT_EQ(table[table[0].otherwise].ranked[0], 1u);
  EXPECT_DOUBLE_EQ(table_loss(table, points), 0);
}

TEST(DecisionTable, DoesNotSplitForNothing) {
  std::vector<TablePoint> points;
  for (const double n : {10.0, 100.0, 1000.0})
    points.push_back({{n}, {0.001 * n / 1000, 0.0005}, 1});
  EXPECT_EQ(build_table(points, {}).size(), 1u);
  EXPECT_TRUE(build_table({}, {}).empty());
}

TEST(DecisionTable, AForbiddenShapeIsNotUsed) {
  const std::vector<TablePoint> points = {{{1}, {std::numeric_limits<double>::infinity(), 0.3}, 1},
                                          {{2}, {0.0, 0.3}, 1}};
  const std::vector<formula::TableNode> table = build_table(points, {});
  EXPECT_EQ(table[1].ranked[0], 1u);
  EXPECT_EQ(table[table[0].otherwise].ranked[0], 0u);
}

// 1 + |log2 threads − 8| / 10, times the work; small blocks pay for each block at any size.
double made_up_time(std::int64_t n, const Shape& shape) {
  const double threads = double(shape[0]) * shape[1] * shape[2];
  return double(n) * 1e-3 * (1 + std::abs(std::log2(threads) - 8) / 10) + 2;
}

std::vector<Shape> all_shapes() {
  std::vector<Shape> shapes;
  for (std::uint32_t x = 1; x <= 1024; x *= 2) {
    for (std::uint32_t y = 1; x * y <= 1024; y *= 2) {
      if (x * y >= 32) shapes.push_back({x, y, 1});
    }
  }
  return shapes;
}

TEST(Sampler, FindsTheFastestShapeWithinItsBudget) {
  const std::vector<Shape> shapes = all_shapes();
  const std::vector<Sizes> sizes = {{1000}, {100000}, {1000000}};
  std::size_t taken = 0;
  const ShapeTimes times = sample_shapes(
      {"n"}, sizes, shapes,
      [&](std::size_t z, std::size_t s) {
        ++taken;
        const double off = std::abs(std::log2(double(shapes[s][0])) - 6);
        return std::optional<double>(made_up_time(sizes[z][0], shapes[s]) * (1 + 0.05 * off));
      },
      {.budget = 80});
  EXPECT_LE(taken, 80u);
  ASSERT_EQ(times.sizes.size(), 3u);
  EXPECT_EQ(times.shapes[times.best(2)], (Shape{64, 4, 1}));
  EXPECT_EQ(times.shapes[times.best(0)], (Shape{64, 4, 1}));
}

TEST(Sampler, TakesAllWhereThereAreFew) {
  const std::vector<Shape> shapes = {{32, 1, 1}, {64, 1, 1}};
  const std::vector<Sizes> sizes = {{1}, {2}};
  const ShapeTimes times =
      sample_shapes({"n"}, sizes, shapes,
                    [](std::size_t, std::size_t shape) {
                      return shape == 0 ? std::nullopt : std::optional<double>(1);
                    },
                    {});
  EXPECT_EQ(times.sampled(), 2u);
  EXPECT_THAT(times.shapes, ElementsAre(Shape{64, 1, 1}));
}

TEST(Explore, LargerAndLonger) {
  const std::vector<Sizes> known = {{512, 512, 7}, {2048, 2048, 7}};
  EXPECT_THAT(explored_sizes(known, 16),
              ElementsAre(Sizes{4096, 4096, 7}, Sizes{8192, 8192, 7}, Sizes{2048, 2048, 112},
                          Sizes{131072, 256, 7}, Sizes{256, 131072, 7}));
  EXPECT_THAT(explored_sizes(std::vector<Sizes>{{100}, {1000}}, 4), ElementsAre(Sizes{4000}));
}

ShapeTimes times_of(const std::vector<Sizes>& sizes, const std::vector<Shape>& shapes) {
  ShapeTimes times;
  times.names = {"n"};
  for (const Sizes& size : sizes) {
    for (const Shape& shape : shapes) times.add(size, shape, made_up_time(size[0], shape));
  }
  return times.sorted();
}

TEST(FitShapes, ChoosesInsideAndOutside) {
  const ShapeTimes times = times_of({{1000}, {10000}, {100000}}, all_shapes());
  const Result<ShapeFit> fit =
      fit_shapes(times, nullptr, {.grid = {"ceildiv(n, bx * by)", "1", "1"}});
  ASSERT_TRUE(fit.ok()) << fit.error().message;
  EXPECT_GT(fit->models[0].mean, 0.99);
  formula::RationalProgram program = fit->program;
  program.devices = {fit->table};
  const Result<formula::Chooser> chooser = formula::Chooser::prepare(program);
  ASSERT_TRUE(chooser.ok()) << chooser.error().message;
  for (const std::int64_t n : {1000, 30000, 5000000}) {
    formula::Choice choice;
    const std::int64_t sizes[] = {n};
    ASSERT_TRUE(chooser->choose({.sizes = sizes, .device = 0}, choice));
    EXPECT_EQ(choice.block[0] * choice.block[1], 256u) << n;
    EXPECT_EQ(choice.grade, n > 100000 ? formula::Grade::kExtrapolated : formula::Grade::kInside);
    EXPECT_NEAR(choice.predicted_us / made_up_time(n, choice.block), 1, 0.15) << n;
  }
}

TEST(FitShapes, TheEmulatorCorrectsWhatTheSamplesCannotShow) {
  // Measured: 32 threads are best at small sizes. Predicted: at large ones they are far too few.
  const std::vector<Shape> shapes = {{32, 1, 1}, {64, 1, 1}, {128, 1, 1}};
  ShapeTimes times;
  ShapeTimes predicted;
  times.names = predicted.names = {"n"};
  for (const std::int64_t n : {1000, 4000}) {
    for (std::size_t i = 0; i < 3; ++i) {
      times.add({n}, shapes[i], double(n) * (1 + 0.02 * double(i)));
      predicted.add({n}, shapes[i], double(n) * (1.1 + 0.01 * double(i)));
    }
  }
  for (std::size_t i = 0; i < 3; ++i) {
    predicted.add({64000}, shapes[i], 64000 * (i == 0 ? 1.5 : 1 + 0.01 * double(i)));
  }
  const auto chosen = [&](const ShapeTimes* explored, std::int64_t n) {
    const Result<ShapeFit> fit = fit_shapes(times.sorted(), explored, {});
    EXPECT_TRUE(fit.ok());
    formula::RationalProgram program = fit->program;
    program.devices = {fit->table};
    formula::Choice choice;
    const std::int64_t sizes[] = {n};
    EXPECT_TRUE(formula::Chooser::prepare(program)->choose({.sizes = sizes, .device = 0}, choice));
    return choice.block[0];
  };
  const ShapeTimes explored = predicted.sorted();
  EXPECT_EQ(chosen(nullptr, 64000), 32u);
  EXPECT_EQ(chosen(&explored, 64000), 64u);
  EXPECT_EQ(chosen(&explored, 4000), 32u);
}

TEST(FitShapes, OneSizeIsSaidToBeLittle) {
  const Result<ShapeFit> fit = fit_shapes(times_of({{1000}}, all_shapes()), nullptr, {});
  ASSERT_TRUE(fit.ok()) << fit.error().message;
  EXPECT_THAT(fit->notes, ElementsAre(HasSubstr("one size was sampled")));
}

TEST(FitShapes, RefusesWhatItCannotRead) {
  const ShapeTimes times = times_of({{1000}, {2000}}, all_shapes());
  EXPECT_THAT(fit_shapes(times, nullptr, {.grid = {"ceildiv(n", "1", "1"}}).error().message,
              HasSubstr("the grid: column"));
  EXPECT_THAT(fit_shapes(times, nullptr, {.constraints = {"bx <= m"}}).error().message,
              HasSubstr("\"m\" has no value"));
  EXPECT_FALSE(fit_shapes(ShapeTimes{}, nullptr, {}).ok());
}

}  // namespace
}  // namespace burin::model
