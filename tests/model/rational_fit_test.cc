// Least squares by SVD, and rational functions fitted to samples.
#include "model/fit/rational_fit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "formula/expression.h"
#include "model/fit/svd.h"

namespace burin::model {
namespace {

TEST(Svd, GivesBackTheMatrix) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> value(-2, 2);
  Matrix a(7, 4);
  for (std::size_t column = 0; column < 4; ++column) {
    for (double& x : a.column(column)) x = value(random);
  }
  const SingularValues found = decompose(a);
  for (std::size_t row = 0; row < 7; ++row) {
    for (std::size_t column = 0; column < 4; ++column) {
      double sum = 0;
      for (std::size_t i = 0; i < 4; ++i) {
        sum += found.u.at(row, i) * found.values[i] * found.v.at(column, i);
      }
      EXPECT_NEAR(sum, a.at(row, column), 1e-12);
    }
  }
}

TEST(Svd, LeastSquaresOfALine) {
  Matrix a(3, 2);
  const double x[] = {1, 2, 4};
  for (std::size_t row = 0; row < 3; ++row) {
    a.at(row, 0) = 1;
    a.at(row, 1) = x[row];
  }
  const double y[] = {5, 7, 11};
  const LeastSquares line = solve_least_squares(a, y);
  EXPECT_EQ(line.rank, 2u);
  EXPECT_NEAR(line.x[0], 3, 1e-12);
  EXPECT_NEAR(line.x[1], 2, 1e-12);
}

TEST(Svd, ADirectionWithoutDataIsLeftOut) {
  Matrix a(3, 2);  // both columns the same: no way to tell the coefficients apart
  for (std::size_t row = 0; row < 3; ++row) a.at(row, 0) = a.at(row, 1) = 1.0 + double(row);
  const double y[] = {2, 4, 6};
  const LeastSquares found = solve_least_squares(a, y);
  EXPECT_EQ(found.rank, 1u);
  EXPECT_NEAR(found.x[0], 1, 1e-12);
  EXPECT_NEAR(found.x[1], 1, 1e-12);
}

std::vector<FitPoint> samples(double (*function)(double n, double b)) {
  std::vector<FitPoint> points;
  std::uint32_t group = 0;
  for (const double n : {256.0, 700.0, 1024.0, 3000.0, 4096.0, 10000.0, 65536.0}) {
    for (const double b : {32.0, 64.0, 128.0, 256.0, 512.0, 1024.0}) {
      points.push_back({{n, b}, function(n, b), group});
    }
    ++group;
  }
  return points;
}

TEST(RationalFit, FindsTheFunctionAndItsDegrees) {
  const auto points = samples([](double n, double b) { return (3 + 0.5 * n) / (1 + 0.01 * b); });
  const Result<RationalFit> fit = fit_rational({"n", "b"}, points, {});
  ASSERT_TRUE(fit.ok()) << fit.error().message;
  EXPECT_LT(fit->held_out, 1e-6);
  EXPECT_EQ(fit->numerator_degrees[0], 1u);
  EXPECT_EQ(fit->denominator_degrees[1], 1u);
  const double at[] = {20000, 300};
  EXPECT_NEAR(fit->at(at), (3 + 0.5 * 20000) / (1 + 3.0), 1e-3);
  // The text is an expression of the same value.
  const Result<formula::Expression> text = formula::Expression::parse(fit->text);
  ASSERT_TRUE(text.ok()) << fit->text;
  const Result<double> value = text->evaluate_number({{"n", 20000.0}, {"b", 300.0}});
  ASSERT_TRUE(value.ok());
  EXPECT_NEAR(*value, fit->at(at), 1e-3);
}

TEST(RationalFit, NoiseDoesNotRaiseTheDegrees) {
  std::mt19937 random(5);
  std::normal_distribution<double> noise(1, 0.02);
  std::vector<FitPoint> points = samples([](double n, double) { return 7 + 0.02 * n; });
  for (FitPoint& point : points) point.value *= noise(random);
  const Result<RationalFit> fit = fit_rational({"n", "b"}, points, {});
  ASSERT_TRUE(fit.ok());
  EXPECT_LE(fit->numerator_degrees[0] + fit->denominator_degrees[0], 2u) << fit->degrees;
  EXPECT_LT(fit->held_out, 0.04);
  const double beyond[] = {200000, 256};
  EXPECT_NEAR(fit->at(beyond) / (7 + 0.02 * 200000), 1, 0.15);
}

TEST(RationalFit, APoleInTheDomainIsRefused) {
  // 1 / (1 − n / 1000) fits these samples exactly, and has its pole between them.
  std::vector<FitPoint> points;
  std::uint32_t group = 0;
  for (const double n : {100.0, 200.0, 300.0, 400.0, 500.0, 600.0}) {
    points.push_back({{n}, 1 / (1 - n / 1000), group++});
  }
  const Result<RationalFit> inside = fit_rational({"n"}, points, {});
  ASSERT_TRUE(inside.ok());
  EXPECT_LT(inside->held_out, 1e-6);
  EXPECT_EQ(inside->denominator_degrees[0], 1u);
  const Result<RationalFit> wide = fit_rational({"n"}, points, {.domain = {{100, 4000}}});
  ASSERT_TRUE(wide.ok());
  EXPECT_GT(wide->refused, 0u);
  for (double n = 100; n <= 4000; n += 50) {
    const double at[] = {n};
    EXPECT_TRUE(std::isfinite(wide->at(at)));
  }
}

TEST(RationalFit, PositivityOnABox) {
  const std::vector<std::vector<std::uint32_t>> terms = {{1, 0}, {1, 1}};
  const std::vector<std::pair<double, double>> box = {{0, 1}, {0, 1}};
  EXPECT_TRUE(is_positive(terms, std::vector<double>{-0.9, 0.5}, box));
  EXPECT_FALSE(is_positive(terms, std::vector<double>{-1.1, 0}, box));
  // Smaller than 0 only in the middle of the box: x (y − 1.2) at y = 0, x = 1.
  EXPECT_FALSE(is_positive(terms, std::vector<double>{-1.2, 1}, box));
  EXPECT_TRUE(is_positive({}, {}, box));
}

TEST(RationalFit, PositiveCoefficientsOnRequest) {
  std::vector<FitPoint> points;
  std::uint32_t group = 0;
  for (const double n : {10.0, 20.0, 40.0, 80.0}) points.push_back({{n}, 3 * n - 20, group++});
  const Result<RationalFit> fit = fit_rational({"n"}, points, {.positive = true});
  ASSERT_TRUE(fit.ok());
  for (const double coefficient : fit->coefficients) EXPECT_GE(coefficient, 0);
}

TEST(RationalFit, FewSamplesAreFittedAsFarAsTheyGo) {
  const std::vector<FitPoint> one = {{{10}, 5, 0}};
  const Result<RationalFit> constant = fit_rational({"n"}, one, {});
  ASSERT_TRUE(constant.ok());
  EXPECT_EQ(constant->text, "5");
  const std::vector<FitPoint> two = {{{10}, 5, 0}, {{20}, 7, 1}};
  const Result<RationalFit> line = fit_rational({"n"}, two, {});
  ASSERT_TRUE(line.ok());
  const double at[] = {40};
  EXPECT_NEAR(line->at(at), 11, 1e-9);
}

TEST(RationalFit, RefusesWhatCannotBeFitted) {
  EXPECT_FALSE(fit_rational({"n"}, {}, {}).ok());
  const std::vector<FitPoint> nan = {{{1}, NAN, 0}, {{2}, 1, 1}, {{3}, 1, 2}};
  EXPECT_EQ(fit_rational({"n"}, nan, {}).error().message, "a sample has no finite value");
}

// Too many combinations of degrees to try them all: one after the other.
TEST(RationalFit, ManyVariablesAreFittedStepByStep) {
  std::vector<FitPoint> points;
  for (const double n : {100.0, 400.0, 1600.0, 6400.0}) {
    for (const double m : {10.0, 30.0, 90.0}) {
      for (const double bx : {1.0, 4.0, 16.0, 64.0, 256.0}) {
        for (const double by : {1.0, 8.0, 32.0}) {
          points.push_back({{n, m, bx, by},
                            (5 + 0.5 * n) * (1 + 0.3 * bx) / (1 + 0.01 * bx),
                            static_cast<std::uint32_t>(n)});
        }
      }
    }
  }
  const Result<RationalFit> fit = fit_rational(
      {"n", "m", "bx", "by"}, points, {.max_numerator = 3, .max_denominator = 2, .max_total = 3});
  ASSERT_TRUE(fit.ok()) << fit.error().message;
  EXPECT_LT(fit->held_out, 0.01);
  EXPECT_EQ(fit->numerator_degrees, (std::vector<std::uint32_t>{1, 0, 1, 0}));
  EXPECT_EQ(fit->denominator_degrees, (std::vector<std::uint32_t>{0, 0, 1, 0}));
}

}  // namespace
}  // namespace burin::model
