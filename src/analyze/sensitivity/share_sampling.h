// Shares of rows (sensitivity.h) from replays, with their uncertainties. More replays make them
// more precise.
//
//   ShareSampling sampling(study, options, rows);
//   sampling.screen(others);           // light replays: which of them make a difference
//   sampling.take({0, 1});             // one whole replay of each of these two rows
//   while (sampling.refine()) {}       // more, until precise or the replays are used up
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "analyze/sensitivity/sensitivity.h"
#include "analyze/study/study.h"

namespace burin::analyze {

// Returns the time of a light replay, as a multiple of the time of a whole one: an estimate from
// the numbers of instructions.
double light_cost(const Study& study);

class ShareSampling {
 public:
  // All arguments must outlive this object. Shares and uncertainties of `rows` are kept up to date.
  ShareSampling(const Study& study, const SensitivityOptions& options,
                std::vector<Sensitivity>& rows);

  // Light replays of each of the rows, the likeliest first. Returns the rows that make a
  // difference; the others have no share.
  std::vector<std::size_t> screen(const std::vector<std::size_t>& rows);
  // One whole replay of all of the rows at once. Returns whether they make a difference; if not,
  // they have no share.
  bool matter_together(const std::vector<std::size_t>& rows);

  // One more whole replay of each of the rows.
  void take(const std::vector<std::size_t>& rows);

  // One more replay of each row whose share may be worth naming and is not precise yet, or of the
  // unchanged launch where that is what they lack. False, and nothing is done, where there is no
  // such row or the replays are used up.
  bool refine();

 private:
  std::vector<std::size_t> screen_each(const std::vector<std::size_t>& rows);
  std::vector<double> replay(const std::vector<Study::Sample>& samples);
  std::vector<Change> changes(const std::vector<std::size_t>& rows) const;
  void drop(std::size_t row, double light_share);
  std::vector<std::size_t> imprecise() const;
  void repeat_unchanged(std::size_t times);
  double unchanged(std::size_t sample) const;
  double pairing() const;
  double reference_error() const;
  void settle_all();
  void settle(Sensitivity& row, double paired) const;

  const Study& study_;
  const SensitivityOptions& options_;
  std::vector<Sensitivity>& rows_;
  std::vector<double> unchanged_;  // unchanged replays, as multiples of the mean of the first few
  double usual_ = 0;               // standard deviation of a share from one replay
  std::size_t replays_ = 0;        // whole replays so far
  std::size_t max_replays_ = 0;
};

}  // namespace burin::analyze
