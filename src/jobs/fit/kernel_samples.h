// What `burin fit` knows of a kernel's launches: times, measured or predicted, and counts.
//
//   KernelSamples samples(*kernel, request, progress);
//   Result<ShapeTimes> times = samples.take();           at most request.samples launches
//   std::optional<ShapeTimes> beyond = samples.explore(*times);
//   std::vector<CountedTime> counted = samples.count(*times);
//   samples.notes()                                      what did not run, and why
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "jobs/fit/fit_kernel.h"
#include "jobs/fit/spec_kernel.h"
#include "jobs/input/progress.h"

namespace burin::jobs {

class KernelSamples {
 public:
  // All of them must outlive it.
  KernelSamples(SpecKernel& kernel, const tune::Spec& spec, const FitRequest& request,
                const Progress& progress)
      : kernel_(kernel), spec_(spec), request_(request), progress_(progress) {}

  // On a GPU at the spec's sizes and at small ones of other proportions; on the emulator also at
  // larger ones.
  Result<model::ShapeTimes> take();

  // Predictions beyond the measured sizes, and at some of those; none where no machine file
  // describes the GPU.
  std::optional<model::ShapeTimes> explore(const model::ShapeTimes& measured);

  // Launches executed without time: the fastest shapes at the sampled sizes, or with `all` shapes
  // of all kinds at the spec's.
  std::vector<model::CountedTime> count(const model::ShapeTimes& times, bool all);

  const std::vector<std::string>& notes() const { return notes_; }

 private:
  bool interrupted() const { return request_.tune.interrupted && request_.tune.interrupted(); }
  std::optional<double> sample(SpecKernel& kernel, const model::Sizes& sizes,
                               const formula::Shape& shape);
  std::vector<model::Sizes> measured_proportions();
  bool is_predicted_fast(const model::Sizes& sizes);
  void explore_with(SpecKernel& emulator, const model::ShapeTimes& measured,
                    model::ShapeTimes& predicted);

  SpecKernel& kernel_;
  const tune::Spec& spec_;
  const FitRequest& request_;
  const Progress& progress_;
  std::size_t failures_ = 0;
  // Samples that the measured sizes were chosen by.
  std::map<std::pair<model::Sizes, formula::Shape>, std::optional<double>> first_;
  std::vector<std::string> notes_;
};

}  // namespace burin::jobs
