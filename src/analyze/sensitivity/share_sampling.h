// Shares of rows (sensitivity.h) from replays, with their uncertainties. More replays make them
// more precise. A row alternates between the step and a smaller one, since few launches slow down
// in proportion: a resource may become the bottleneck only once it is 10 % slower, and an
// additional fraction of a cycle of latency may even help. The share is the mean over the two
// steps. Where replays are noisy, all samples have one larger step: noise is a smaller part of its
// effect.
//
//   ShareSampling sampling(study, options, rows);
//   sampling.find({0, 1}, likely, others);  // two rows, and which others make a difference
//   while (sampling.refine()) {}            // more, until precise or the time is used up
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "analyze/sensitivity/sensitivity.h"
#include "analyze/study/study.h"

namespace burin::analyze {

class ShareSampling {
 public:
  using Group = std::vector<std::size_t>;  // rows

  // All arguments must outlive this object. Shares and uncertainties of `rows` are kept up to date.
  ShareSampling(const Study& study, const SensitivityOptions& options,
                std::vector<Sensitivity>& rows);

  // One more whole replay of each of the rows.
  void take(const Group& rows);

  // Replays each of the `first` rows alone, and finds which of the others affect the time. The
  // others are changed several at once, in one whole replay: if the launch is not slower, none of
  // them is worth naming; otherwise each is replayed alone. If light replays are cheap, and replays
  // have little noise, each of the `likely` rows has a light one first. A row without effect has
  // share 0, and its uncertainty is the share of its group.
  void find(Group first, const Group& likely, Group others);

  // Replays each row once more whose share may be worth naming and is not precise yet, or the
  // unchanged launch if its error dominates. Returns false, without any replay, if there is no such
  // row or the time or number of replays is used up.
  bool refine();

 private:
  // Adds the rows that slow down light replays to `promising`, the others to `others`.
  void screen(const Group& rows, Group& promising, Group& others) const;
  // Replays each group, all in parallel. A group of one row adds a sample to that row. Returns the
  // larger groups that slow the launch down by more than noise, the slowest first.
  std::vector<Group> replay_groups(const std::vector<Group>& groups);
  std::size_t affordable(double most_time) const;  // number of further whole replays
  struct MovingGroup {
    double share = 0;  // of all its rows at once
    Group rows;
  };
  // Replays each group once more, and removes those that moved by chance.
  void confirm(std::vector<MovingGroup>& groups);
  double group_share(double slower, std::size_t sample) const;
  bool is_moving(double group_share) const;
  void replay_unchanged();
  std::vector<double> replay(const std::vector<Study::Sample>& samples);
  std::vector<Change> changes(const Group& rows, double step) const;
  // The step of a row's sample with this number.
  double step_of(std::size_t sample) const;
  void drop(std::size_t row, double group_share);
  Group imprecise() const;
  void repeat_unchanged(std::size_t times);
  double unchanged(std::size_t sample) const;
  double pairing() const;
  double changed_noise() const;
  double share_noise() const { return noise_ / std::abs(options_.step); }
  // Small steps would have shares that are mostly noise.
  bool is_noisy() const;
  double reference_error() const;
  std::vector<double> of_step(const Sensitivity& row, std::size_t step) const;
  bool is_precise(const Sensitivity& row) const;
  void settle_all();
  void settle(Sensitivity& row, double paired) const;

  const Study& study_;
  const SensitivityOptions& options_;
  std::vector<Sensitivity>& rows_;
  std::vector<double> unchanged_;  // unchanged replays, as multiples of the mean of the first few
  double noise_ = 0;               // standard deviation of these
  std::size_t steps_ = 1;          // number of different steps
  std::size_t replays_ = 0;        // whole replays so far
};

}  // namespace burin::analyze
