// What a series of measured values comes to. The median and the quartiles, as launches that the
// system disturbed must not move the figure:
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
  double deviation = 0;  // the median of the distances from the median
  double least = 0;
  double most = 0;

  // Half the distance between the quartiles over the median: 0.01 is "within one percent".
  double spread() const { return median == 0 ? 0 : (upper_quartile - lower_quartile) / 2 / median; }
};

// All zero where there are no values.
Sample summarize(std::span<const double> values);

// The value below which `part` (0 to 1) of the sorted values lie, between two where need be.
double quantile(std::span<const double> sorted, double part);

}  // namespace burin::measure
