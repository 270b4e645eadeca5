// Which sizes and shapes are worth a sample, when there are more than may be taken.
//
//   ShapeTimes times = sample_shapes({"n"}, {{65536}, {4194304}}, shapes, measure, {});
//
// At the largest size: shapes far apart from one another, then the neighbours of the fastest ones
// (one side doubled or halved, or two threads moved from one side to another) until the fastest
// have been looked around. The same at sizes of much other proportions, from fewer shapes: those
// that were fast before, and a few far apart. Then the fastest of all at the other sizes, the
// larger ones first.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/fit/shape_times.h"

namespace burin::model {

struct SamplerOptions {
  std::size_t budget = 100;  // samples in all
  double search = 0.55;  // share of them for the search at the largest size, if it is the only one
  double search_all = 0.85;  // share for all searches, if there are others
  std::size_t spread = 20;   // shapes that start the search
  std::size_t around = 5;    // fastest shapes whose neighbours are all sampled
};

// Sizes at which shapes are searched for, as indices: the largest of the usual proportions, and
// those that are far from one another, by more than a factor of 4 in one side against another, with
// at least a sixteenth of its work.
std::vector<std::size_t> searched_sizes(std::span<const Sizes> sizes);

// Up to `count` shapes far apart from one another; the first is the one closest to a row of 256.
std::vector<formula::Shape> spread_shapes(std::span<const formula::Shape> shapes,
                                          std::size_t count);

// The times that sampling would have taken of those.
ShapeTimes fewer(const ShapeTimes& times, std::size_t budget);

// The time of a shape at a size, in µs; none where it does not run.
using TakeSample = std::function<std::optional<double>(std::size_t size, std::size_t shape)>;

// `sizes` from small to large, at least one.
ShapeTimes sample_shapes(const std::vector<std::string>& names, std::span<const Sizes> sizes,
                         std::span<const formula::Shape> shapes, const TakeSample& take,
                         const SamplerOptions& options);

}  // namespace burin::model
