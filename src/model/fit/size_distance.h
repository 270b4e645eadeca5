// How far problem sizes are from one another: in their work, and in their proportions.
//
//   distance_of({1024, 1024}, {4096, 4096})        work ln 16, proportions 0: grown alike
//   distance_of({1024, 1024}, {16384, 64})         work 0, proportions 3.9: long and narrow
//   usual_sizes(sizes)                             those of about the proportions that most have
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "model/fit/shape_times.h"

namespace burin::model {

struct SizeDistance {
  double work = 0;         // log of the second product over the first; negative: it is smaller
  double proportions = 0;  // length of what remains of the logs of the ratios; not negative
};
SizeDistance distance_of(const Sizes& from, const Sizes& to);

// The length of the vector of the logarithms of all ratios.
double log_distance(const Sizes& from, const Sizes& to);

// Indices; all of them where only one would be left.
std::vector<std::size_t> usual_sizes(std::span<const Sizes> sizes);

}  // namespace burin::model
