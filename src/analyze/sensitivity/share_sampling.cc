#include "analyze/sensitivity/share_sampling.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <tuple>
#include <utility>

namespace burin::analyze {

namespace {

constexpr double kWorthNaming = 0.1;      // smaller shares are not reported
constexpr double kMinLightShare = 0.035;  // smaller share in a light replay: replayed in a group
constexpr double kMinGroupShare = 0.06;   // from this share on, a group's rows are replayed alone
constexpr double kMaxUncertainty = 0.02;  // standard deviation of a share that is precise enough
constexpr double kRefineTime = 6.2;       // limit of Study::spent() for refining shares
constexpr double kFindTime = 7.6;         // limit for finding the rows that affect the time
constexpr double kStepTime = 7.1;         // limit for the first sample of each step
constexpr std::size_t kMaxReplays = 64;   // limit on whole replays
constexpr double kNoisyShare = 0.05;      // noise of one replay, as a share: above this, steps are
                                          // kLargerStep of the options' step, …
constexpr double kNoisyTimeFactor = 1.5;  // … and refining may take this many times as long
constexpr std::size_t kRowsPerGroup = 4;
// Factors of the step in the options. Replays alternate between them unless they are noisy.
constexpr std::array kSteps = {1.0, kSmallerStep};
// If the shares of the two steps differ by more than this, the row is replayed until it has
// kEnoughSamples samples: the difference may be noise.
constexpr double kMaxStepDifference = 0.06;
constexpr std::size_t kEnoughSamples = 4;
// If replays with a change are this many times as noisy as unchanged replays, the unchanged ones
// agree by chance. There must then be at least kMinUnchanged of them.
constexpr double kMaxNoiseRatio = 4;
constexpr std::size_t kMinUnchanged = 6;
// A row is sampled again as long as its share, plus this many standard deviations, is worth naming.
constexpr double kMargin = 1.5;
constexpr double kNoisyMargin = 1;
constexpr double kMinNoise = 0.0005;  // relative standard deviation of a replay's time

using Groups = std::vector<ShareSampling::Group>;

// Splits the rows into groups of `size`.
Groups chunks(const ShareSampling::Group& rows, std::size_t size) {
  Groups made;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (k % size == 0) made.emplace_back();
    made.back().push_back(rows[k]);
  }
  return made;
}

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double deviation_of(std::span<const double> values) {
  const double mean = mean_of(values);
  double square = 0;
  for (const double value : values) square += std::pow(value - mean, 2);
  return values.size() > 1 ? std::sqrt(square / static_cast<double>(values.size() - 1)) : 0;
}

}  // namespace

ShareSampling::ShareSampling(const Study& study, const SensitivityOptions& options,
                             std::vector<Sensitivity>& rows)
    : study_(study), options_(options), rows_(rows) {}

void ShareSampling::find(Group first, const Group& likely, Group others) {
  replay_unchanged();
  Groups groups = chunks(likely, kRowsPerGroup);
  const double light = study_.light_replay_cost() * static_cast<double>(likely.size());
  const bool cheap = light <= study_.replay_cost() * static_cast<double>(groups.size() + 1);
  if (cheap && !is_noisy()) {
    screen(likely, first, others);
    groups.clear();
  }
  if (!others.empty()) groups.push_back(std::move(others));
  const Groups alone = chunks(first, 1);
  groups.insert(groups.begin(), alone.begin(), alone.end());
  while (!groups.empty()) {
    Groups parts;
    for (const Group& group : replay_groups(groups)) {
      for (Group& part : chunks(group, group.size() > kRowsPerGroup ? kRowsPerGroup : 1)) {
        parts.push_back(std::move(part));
      }
    }
    parts.resize(std::min(parts.size(), affordable(kFindTime)));
    groups = std::move(parts);
  }
}

void ShareSampling::screen(const Group& rows, Group& promising, Group& others) const {
  std::vector<Change> each;
  for (const std::size_t row : rows) each.push_back(changes({row}, options_.step)[0]);
  const std::vector<double> slower = study_.slowdowns(each, 0, 1);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const double share = (slower[k] - 1) / options_.step;
    (share >= kMinLightShare ? promising : others).push_back(rows[k]);
  }
}

Groups ShareSampling::replay_groups(const Groups& groups) {
  std::vector<Study::Sample> samples;
  std::vector<double> steps;
  for (const Group& group : groups) {
    const bool alone = group.size() == 1;
    const std::size_t number = alone ? rows_[group[0]].samples.size() : 0;
    const double step = step_of(number);
    steps.push_back(step);
    samples.push_back({changes(group, step), static_cast<unsigned>(number)});
  }
  const std::vector<double> slower = replay(samples);
  std::vector<MovingGroup> moving;
  for (std::size_t k = 0; k < groups.size(); ++k) {
    const Group& group = groups[k];
    if (group.size() == 1) {
      Sensitivity& row = rows_[group[0]];
      row.replayed = true;
      row.samples.push_back((slower[k] - 1) / steps[k]);
      row.steps.push_back(steps[k]);
      continue;
    }
    const double share = group_share(slower[k], 0);
    for (const std::size_t row : group) drop(row, share);
    if (is_moving(share)) moving.push_back({share, group});
  }
  settle_all();
  if (is_noisy()) confirm(moving);
  std::ranges::stable_sort(moving, std::greater<>(), &MovingGroup::share);
  Groups result;
  for (MovingGroup& group : moving) result.push_back(std::move(group.rows));
  return result;
}

// Another replay of each group costs less than one of each of its rows.
void ShareSampling::confirm(std::vector<MovingGroup>& groups) {
  std::vector<Study::Sample> samples;
  for (const MovingGroup& group : groups) samples.push_back({changes(group.rows, step_of(1)), 1});
  const std::vector<double> slower = replay(samples);
  for (std::size_t k = 0; k < groups.size(); ++k) {
    groups[k].share = (groups[k].share + group_share(slower[k], 1)) / 2;
    for (const std::size_t row : groups[k].rows) drop(row, groups[k].share);
  }
  std::erase_if(groups, [&](const MovingGroup& group) { return !is_moving(group.share); });
}

// The unchanged replay of this sample may be faster than the mean, and the changed one as well. The
// larger of the two differences counts.
double ShareSampling::group_share(double slower, std::size_t sample) const {
  return (slower - 1 - std::min(0.0, unchanged(sample))) / step_of(sample);
}

bool ShareSampling::is_moving(double group_share) const {
  return group_share >= std::max(kMinGroupShare, share_noise());
}

std::size_t ShareSampling::affordable(double most_time) const {
  const double time = std::max(0.0, most_time - study_.spent());
  const auto by_time = static_cast<std::size_t>(time / study_.replay_cost());
  return std::min(by_time, kMaxReplays - std::min(kMaxReplays, replays_));
}

void ShareSampling::drop(std::size_t row, double group_share) {
  rows_[row].replayed = true;
  rows_[row].uncertainty = std::max(std::abs(group_share), share_noise());
}

void ShareSampling::take(const Group& rows) {
  replay_groups(chunks(rows, 1));
}

bool ShareSampling::refine() {
  Group rows = imprecise();
  if (rows.empty()) return false;
  const bool first = rows_[rows[0]].samples.size() < steps_;
  const std::size_t left = affordable(is_noisy() ? kNoisyTimeFactor * kRefineTime
                                      : first    ? kStepTime
                                                 : kRefineTime);
  if (left == 0) return false;
  if (rows.size() > left) rows.resize(left);
  // All rows share the error of the unchanged time.
  const double own = rows_[rows[0]].uncertainty;
  const bool doubtful =
      changed_noise() > kMaxNoiseRatio * noise_ && unchanged_.size() < kMinUnchanged;
  if (doubtful) {
    repeat_unchanged(std::min(left, kMinUnchanged - unchanged_.size()));
  } else if (own > kMaxUncertainty && reference_error() > 0.6 * own &&
             unchanged_.size() < Study::kMaxSamples) {
    repeat_unchanged(std::min({rows.size() + 1, left, Study::kMaxSamples - unchanged_.size()}));
  } else {
    take(rows);
  }
  return true;
}

// Rows without a sample of each step first, then the least precise, the largest of equals first.
ShareSampling::Group ShareSampling::imprecise() const {
  Group found;
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    const Sensitivity& row = rows_[k];
    if (row.samples.empty() || row.samples.size() >= Study::kMaxSamples) continue;
    const double margin = is_noisy() ? kNoisyMargin : kMargin;
    const bool plausible = row.measured + margin * row.uncertainty >= kWorthNaming;
    // A share that is certainly near 1 needs no more precision.
    const bool whole = row.measured - 2 * row.uncertainty >= 1;
    if (plausible && !whole && !is_precise(row)) found.push_back(k);
  }
  std::ranges::stable_sort(found, std::greater<>(), [&](std::size_t k) {
    const double percent = std::round(100 * rows_[k].uncertainty);
    return std::tuple(rows_[k].samples.size() < steps_, percent, rows_[k].measured);
  });
  return found;
}

bool ShareSampling::is_precise(const Sensitivity& row) const {
  if (row.uncertainty > kMaxUncertainty || row.samples.size() < steps_) return false;
  if (steps_ == 1 || row.samples.size() >= kEnoughSamples) return true;
  return std::abs(mean_of(of_step(row, 0)) - mean_of(of_step(row, 1))) <= kMaxStepDifference;
}

// The row's samples that used this step.
std::vector<double> ShareSampling::of_step(const Sensitivity& row, std::size_t step) const {
  std::vector<double> found;
  for (std::size_t k = step; k < row.samples.size(); k += steps_) found.push_back(row.samples[k]);
  return found;
}

void ShareSampling::repeat_unchanged(std::size_t times) {
  std::vector<Study::Sample> samples;
  for (std::size_t k = 0; k < times; ++k) {
    samples.push_back({{}, static_cast<unsigned>(unchanged_.size() + k)});
  }
  const std::vector<double> more = replay(samples);
  unchanged_.insert(unchanged_.end(), more.begin(), more.end());
  noise_ = std::max(kMinNoise, deviation_of(unchanged_));
  settle_all();
}

void ShareSampling::replay_unchanged() {
  unchanged_ = study_.unchanged_of_whole();
  noise_ = study_.whole_noise();
  steps_ = is_noisy() ? 1 : kSteps.size();
  replays_ += unchanged_.size();
}

std::vector<double> ShareSampling::replay(const std::vector<Study::Sample>& samples) {
  replays_ += samples.size();
  return study_.slowdowns_of_whole(samples);
}

double ShareSampling::step_of(std::size_t sample) const {
  if (is_noisy() && options_.step > 0) return options_.step * kLargerStep;
  return options_.step * kSteps[sample % steps_];
}

std::vector<Change> ShareSampling::changes(const Group& rows, double step) const {
  std::vector<Change> made;
  for (const std::size_t k : rows) {
    made.push_back({rows_[k].resource, rows_[k].mode, 1 + step});
  }
  return made;
}

// Difference of this sample's unchanged replay from the mean.
double ShareSampling::unchanged(std::size_t sample) const {
  return sample < unchanged_.size() ? unchanged_[sample] - mean_of(unchanged_) : 0;
}

// Regression slope of changed replays on unchanged replays of the same sample: 1 if samples differ
// because of their latencies, 0 if they differ because of warp ordering. All rows are pooled, since
// each has few samples.
double ShareSampling::pairing() const {
  double both = 0;
  double square = 0;
  for (const Sensitivity& row : rows_) {
    for (std::size_t s = 0; s < steps_; ++s) {
      std::vector<double> changed;
      std::vector<double> same;  // the unchanged replays of the same samples
      const std::size_t count = std::min(row.samples.size(), unchanged_.size());
      for (std::size_t k = s; k < count; k += steps_) {
        changed.push_back((row.samples[k] - row.measured) * row.steps[k]);
        same.push_back(unchanged(k));
      }
      if (changed.size() < 2) continue;
      const double mean = mean_of(changed);
      const double mean_same = mean_of(same);
      for (std::size_t k = 0; k < changed.size(); ++k) {
        both += (changed[k] - mean) * (same[k] - mean_same);
        square += std::pow(same[k] - mean_same, 2);
      }
    }
  }
  return square > 0 ? std::clamp(both / square, 0.0, 1.0) : 0;
}

// Standard deviation of the time of one replay with a change, pooled over all rows; 0: unknown.
double ShareSampling::changed_noise() const {
  double square = 0;
  double values = 0;
  for (const Sensitivity& row : rows_) {
    for (std::size_t s = 0; s < steps_; ++s) {
      const std::vector<double> samples = of_step(row, s);
      if (samples.size() < 2) continue;
      const auto more = static_cast<double>(samples.size() - 1);
      square += more * std::pow(deviation_of(samples) * row.steps[s], 2);
      values += more;
    }
  }
  return values > 0 ? std::sqrt(square / values) : 0;
}

bool ShareSampling::is_noisy() const {
  return share_noise() > kNoisyShare;
}

// Standard error of the unchanged time that changed replays are compared with, as a share.
double ShareSampling::reference_error() const {
  return share_noise() / std::sqrt(static_cast<double>(unchanged_.size()));
}

void ShareSampling::settle_all() {
  const double paired = pairing();
  for (Sensitivity& row : rows_) {
    if (!row.samples.empty()) settle(row, paired);
  }
}

// A share is at least 0 and at most 1: no dependency chain grows by more than its own length.
// Measurements outside that range are noise from warp ordering.
void ShareSampling::settle(Sensitivity& row, double paired) const {
  // Samples are multiples of the mean of the first few unchanged replays.
  const double above = mean_of(unchanged_) - 1;
  // The deviation of two or three values is unreliable: the usual noise is weighted like two
  // values.
  double values = 2;
  double square = values * std::pow(noise_, 2) * (1 - paired * paired);
  double variance = 0;   // of the sum of the shares by step, for a noise of 1
  double shares = 0;     // their sum
  double reference = 0;  // by how much an unchanged time that is 1 higher lowers it
  const std::size_t steps = std::min(steps_, row.samples.size());
  for (std::size_t s = 0; s < steps; ++s) {
    // The share is the slope of the time over the step.
    std::vector<double> slower;
    double sum = 0;
    double weight = 0;
    double length = 0;
    for (std::size_t k = s; k < row.samples.size(); k += steps_) {
      const double step = row.steps[k];
      slower.push_back(row.samples[k] * step - paired * unchanged(k) - above);
      sum += step * slower.back();
      weight += step * step;
      length += step;
    }
    const double share = sum / weight;
    for (std::size_t k = 0; k < slower.size(); ++k) {
      square += std::pow(slower[k] - share * row.steps[s + k * steps_], 2);
    }
    values += static_cast<double>(slower.size() - 1);
    variance += 1 / weight;
    shares += share;
    reference += length / weight;
  }
  const auto count = static_cast<double>(steps);
  row.measured = shares / count;
  row.share = std::clamp(row.measured, 0.0, 1.0);
  row.uncertainty = std::hypot(std::sqrt(square / values * variance),
                               reference_error() * options_.step * reference) /
                    count;
}

}  // namespace burin::analyze
