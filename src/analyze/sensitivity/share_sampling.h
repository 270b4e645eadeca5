// Shares of rows (sensitivity.h) from replays, with their uncertainties. More replays make them
// more precise. Unless replays are noisy, a row is replayed with the step and with a smaller one in
// turn, since few launches slow down in proportion: a resource may become the limit only once it is
// 10 % slower, and a latency of a fraction of a cycle more may even help. The share is the mean of
// the shares by step.
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

  // Takes the first rows, and finds which of many others make a difference: those that are likely
  // to, and the rest. Several are changed at once, in one whole replay. If the launch is not
  // slower, none of them is worth naming; otherwise each is replayed alone. Light replays of each
  // of the likely ones come first where they are cheap. What makes no difference has no share; its
  // uncertainty is the share of its group.
  void find(Group first, const Group& likely, Group others);

  // One more replay of each row whose share may be worth naming and is not precise yet, or of the
  // unchanged launch where that is what they lack. False, and nothing is done, where there is no
  // such row or the replays are used up.
  bool refine();

 private:
  // Adds the rows that make a difference in light replays to `promising`, the others to `others`.
  void screen(const Group& rows, Group& promising, Group& others) const;
  // Replays each group, all at the same time. A single row is taken; of the others, those that move
  // are returned, the one that moves most first.
  std::vector<Group> those_that_move(const std::vector<Group>& groups);
  std::size_t affordable(double most_time) const;  // whole replays, from now on
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
