// Summary statistics of a series of measured values. Median and quartiles are used because launches
// disturbed by the system must not affect the result:
//
//   Sample s = summarize(std::vector{4.0, 1.0, 2.0, 3.0, 100.0});
//   s.median == 3, s.lower_quartile == 2, s.upper_quartile == 4, s.deviation == 1
#pragma once

#include <cstddef>
#include <span>

namespace burin::measure {

struct Sample {
  std::size_t count = 0;
  double median = 0;
  double lower_quartile = 0;
  double upper_quartile = 0;
  double deviation = 0;  // median absolute deviation
  double least = 0;
  double most = 0;

  // Half the interquartile range divided by the median: 0.01 means "within one percent".
  double spread() const { return median == 0 ? 0 : (upper_quartile - lower_quartile) / 2 / median; }
};

// The statistics of `values`; all zero if there are no values.
Sample summarize(std::span<const double> values);

// The quantile `part` (0 to 1) of the sorted values, interpolated between neighbouring values.
double quantile(std::span<const double> sorted, double part);

}  // namespace burin::measure
