#include "model/fit/size_distance.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace burin::model {
namespace {

// Of proportions: a side that is 8 times longer against another.
constexpr double kUsual = 1.5;

double log_ratio(std::int64_t from, std::int64_t to) {
  return std::log(static_cast<double>(to) / static_cast<double>(from));
}

}  // namespace

double log_distance(const Sizes& from, const Sizes& to) {
  double square = 0;
  for (std::size_t i = 0; i < from.size(); ++i) {
    const double step = log_ratio(from[i], to[i]);
    square += step * step;
  }
  return std::sqrt(square);
}

SizeDistance distance_of(const Sizes& from, const Sizes& to) {
  SizeDistance distance;
  for (std::size_t i = 0; i < from.size(); ++i) distance.work += log_ratio(from[i], to[i]);
  const double alike = distance.work / static_cast<double>(from.size());
  double square = 0;
  for (std::size_t i = 0; i < from.size(); ++i) {
    const double step = log_ratio(from[i], to[i]) - alike;
    square += step * step;
  }
  distance.proportions = std::sqrt(square);
  return distance;
}

std::vector<std::size_t> usual_sizes(std::span<const Sizes> sizes) {
  std::vector<std::size_t> all(sizes.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  if (sizes.empty()) return all;
  // The size that most others have the proportions of; of several the largest.
  std::vector<std::size_t> most;
  for (std::size_t center = sizes.size(); center-- > 0;) {
    std::vector<std::size_t> near;
    for (const std::size_t i : all) {
      if (distance_of(sizes[center], sizes[i]).proportions <= kUsual) near.push_back(i);
    }
    if (near.size() > most.size()) most = std::move(near);
  }
  return most.size() > 1 ? most : all;
}

}  // namespace burin::model
