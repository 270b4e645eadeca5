#include "model/fit/sampler.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "model/fit/size_distance.h"

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

// Up to `count` shapes besides those known, each the one farthest from all before it; the first of
// all is the closest to a row of 256 threads.
std::vector<std::size_t> far_apart(std::span<const Shape> shapes,
                                   const std::vector<std::size_t>& known, std::size_t count) {
  std::vector<double> distance(shapes.size(), std::numeric_limits<double>::infinity());
  const auto take = [&](std::size_t taken) {
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      distance[i] = std::min(distance[i], steps_between(shapes[i], shapes[taken]));
    }
  };
  for (const std::size_t shape : known) take(shape);
  const auto from_row = [&](const Shape& shape) { return steps_between(shape, {256, 1, 1}); };
  std::vector<std::size_t> found;
  for (std::size_t k = 0; k < count && k < shapes.size(); ++k) {
    const std::size_t next = static_cast<std::size_t>(
        known.empty() && k == 0 ? std::ranges::min_element(shapes, {}, from_row) - shapes.begin()
                                : std::ranges::max_element(distance) - distance.begin());
    if (distance[next] == 0) break;
    found.push_back(next);
    take(next);
  }
  return found;
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
    if (sizes_.size() * shapes_.size() <= options_.budget) {
      for (std::size_t size = sizes_.size(); size-- > 0;) {
        for (std::size_t shape = 0; shape < shapes_.size(); ++shape) sample(size, shape);
      }
      return times_.sorted();
    }
    const std::vector<std::size_t> searched = searched_sizes(sizes_);
    const auto budget = static_cast<double>(options_.budget);
    const double first = sizes_.size() == 1     ? 1
                         : searched.size() == 1 ? options_.search
                                                : options_.search_all / 2;
    const auto limit = std::max<std::size_t>(1, static_cast<std::size_t>(first * budget));
    start(searched.front(), std::min(options_.spread, limit));
    search(searched.front(), limit);
    const double each = (options_.search_all - first) / static_cast<double>(searched.size() - 1);
    for (std::size_t i = 1; i < searched.size(); ++i) {
      const std::size_t most = taken_ + static_cast<std::size_t>(each * budget);
      const std::vector<std::size_t> before = fastest_of({searched.begin(), searched.begin() + i});
      for (std::size_t k = 0; k < std::min<std::size_t>(3, before.size()); ++k) {
        sample(searched[i], before[k]);
      }
      start(searched[i], std::min<std::size_t>(4, most - std::min(most, taken_)));
      search(searched[i], most);
    }
    follow(searched);
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

  // Each shape is the one farthest from those sampled before it.
  void start(std::size_t size, std::size_t count) {
    std::vector<std::size_t> known;
    for (std::size_t i = 0; i < shapes_.size(); ++i) {
      if (sampled(size, i)) known.push_back(i);
    }
    for (const std::size_t shape : far_apart(shapes_, known, count)) sample(size, shape);
  }

  // The shapes that were sampled at some of the sizes, the smallest mean loss first.
  std::vector<std::size_t> fastest_of(const std::vector<std::size_t>& sizes) const {
    std::vector<double> loss(shapes_.size(), 0);
    std::vector<double> count(shapes_.size(), 0);
    for (const std::size_t size : sizes) {
      const std::vector<std::size_t> order = fastest(size);
      if (order.empty()) continue;
      for (const std::size_t shape : order) {
        loss[shape] += std::log(time_us_[size][shape] / time_us_[size][order.front()]);
        count[shape] += 1;
      }
    }
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < shapes_.size(); ++i) {
      if (count[i] > 0) order.push_back(i);
    }
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return loss[i] / count[i]; });
    return order;
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
  void follow(const std::vector<std::size_t>& searched) {
    for (const std::size_t shape : fastest_of(searched)) {
      for (std::size_t size = sizes_.size(); size-- > 0;) sample(size, shape);
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

std::vector<std::size_t> searched_sizes(std::span<const Sizes> sizes) {
  constexpr double kMinWork = 1.0 / 16;
  constexpr double kFar = 2;  // e-folds: two sides that differ by a factor of 4 each
  const std::vector<std::size_t> usual = usual_sizes(sizes);
  const std::size_t largest =
      *std::ranges::max_element(usual, {}, [&](std::size_t size) { return log_work(sizes[size]); });
  std::vector<std::size_t> found = {largest};
  const double least = log_work(sizes[largest]) + std::log(kMinWork);
  for (;;) {
    std::size_t farthest = sizes.size();
    double distance = kFar;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      if (log_work(sizes[i]) < least) continue;
      double nearest = std::numeric_limits<double>::infinity();
      for (const std::size_t known : found) {
        nearest = std::min(nearest, log_distance(sizes[i], sizes[known]));
      }
      if (nearest <= distance) continue;
      distance = nearest;
      farthest = i;
    }
    if (farthest == sizes.size()) return found;
    found.push_back(farthest);
  }
}

std::vector<Shape> spread_shapes(std::span<const Shape> shapes, std::size_t count) {
  std::vector<Shape> found;
  for (const std::size_t shape : far_apart(shapes, {}, count)) found.push_back(shapes[shape]);
  return found;
}

ShapeTimes fewer(const ShapeTimes& times, std::size_t budget) {
  const auto take = [&](std::size_t size, std::size_t shape) -> std::optional<double> {
    if (!times.has(size, shape)) return std::nullopt;
    return times.time_us[size][shape];
  };
  return sample_shapes(times.names, times.sizes, times.shapes, take, {.budget = budget});
}

ShapeTimes sample_shapes(const std::vector<std::string>& names, std::span<const Sizes> sizes,
                         std::span<const Shape> shapes, const TakeSample& take,
                         const SamplerOptions& options) {
  return Sampling(names, sizes, shapes, take, options).run();
}

}  // namespace burin::model
