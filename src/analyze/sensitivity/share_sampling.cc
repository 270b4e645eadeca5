#include "analyze/sensitivity/share_sampling.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace burin::analyze {

namespace {

constexpr double kWorthNaming = 0.1;     // share that is worth naming
constexpr double kPromising = 0.035;     // share of a light replay
constexpr double kMoves = 0.06;          // share of several rows at once: one may be worth naming
constexpr double kPrecise = 0.02;        // standard deviation of a share
constexpr double kShareTime = 6.2;       // that may be spent (Study::spent()), …
constexpr double kFindTime = 7.2;        // … to find the rows that make a difference, and …
constexpr std::size_t kMaxReplays = 48;  // … whole replays
constexpr double kNoisyShare = 0.05;     // standard deviation of a replay, as a share: worth …
constexpr double kNoisyTime = 2;         // … so many times as long, once the rows are found
constexpr std::size_t kGroup = 4;        // rows

using Groups = std::vector<ShareSampling::Group>;

// Groups of a few rows each.
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
  Groups groups = chunks(likely, kGroup);
  const double light = study_.light_replay_cost() * static_cast<double>(likely.size());
  if (light <= study_.replay_cost() * static_cast<double>(groups.size() + 1)) {
    screen(likely, first, others);
    groups.clear();
  }
  if (!others.empty()) groups.push_back(std::move(others));
  const Groups alone = chunks(first, 1);
  groups.insert(groups.begin(), alone.begin(), alone.end());
  while (!groups.empty()) {
    Groups parts;
    for (const Group& group : those_that_move(groups)) {
      for (Group& part : chunks(group, group.size() > kGroup ? kGroup : 1)) {
        parts.push_back(std::move(part));
      }
    }
    parts.resize(std::min(parts.size(), affordable(kFindTime)));
    groups = std::move(parts);
  }
}

void ShareSampling::screen(const Group& rows, Group& promising, Group& others) const {
  std::vector<Change> each;
  for (const std::size_t row : rows) each.push_back(changes({row})[0]);
  const std::vector<double> slower = study_.slowdowns(each, 0, 1);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const double share = (slower[k] - 1) / options_.step;
    (share >= kPromising ? promising : others).push_back(rows[k]);
  }
}

Groups ShareSampling::those_that_move(const Groups& groups) {
  std::vector<Study::Sample> samples;
  for (const Group& group : groups) {
    const bool alone = group.size() == 1;
    const std::size_t number = alone ? rows_[group[0]].samples.size() : 0;
    samples.push_back({changes(group), static_cast<unsigned>(number)});
  }
  const std::vector<double> slower = replay(samples);
  Groups moving;
  for (std::size_t k = 0; k < groups.size(); ++k) {
    const Group& group = groups[k];
    double share = (slower[k] - 1) / options_.step;
    if (group.size() == 1) {
      rows_[group[0]].replayed = true;
      rows_[group[0]].samples.push_back(share);
      continue;
    }
    // The unchanged replay of the same sample may be below the mean, and the change may not alter
    // that: the larger difference counts.
    share -= std::min(0.0, unchanged(0));
    for (const std::size_t row : group) drop(row, share);
    if (share >= std::max(kMoves, usual_)) moving.push_back(group);
  }
  settle_all();
  return moving;
}

std::size_t ShareSampling::affordable(double most_time) const {
  // Those without a change are made with the first rows.
  const double unchanged = unchanged_.empty() ? Study::kWholeSamples * study_.replay_cost() : 0;
  const double time = std::max(0.0, most_time - study_.spent() - unchanged);
  const auto by_time = static_cast<std::size_t>(time / study_.replay_cost());
  return std::min(by_time, kMaxReplays - std::min(kMaxReplays, replays_));
}

void ShareSampling::drop(std::size_t row, double group_share) {
  rows_[row].replayed = true;
  rows_[row].uncertainty = std::max(std::abs(group_share), usual_);
}

void ShareSampling::take(const Group& rows) {
  those_that_move(chunks(rows, 1));
}

bool ShareSampling::refine() {
  const std::size_t left = affordable(usual_ > kNoisyShare ? kNoisyTime * kShareTime : kShareTime);
  Group rows = imprecise();
  if (rows.empty() || left == 0) return false;
  if (rows.size() > left) rows.resize(left);
  // All rows share the error of the unchanged time.
  const double own = rows_[rows[0]].uncertainty;
  if (reference_error() > 0.6 * own && unchanged_.size() < Study::kMaxSamples) {
    repeat_unchanged(std::min({rows.size() + 1, left, Study::kMaxSamples - unchanged_.size()}));
  } else {
    take(rows);
  }
  return true;
}

// The least precise row first.
ShareSampling::Group ShareSampling::imprecise() const {
  Group found;
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    const Sensitivity& row = rows_[k];
    if (row.samples.empty() || row.samples.size() >= Study::kMaxSamples) continue;
    const bool plausible = row.measured + 1.5 * row.uncertainty >= kWorthNaming;
    // What is near 1 with certainty is named all the same.
    const bool whole = row.measured - 2 * row.uncertainty >= 1;
    if (plausible && !whole && row.uncertainty > kPrecise) found.push_back(k);
  }
  std::ranges::stable_sort(found, std::greater<>(),
                           [&](std::size_t k) { return rows_[k].uncertainty; });
  return found;
}

void ShareSampling::repeat_unchanged(std::size_t times) {
  std::vector<Study::Sample> samples;
  for (std::size_t k = 0; k < times; ++k) {
    samples.push_back({{}, static_cast<unsigned>(unchanged_.size() + k)});
  }
  const std::vector<double> more = replay(samples);
  unchanged_.insert(unchanged_.end(), more.begin(), more.end());
  usual_ = deviation_of(unchanged_) / std::abs(options_.step);
  settle_all();
}

std::vector<double> ShareSampling::replay(const std::vector<Study::Sample>& samples) {
  replays_ += samples.size();
  std::vector<double> slower = study_.slowdowns_of_whole(samples);
  if (unchanged_.empty()) {
    unchanged_ = study_.unchanged_of_whole();
    usual_ = study_.whole_noise() / std::abs(options_.step);
    replays_ += unchanged_.size();
  }
  return slower;
}

std::vector<Change> ShareSampling::changes(const Group& rows) const {
  std::vector<Change> made;
  for (const std::size_t k : rows) {
    made.push_back({rows_[k].resource, rows_[k].mode, 1 + options_.step});
  }
  return made;
}

// By how much the unchanged replay of this sample is above the mean, as a share.
double ShareSampling::unchanged(std::size_t sample) const {
  if (sample >= unchanged_.size()) return 0;
  return (unchanged_[sample] - mean_of(unchanged_)) / options_.step;
}

// How much of that a changed replay of the same sample has too: 1 where the samples differ by their
// latencies, 0 where by the order in which warps meet. Over all rows, as each has but few.
double ShareSampling::pairing() const {
  double both = 0;
  double square = 0;
  for (const Sensitivity& row : rows_) {
    const std::size_t count = std::min(row.samples.size(), unchanged_.size());
    if (count < 2) continue;
    double mean = 0;
    double mean_unchanged = 0;
    for (std::size_t k = 0; k < count; ++k) {
      mean += row.samples[k] / static_cast<double>(count);
      mean_unchanged += unchanged(k) / static_cast<double>(count);
    }
    for (std::size_t k = 0; k < count; ++k) {
      both += (row.samples[k] - mean) * (unchanged(k) - mean_unchanged);
      square += std::pow(unchanged(k) - mean_unchanged, 2);
    }
  }
  return square > 0 ? std::clamp(both / square, 0.0, 1.0) : 0;
}

double ShareSampling::reference_error() const {
  return usual_ / std::sqrt(static_cast<double>(unchanged_.size()));
}

void ShareSampling::settle_all() {
  const double paired = pairing();
  for (Sensitivity& row : rows_) {
    if (!row.samples.empty()) settle(row, paired);
  }
}

// No chain of waits grows by more than what it consists of: what is measured above 1 or below 0
// comes from warps that meet in another order.
void ShareSampling::settle(Sensitivity& row, double paired) const {
  const auto count = static_cast<double>(row.samples.size());
  std::vector<double> corrected;
  for (std::size_t k = 0; k < row.samples.size(); ++k) {
    corrected.push_back(row.samples[k] - paired * unchanged(k));
  }
  // Samples are multiples of the mean of the first few unchanged replays.
  const double shift = (mean_of(unchanged_) - 1) / options_.step;
  const double usual = usual_ * std::sqrt(1 - paired * paired);
  // The deviation of two or three values says little: the usual one counts for as many as two.
  const double own = deviation_of(corrected);
  const double pooled = std::sqrt((2 * usual * usual + (count - 1) * own * own) / (2 + count - 1));
  row.measured = mean_of(corrected) - shift;
  row.share = std::clamp(row.measured, 0.0, 1.0);
  row.uncertainty = std::hypot(pooled / std::sqrt(count), reference_error());
}

}  // namespace burin::analyze
