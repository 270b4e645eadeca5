// Which sizes and shapes are worth a sample, when there are more than may be taken.
//
//   ShapeTimes times = sample_shapes({"n"}, {{65536}, {4194304}}, shapes, measure, {});
//
// At the largest size: shapes far apart from one another, then the neighbours of the fastest ones
// (one side doubled or halved, or two threads moved from one side to another) until the fastest
// have been looked around. Then the fastest of them at the other sizes, the larger ones first.
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
  double search = 0.55;      // share of them for the search at the largest size
  std::size_t spread = 20;   // shapes that start the search
  std::size_t around = 5;    // fastest shapes whose neighbours are all sampled
};

// The time of a shape at a size, in µs; none where it does not run.
using TakeSample = std::function<std::optional<double>(std::size_t size, std::size_t shape)>;

// `sizes` from small to large, at least one.
ShapeTimes sample_shapes(const std::vector<std::string>& names, std::span<const Sizes> sizes,
                         std::span<const formula::Shape> shapes, const TakeSample& take,
                         const SamplerOptions& options);

}  // namespace burin::model
