#include "jobs/fit/kernel_samples.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <memory>

#include "base/format.h"
#include "model/fit/explore.h"
#include "model/fit/sampler.h"
#include "model/fit/size_distance.h"
#include "model/fit/small_sizes.h"

namespace burin::jobs {

using formula::Shape;
using model::ShapeTimes;
using model::Sizes;

namespace {

// Shapes that the emulator is asked about beyond the measured sizes, at most.
constexpr std::size_t kFinalists = 10;
// Measured sizes of the usual proportions at which it is asked too.
constexpr std::ptrdiff_t kAnchors = 2;
// A size at which one prediction takes this long is left out, and no more are asked for after the
// limit of all.
constexpr double kMaxPredictionSeconds = 2.5;
// Sampling by the emulator: a larger size is taken if one prediction there is this fast, and no
// more samples are taken after the limit of all.
constexpr double kMaxSampleSeconds = 0.5;
constexpr double kMaxSamplingSeconds = 42;
constexpr double kMaxExploringSeconds = 45;

// Shapes whose instructions and accesses are counted for the models of the literature: to be
// compared with the others, or to choose by one of them.
constexpr std::size_t kCounted = 6;
constexpr double kMaxCountingSeconds = 10;
constexpr double kMaxCountingAllSeconds = 50;

double processor_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

}  // namespace

std::optional<double> KernelSamples::sample(SpecKernel& kernel, const Sizes& sizes,
                                            const Shape& shape) {
  if (interrupted()) return std::nullopt;
  const Result<double> us = kernel.time_us(sizes, shape);
  if (us) return *us;
  if (++failures_ <= 2) {
    notes_.push_back(fmt::format("{} at {}: {}", fmt::join(shape, " × "), fmt::join(sizes, ", "),
                                 us.error().message));
  }
  return std::nullopt;
}

std::vector<Sizes> KernelSamples::measured_proportions() {
  const auto time = [&](const Sizes& sizes, const Shape& shape) {
    progress_.step("size", first_.size() + 1, request_.samples);
    const auto [known, is_new] = first_.try_emplace({sizes, shape}, std::nullopt);
    if (is_new) known->second = sample(kernel_, sizes, shape);
    return known->second;
  };
  return model::small_sizes(kernel_.sizes(), kernel_.shapes(), time,
                            [&](const Sizes& wanted) { return kernel_.fits(wanted); });
}

bool KernelSamples::is_predicted_fast(const Sizes& sizes) {
  if (!kernel_.fits(sizes)) return false;
  const Shape shape = model::spread_shapes(kernel_.shapes(), 1).front();
  const double before = processor_seconds();
  const std::optional<double> us = sample(kernel_, sizes, shape);
  first_[{sizes, shape}] = us;
  return us && processor_seconds() - before < kMaxSampleSeconds;
}

Result<ShapeTimes> KernelSamples::take() {
  std::vector<Sizes> sizes = kernel_.sizes();
  const bool emulated = kernel_.device().device().is_exact();
  const double start = processor_seconds();
  if (emulated) {
    for (Sizes& larger : model::explored_sizes(kernel_.sizes(), request_.reach)) {
      if (is_predicted_fast(larger)) sizes.push_back(std::move(larger));
    }
  } else if (request_.proportions) {
    for (Sizes& other : measured_proportions()) sizes.push_back(std::move(other));
  }
  std::ranges::stable_sort(sizes, {}, model::log_work);
  const std::vector<Shape>& shapes = kernel_.shapes();
  // Launches that only showed a size to be too large are samples too.
  std::size_t budget = request_.samples;
  for (const auto& [at, us] : first_) {
    if (budget > 1 && std::ranges::find(sizes, at.first) == sizes.end()) --budget;
  }
  const std::size_t all = std::min(budget, sizes.size() * shapes.size());
  std::size_t taken = 0;
  const auto take = [&](std::size_t size, std::size_t shape) {
    progress_.step("sample", ++taken, all);
    const auto known = first_.find({sizes[size], shapes[shape]});
    if (known != first_.end()) return known->second;
    const bool late = emulated && processor_seconds() - start > kMaxSamplingSeconds;
    return late ? std::nullopt : sample(kernel_, sizes[size], shapes[shape]);
  };
  ShapeTimes times = model::sample_shapes(kernel_.names(), sizes, shapes, take, {.budget = budget});
  for (const auto& [at, us] : first_) {
    const bool kept = std::ranges::find(sizes, at.first) != sizes.end();
    if (kept && us && std::isnan(times.time_of(at.first, at.second))) {
      times.add(at.first, at.second, *us);
      times = times.sorted();
    }
  }
  progress_.done();
  if (times.sizes.empty()) {
    return Error{fmt::format("{}: no shape runs{}", request_.tune.input,
                             notes_.empty() ? "" : ": " + notes_.front())};
  }
  return times;
}

std::optional<ShapeTimes> KernelSamples::explore(const ShapeTimes& measured) {
  ShapeTimes predicted;
  predicted.names = measured.names;
  if (kernel_.device().device().is_exact()) {
    explore_with(kernel_, measured, predicted);
  } else {
    const std::optional<machine::Machine>& machine = kernel_.device().device().machine;
    if (!machine) {
      notes_.emplace_back(
          "no machine file describes this GPU: sizes beyond the measured ones are extrapolated "
          "from these alone");
      return std::nullopt;
    }
    TuneRequest tune = request_.tune;
    tune.device = fmt::format("{}{}", kEmulatorDevice, machine->name);
    const Result<std::unique_ptr<SpecKernel>> emulator = SpecKernel::open(tune, spec_);
    if (!emulator) {
      notes_.push_back(fmt::format("not explored: {}", emulator.error().message));
      return std::nullopt;
    }
    explore_with(**emulator, measured, predicted);
  }
  if (predicted.sizes.empty()) return std::nullopt;
  return predicted.sorted();
}

void KernelSamples::explore_with(SpecKernel& emulator, const ShapeTimes& measured,
                                 ShapeTimes& predicted) {
  // Sampled sizes first, so that changes are known: the largest of the usual proportions, and all
  // others.
  std::vector<Sizes> sizes;
  const std::vector<std::size_t> usual = model::usual_sizes(measured.sizes);
  for (std::size_t i = 0; i < measured.sizes.size(); ++i) {
    const auto place = std::ranges::find(usual, i);
    if (place == usual.end() || usual.end() - place <= kAnchors) sizes.push_back(measured.sizes[i]);
  }
  for (Sizes& larger : model::explored_sizes(measured.sizes, request_.reach)) {
    if (emulator.fits(larger)) sizes.push_back(std::move(larger));
  }
  const std::size_t shapes =
      std::min(kFinalists, std::max<std::size_t>(3, request_.explored / sizes.size()));
  const std::vector<std::size_t> chosen = model::finalists(measured, shapes);
  std::size_t taken = 0;
  const double start = processor_seconds();
  for (const Sizes& at : sizes) {
    for (const std::size_t shape : chosen) {
      progress_.step("predicting", ++taken, sizes.size() * chosen.size());
      const double before = processor_seconds();
      if (before - start > kMaxExploringSeconds) break;
      const Shape& block = measured.shapes[shape];
      if (const std::optional<double> us = sample(emulator, at, block)) {
        predicted.add(at, block, *us);
      }
      if (processor_seconds() - before > kMaxPredictionSeconds) break;
    }
  }
  progress_.done();
}

std::vector<model::CountedTime> KernelSamples::count(const ShapeTimes& times, bool all) {
  std::vector<model::CountedTime> launches;
  const std::optional<machine::Machine>& machine = kernel_.device().device().machine;
  if (!machine) return launches;
  std::vector<Shape> shapes;
  if (all) {
    const std::size_t most = std::max<std::size_t>(8, request_.samples / kernel_.sizes().size());
    shapes = model::spread_shapes(kernel_.shapes(), most);
  } else {
    for (const std::size_t shape : model::finalists(times, kCounted)) {
      shapes.push_back(times.shapes[shape]);
    }
  }
  const std::vector<Sizes>& sizes = all ? kernel_.sizes() : times.sizes;
  const double limit = all ? kMaxCountingAllSeconds : kMaxCountingSeconds;
  const double start = processor_seconds();
  for (std::size_t size = sizes.size(); size-- > 0;) {
    for (const Shape& shape : shapes) {
      const double us = times.time_of(sizes[size], shape);
      if ((!all && std::isnan(us)) || interrupted()) continue;
      if (processor_seconds() - start > limit) break;
      progress_.step("counting", launches.size() + 1, shapes.size() * sizes.size());
      Result<model::LaunchCounts> counts = kernel_.counts(sizes[size], shape, *machine);
      if (counts) launches.push_back({sizes[size], shape, *counts, us});
    }
  }
  progress_.done();
  return launches;
}

}  // namespace burin::jobs
