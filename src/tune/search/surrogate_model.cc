#include "tune/search/surrogate_model.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "tune/search/opening.h"
#include "tune/search/real.h"

namespace burin::tune {
namespace {

// Chosen on the tuning half of bench/tuning and on its synthetic spaces. The score hardly depends
// on any of them within a factor of two.
constexpr double kRefit = 1.25;          // growth of the answers until the kernel is chosen anew
constexpr std::size_t kMaxSamples = 96;  // that the model is fitted to
constexpr std::size_t kPool = 1024;      // candidates
constexpr std::size_t kCentres = 10;     // of the best answers, whose neighbours are candidates
constexpr double kMinDeviation = 0.05;   // of the transformed answers
constexpr float kMinVariance = 1e-5f;

// The natural logarithm to about three digits, of a positive number.
float quick_log(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  const auto exponent = static_cast<float>(static_cast<int>(bits >> 23) - 127);
  const float m = std::bit_cast<float>((bits & 0x7fffffu) | 0x3f800000u) - 1;
  return 0.69314718f * (exponent + m * (1.4166f + m * (-0.5833f + m * 0.1667f)));
}

// The logarithm of the expected improvement, in deviations, of a normal variable whose mean is z
// deviations better than the best: z Φ(z) + φ(z), which is the integral of Φ. From a table.
class LogImprovement {
 public:
  LogImprovement() {
    constexpr int kSubsteps = 16;
    constexpr double kStep = 1.0 / (kStepsPerUnit * kSubsteps);
    constexpr double kInverseRootTwoPi = 0.39894228040143268;
    double probability = 0, improvement = 0, density = 0;
    for (double z = -kFrom; z <= kRange + 2.0 / kStepsPerUnit; z += kStep) {
      const double next = kInverseRootTwoPi * real_exp(-0.5 * z * z);
      const double before = probability;
      probability += 0.5 * (density + next) * kStep;
      improvement += 0.5 * (before + probability) * kStep;
      density = next;
      const double place = (z + kRange) * kStepsPerUnit;
      if (place >= -0.5 * kStep && std::floor(place) == place) {
        table_.push_back(static_cast<float>(real_log(improvement)));
      }
    }
  }

  float operator()(float z) const {
    const float place = (std::clamp(z, -kRangeF, kRangeF) + kRangeF) * kStepsPerUnit;
    const auto below = static_cast<std::size_t>(place);
    const float part = place - static_cast<float>(below);
    return table_[below] + part * (table_[below + 1] - table_[below]);
  }

 private:
  static constexpr int kStepsPerUnit = 32;
  static constexpr double kRange = 8;
  static constexpr float kRangeF = 8;
  static constexpr double kFrom = 12;  // what is below adds nothing
  std::vector<float> table_;
};

void sort_by_value(std::vector<Answer>& answers) {
  std::ranges::stable_sort(answers, {}, &Answer::value);
}

}  // namespace

SurrogateModel::SurrogateModel(History& history, std::uint64_t seed)
    : history_(history),
      random_(seed),
      scales_(scales_of(history.space())),
      process_(history.space()) {}

bool SurrogateModel::ready() const {
  return history_.answers().size() >= kOpeningPoints && history_.best() != nullptr;
}

std::optional<Point> SurrogateModel::propose() {
  if (history_.exhausted()) return std::nullopt;
  if (!ready()) {
    const std::vector<Point> points = opening_points(history_, scales_, 1, random_);
    return points.empty() ? history_.unseen(random_) : points.front();
  }
  update();
  std::optional<Point> point;
  if (history_.open_points().empty()) {
    point = most_promising(pool_);
  } else {
    // Until they are answered, open points are what they are believed to be.
    GaussianProcess process = process_;
    Predictions pool = pool_;
    for (const Point& open : history_.open_points()) process.believe(open, pool);
    point = most_promising(pool);
  }
  if (point) return point;
  fitted_ = 0;  // the candidates are used up
  return history_.unseen(random_);
}

std::optional<Point> SurrogateModel::best_of(std::vector<Point> points) {
  std::erase_if(points, [&](const Point& point) { return !history_.is_new(point); });
  if (points.empty()) return std::nullopt;
  update();
  const Predictions predictions = process_.predict(std::move(points));
  const auto best = std::ranges::min_element(predictions.mean);
  return predictions.points[static_cast<std::size_t>(best - predictions.mean.begin())];
}

void SurrogateModel::update() {
  const std::span<const Answer> answers = history_.answers();
  const bool refit =
      fitted_ == 0 || static_cast<double>(answers.size()) >= kRefit * static_cast<double>(fitted_);
  if (refit) {
    fit();
    return;
  }
  for (; used_ < answers.size(); ++used_) {
    const Answer& answer = answers[used_];
    if (answer.ok() && !transforms(answer.value)) {
      fit();
      return;
    }
    process_.add(sample_of(answer), pool_);
  }
}

void SurrogateModel::choose_transform() {
  for (transform_ = Transform::kLogarithm; transform_ != Transform::kLinear;
       transform_ = static_cast<Transform>(static_cast<int>(transform_) + 1)) {
    if (std::ranges::all_of(history_.answers(), [&](const Answer& answer) {
          return !answer.ok() || transforms(answer.value);
        })) {
      return;
    }
  }
}

bool SurrogateModel::transforms(double value) const {
  switch (transform_) {
    case Transform::kLogarithm:
      return value > 0;
    case Transform::kNegativeLogarithm:
      return value < 0;
    case Transform::kLinear:
      break;
  }
  return true;
}

double SurrogateModel::transformed(double value) const {
  switch (transform_) {
    case Transform::kLogarithm:
      return real_log(value);
    case Transform::kNegativeLogarithm:
      return -real_log(-value);
    case Transform::kLinear:
      break;
  }
  return value;
}

Sample SurrogateModel::sample_of(const Answer& answer) const {
  Sample sample{.point = answer.point, .value = worst_};
  if (answer.ok()) sample.value = (transformed(answer.value) - mean_) / deviation_;
  if (answer.seconds > 0) sample.cost = real_log(answer.seconds) - cost_mean_;
  return sample;
}

// At most kMaxSamples: the best half of them, and others at random. Those that choose the kernel
// come first, and are mixed in the same way.
std::vector<Answer> SurrogateModel::training_set() {
  std::vector<Answer> answers(history_.answers().begin(), history_.answers().end());
  for (const std::size_t limit : {kMaxSamples, GaussianProcess::kMaxFitted}) {
    if (answers.size() <= limit) continue;
    sort_by_value(answers);
    std::vector<Answer> others(answers.begin() + static_cast<std::ptrdiff_t>(limit / 2),
                               answers.end());
    random_.shuffle(others);
    if (limit == kMaxSamples) others.resize(limit - limit / 2);
    answers.resize(limit / 2);
    answers.insert(answers.end(), others.begin(), others.end());
  }
  return answers;
}

void SurrogateModel::fit() {
  const std::vector<Answer> answers = training_set();
  choose_transform();
  double count = 0, sum = 0, squares = 0, worst = 0;
  double costs = 0, cost_count = 0;
  for (const Answer& answer : answers) {
    if (answer.seconds > 0) {
      costs += real_log(answer.seconds);
      ++cost_count;
    }
    if (!answer.ok()) continue;
    const double value = transformed(answer.value);
    worst = count == 0 ? value : std::max(worst, value);
    sum += value;
    squares += value * value;
    ++count;
  }
  cost_mean_ = cost_count > 0 ? costs / cost_count : 0;
  mean_ = sum / count;
  const double variance = squares / count - mean_ * mean_;
  deviation_ = std::sqrt(std::max(0.0, variance));
  if (transform_ != Transform::kLinear) deviation_ = std::max(kMinDeviation, deviation_);
  if (!(deviation_ > 0)) deviation_ = 1;
  worst_ = (worst - mean_) / deviation_;

  std::vector<Sample> samples;
  for (const Answer& answer : answers) samples.push_back(sample_of(answer));
  process_.fit(samples);
  pool_ = process_.predict(candidates());
  fitted_ = history_.answers().size();
  used_ = fitted_;
}

// All new points of a small space. Of a large one, neighbours of the best answers and random
// points.
std::vector<Point> SurrogateModel::candidates() {
  const Space& space = history_.space();
  std::vector<Point> points;
  if (space.size() <= kPool) {
    for (std::uint64_t i = 0; i < space.size(); ++i) {
      Point point = space.at(i);
      if (history_.is_new(point)) points.push_back(std::move(point));
    }
    return points;
  }
  std::vector<Answer> answers(history_.answers().begin(), history_.answers().end());
  sort_by_value(answers);
  for (std::size_t i = 0; i < std::min(kCentres, answers.size()); ++i) {
    for (Point& point : space.neighbours(answers[i].point, Neighbourhood::kAnyValue)) {
      if (points.size() < kPool / 2 && history_.is_new(point)) points.push_back(std::move(point));
    }
  }
  while (points.size() < kPool) {
    std::optional<Point> point = history_.unseen(random_);
    if (!point) break;
    points.push_back(std::move(*point));
  }
  return points;
}

std::optional<Point> SurrogateModel::most_promising(const Predictions& pool) const {
  static const LogImprovement log_improvement;
  const auto best = static_cast<float>(sample_of(*history_.best()).value);
  std::optional<std::size_t> chosen;
  float chosen_gain = 0;
  for (std::size_t c = 0; c < pool.points.size(); ++c) {
    const float variance = std::max(kMinVariance, pool.variance[c]);
    const float z = (best - pool.mean[c]) / std::sqrt(variance);
    const float gain = log_improvement(z) + 0.5f * quick_log(variance) - pool.cost[c];
    if ((!chosen || gain > chosen_gain) && history_.is_new(pool.points[c])) {
      chosen_gain = gain;
      chosen = c;
    }
  }
  if (!chosen) return std::nullopt;
  return pool.points[*chosen];
}

}  // namespace burin::tune
