#include "model/fit/sampler.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace burin::model {
namespace {

using formula::Shape;

constexpr double kNotSampled = -1;
constexpr double kDoesNotRun = std::numeric_limits<double>::infinity();

double log_side(std::uint32_t side) {
  return std::log2(static_cast<double>(side));
}

// Doublings and halvings between two shapes, all sides together.
double steps_between(const Shape& a, const Shape& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += std::abs(log_side(a[i]) - log_side(b[i]));
  return sum;
}

class Sampling {
 public:
  Sampling(const std::vector<std::string>& names, std::span<const Sizes> sizes,
           std::span<const Shape> shapes, const TakeSample& take, const SamplerOptions& options)
      : sizes_(sizes),
        shapes_(shapes),
        take_(take),
        options_(options),
        time_us_(sizes.size(), std::vector<double>(shapes.size(), kNotSampled)) {
    times_.names = names;
  }

  ShapeTimes run() {
    const std::size_t last = sizes_.size() - 1;
    if (sizes_.size() * shapes_.size() <= options_.budget) {
      for (std::size_t size = sizes_.size(); size-- > 0;) {
        for (std::size_t shape = 0; shape < shapes_.size(); ++shape) sample(size, shape);
      }
      return times_.sorted();
    }
    const auto for_search =
        sizes_.size() == 1
            ? options_.budget
            : static_cast<std::size_t>(options_.search * static_cast<double>(options_.budget));
    start(last, std::min(options_.spread, for_search));
    search(last, for_search);
    follow(last);
    return times_.sorted();
  }

 private:
  bool spent() const { return taken_ >= options_.budget; }
  bool sampled(std::size_t size, std::size_t shape) const {
    return time_us_[size][shape] != kNotSampled;
  }

  void sample(std::size_t size, std::size_t shape) {
    if (spent() || sampled(size, shape)) return;
    ++taken_;
    const std::optional<double> us = take_(size, shape);
    time_us_[size][shape] = us.value_or(kDoesNotRun);
    if (us) times_.add(sizes_[size], shapes_[shape], *us);
  }

  // Each shape is the one farthest from those sampled before it; the first one is the closest to
  // a row of 256 threads.
  void start(std::size_t size, std::size_t count) {
    std::vector<double> distance(shapes_.size());
    std::size_t next = 0;
    for (std::size_t i = 0; i < shapes_.size(); ++i) {
      distance[i] = std::numeric_limits<double>::infinity();
      if (steps_between(shapes_[i], {256, 1, 1}) < steps_between(shapes_[next], {256, 1, 1})) {
        next = i;
      }
    }
    for (std::size_t taken = 0; taken < count; ++taken) {
      sample(size, next);
      distance[next] = 0;
      for (std::size_t i = 0; i < shapes_.size(); ++i) {
        distance[i] = std::min(distance[i], steps_between(shapes_[i], shapes_[next]));
      }
      next = static_cast<std::size_t>(std::ranges::max_element(distance) - distance.begin());
      if (distance[next] == 0) return;
    }
  }

  std::vector<std::size_t> fastest(std::size_t size) const {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < shapes_.size(); ++i) {
      if (sampled(size, i) && time_us_[size][i] != kDoesNotRun) order.push_back(i);
    }
    std::ranges::stable_sort(order, {}, [&](std::size_t shape) { return time_us_[size][shape]; });
    return order;
  }

  // A neighbour of one of the fastest shapes that was not sampled, nearest to the fastest.
  std::optional<std::size_t> neighbour(std::size_t size) const {
    const std::vector<std::size_t> order = fastest(size);
    for (std::size_t rank = 0; rank < std::min(options_.around, order.size()); ++rank) {
      std::optional<std::size_t> found;
      for (std::size_t i = 0; i < shapes_.size(); ++i) {
        if (sampled(size, i)) continue;
        const double steps = steps_between(shapes_[order[rank]], shapes_[i]);
        if (steps > 2) continue;
        if (!found || steps < steps_between(shapes_[order[rank]], shapes_[*found])) found = i;
      }
      if (found) return found;
    }
    return std::nullopt;
  }

  void search(std::size_t size, std::size_t most) {
    while (taken_ < most) {
      const std::optional<std::size_t> next = neighbour(size);
      if (!next) return;
      sample(size, *next);
    }
  }

  // The fastest shapes at the other sizes, as many as the samples that are left allow.
  void follow(std::size_t last) {
    const std::vector<std::size_t> order = fastest(last);
    for (std::size_t rank = 0; rank < order.size(); ++rank) {
      for (std::size_t size = last; size-- > 0;) sample(size, order[rank]);
      if (spent()) return;
    }
  }

  std::span<const Sizes> sizes_;
  std::span<const Shape> shapes_;
  const TakeSample& take_;
  const SamplerOptions& options_;
  std::vector<std::vector<double>> time_us_;
  ShapeTimes times_;
  std::size_t taken_ = 0;
};

}  // namespace

ShapeTimes sample_shapes(const std::vector<std::string>& names, std::span<const Sizes> sizes,
                         std::span<const Shape> shapes, const TakeSample& take,
                         const SamplerOptions& options) {
  return Sampling(names, sizes, shapes, take, options).run();
}

}  // namespace burin::model
