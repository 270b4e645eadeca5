#include "tune/search/gaussian_process.h"

#include <algorithm>
#include <cmath>

#include "tune/search/real.h"

namespace burin::tune {
namespace {

// The choices of a kernel. Lengths are in units of a scale, from one end to the other.
constexpr std::array<double, 8> kLengths{0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 20};
constexpr std::array<double, 4> kRoundnessWeights{0, 0.5, 1.5, 4};
constexpr std::array<double, 4> kAdditiveWeights{0, 0.2, 0.5, 0.8};
constexpr std::array<double, 4> kNoises{0.0005, 0.003, 0.02, 0.1};  // variance
constexpr std::size_t kUsualLength = 3;
constexpr std::size_t kUsualNoise = 1;
constexpr double kUsualWeight = 0.15;  // log likelihood lost per squared step from the usual
constexpr int kSweeps = 2;             // over all choices
constexpr double kCategoryDistance = 0.7;
constexpr double kMinDiagonal = 1e-9;

std::size_t row_begin(std::size_t row) {
  return row * (row + 1) / 2;
}

double matern(double distance) {  // Matérn's kernel of order 5/2
  const double r = 2.2360679774997896 * distance;
  return (1 + r + r * r / 3) * real_exp(-r);
}

double squared_steps(std::size_t a, std::size_t b) {
  const double steps = static_cast<double>(a) - static_cast<double>(b);
  return steps * steps;
}

}  // namespace

GaussianProcess::GaussianProcess(const Space& space) : scales_(scales_of(space)) {
  kernel_.length.assign(scales_.size(), kUsualLength);
  tables_.resize(scales_.size());
  build_tables();
}

GaussianProcess::Levels GaussianProcess::levels_of(const Point& point) const {
  Levels levels(scales_.size());
  for (std::size_t s = 0; s < scales_.size(); ++s) {
    levels[s] = scales_[s].level[point[scales_[s].parameter]];
  }
  return levels;
}

void GaussianProcess::build_table(std::size_t s) {
  const ParameterScale& scale = scales_[s];
  const std::size_t width = scale.coordinate.size();
  const double length = kLengths[kernel_.length[s]];
  const double other_category = real_exp(-kCategoryDistance / length);
  // A parameter that does not matter does not matter by its roundness either.
  const double roundness = kRoundnessWeights[kernel_.roundness] / std::max(1.0, length);
  tables_[s].resize(width * width);
  for (std::size_t a = 0; a < width; ++a) {
    for (std::size_t b = 0; b <= a; ++b) {
      double common = a == b ? 1 : other_category;
      if (scale.ordered) {
        common = matern(std::abs(scale.coordinate[a] - scale.coordinate[b]) / length) *
                 real_exp(-roundness * std::abs(scale.roundness[a] - scale.roundness[b]));
      }
      tables_[s][a * width + b] = common;
      tables_[s][b * width + a] = common;
    }
  }
}

void GaussianProcess::build_tables() {
  for (std::size_t s = 0; s < scales_.size(); ++s) build_table(s);
}

double GaussianProcess::covariance(const Levels& a, const Levels& b) const {
  double product = 1, sum = 0;
  for (std::size_t s = 0; s < tables_.size(); ++s) {
    const double common = tables_[s][a[s] * scales_[s].coordinate.size() + b[s]];
    product *= common;
    sum += common;
  }
  const double additive = kAdditiveWeights[kernel_.additive];
  const auto count = static_cast<double>(tables_.size());
  return (1 - additive) * product + additive * (tables_.empty() ? 1 : sum / count);
}

std::vector<float> GaussianProcess::covariances(const Levels& point,
                                                const Predictions& pool) const {
  const std::size_t count = pool.points.size();
  std::vector<float> product(count, 1), sum(count, tables_.empty() ? 1.0f : 0.0f);
  std::vector<float> common;
  for (std::size_t s = 0; s < tables_.size(); ++s) {
    const std::size_t width = scales_[s].coordinate.size();
    common.resize(width);
    for (std::size_t i = 0; i < width; ++i) {
      common[i] = static_cast<float>(tables_[s][point[s] * width + i]);
    }
    const std::uint16_t* levels = pool.levels[s].data();
    for (std::size_t c = 0; c < count; ++c) {
      product[c] *= common[levels[c]];
      sum[c] += common[levels[c]];
    }
  }
  const double weight = kAdditiveWeights[kernel_.additive];
  const auto additive =
      static_cast<float>(weight / static_cast<double>(std::max<std::size_t>(1, tables_.size())));
  const auto multiplied = static_cast<float>(1 - weight);
  for (std::size_t c = 0; c < count; ++c) product[c] = multiplied * product[c] + additive * sum[c];
  return product;
}

// Adds the point's row to the factor.
void GaussianProcess::append(const Point& point) {
  const std::size_t i = points_.size();
  points_.push_back(levels_of(point));
  factor_.resize(row_begin(i + 1));
  double* row = &factor_[row_begin(i)];
  double diagonal = 1 + kNoises[kernel_.noise];
  for (std::size_t j = 0; j < i; ++j) {
    const double* other = &factor_[row_begin(j)];
    double rest = covariance(points_[i], points_[j]);
    for (std::size_t k = 0; k < j; ++k) rest -= row[k] * other[k];
    row[j] = rest / other[j];
    diagonal -= row[j] * row[j];
  }
  row[i] = std::sqrt(std::max(diagonal, kMinDiagonal));
}

// What the value of the last point has that the ones before do not explain, in deviations.
double GaussianProcess::innovation(double value, const std::vector<double>& scaled) const {
  const double* row = &factor_[row_begin(scaled.size())];
  for (std::size_t k = 0; k < scaled.size(); ++k) value -= row[k] * scaled[k];
  return value / row[scaled.size()];
}

void GaussianProcess::condition(std::span<const Sample> samples) {
  points_.clear();
  factor_.clear();
  scaled_values_.clear();
  scaled_costs_.clear();
  for (const Sample& sample : samples) {
    append(sample.point);
    scaled_values_.push_back(innovation(sample.value, scaled_values_));
    scaled_costs_.push_back(innovation(sample.cost, scaled_costs_));
  }
}

// The log likelihood of the values, less what the kernel has that is unusual.
double GaussianProcess::fitness(std::span<const Sample> samples) {
  condition(samples);
  double fitness = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    fitness -= 0.5 * scaled_values_[i] * scaled_values_[i] + real_log(factor_[row_begin(i) + i]);
  }
  double unusual = squared_steps(kernel_.noise, kUsualNoise);
  for (const std::size_t length : kernel_.length) unusual += squared_steps(length, kUsualLength);
  return fitness - kUsualWeight * unusual;
}

// Steps one choice of the kernel up or down as long as that is better.
bool GaussianProcess::improve(std::size_t& setting, std::size_t count,
                              std::span<const Sample> samples, double& best) {
  const auto apply = [&](std::size_t value) {
    setting = value;
    for (std::size_t s = 0; s < scales_.size(); ++s) {
      if (&setting == &kernel_.length[s]) build_table(s);
    }
    if (&setting == &kernel_.roundness) build_tables();
  };
  bool improved = false;
  for (const bool up : {true, false}) {
    while (up ? setting + 1 < count : setting > 0) {
      const std::size_t before = setting;
      apply(up ? before + 1 : before - 1);
      const double found = fitness(samples);
      if (found <= best) {
        apply(before);
        break;
      }
      best = found;
      improved = true;
    }
    if (improved) break;
  }
  return improved;
}

void GaussianProcess::fit(std::span<const Sample> samples) {
  const std::span<const Sample> fitted = samples.first(std::min(samples.size(), kMaxFitted));
  double best = fitness(fitted);
  bool improved = true;
  for (int sweep = 0; sweep < kSweeps && improved; ++sweep) {
    improved = false;
    for (std::size_t& length : kernel_.length) {
      improved |= improve(length, kLengths.size(), fitted, best);
    }
    improved |= improve(kernel_.noise, kNoises.size(), fitted, best);
    improved |= improve(kernel_.additive, kAdditiveWeights.size(), fitted, best);
    improved |= improve(kernel_.roundness, kRoundnessWeights.size(), fitted, best);
  }
  condition(samples);
}

// Updates the predictions by the next sample that they do not know yet.
void GaussianProcess::extend(Predictions& pool) const {
  const std::size_t i = pool.rows.size();
  const std::size_t count = pool.points.size();
  const double* factor = &factor_[row_begin(i)];
  std::vector<float> row = covariances(points_[i], pool);
  for (std::size_t k = 0; k < i; ++k) {
    const auto weight = static_cast<float>(factor[k]);
    const float* before = pool.rows[k].data();
    for (std::size_t c = 0; c < count; ++c) row[c] -= weight * before[c];
  }
  const auto inverse = static_cast<float>(1 / factor[i]);
  const auto value = static_cast<float>(scaled_values_[i]);
  const auto cost = static_cast<float>(scaled_costs_[i]);
  for (std::size_t c = 0; c < count; ++c) {
    row[c] *= inverse;
    pool.mean[c] += row[c] * value;
    pool.cost[c] += row[c] * cost;
    pool.variance[c] -= row[c] * row[c];
  }
  pool.rows.push_back(std::move(row));
}

Predictions GaussianProcess::predict(std::vector<Point> points) const {
  Predictions pool;
  pool.points = std::move(points);
  const std::size_t count = pool.points.size();
  pool.mean.assign(count, 0);
  pool.cost.assign(count, 0);
  pool.variance.assign(count, 1);
  for (const ParameterScale& scale : scales_) {
    std::vector<std::uint16_t>& levels = pool.levels.emplace_back(count);
    for (std::size_t c = 0; c < count; ++c) {
      levels[c] = scale.level[pool.points[c][scale.parameter]];
    }
  }
  while (pool.rows.size() < points_.size()) extend(pool);
  return pool;
}

void GaussianProcess::add(const Sample& sample, Predictions& pool) {
  append(sample.point);
  scaled_values_.push_back(innovation(sample.value, scaled_values_));
  scaled_costs_.push_back(innovation(sample.cost, scaled_costs_));
  extend(pool);
}

void GaussianProcess::believe(const Point& point, Predictions& pool) {
  append(point);
  scaled_values_.push_back(0);
  scaled_costs_.push_back(0);
  extend(pool);
}

}  // namespace burin::tune
