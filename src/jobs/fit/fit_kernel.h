// `burin fit`: a rational program that chooses the launch shape of a kernel, from trials in a file
// or from samples that it takes itself, on a GPU or on the emulator.
//
//   FitRequest request;
//   request.trials = "trials.csv";
//   request.output = "k.rp";
//   Result<FittedKernel> fitted = fit_kernel(request, {});
//   fitted->fit.chosen         how the shapes are ranked beyond the sampled sizes
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "jobs/input/progress.h"
#include "jobs/tune/tune_kernel.h"
#include "model/fit/fit_shapes.h"
#include "model/fit/published_models.h"
#include "model/fit/sampler.h"

namespace burin::jobs {

struct FitRequest {
  std::string trials{};  // CSV; "": samples are taken
  // Recorded launches of `kernel`, from which a spec is proposed and written beside the output.
  std::string capture{};
  TuneRequest tune{};    // input (the spec), device, compiler and limits; the rest is not used
  std::string output{};  // .rp; "": not written
  std::vector<std::string> grid{};         // x, y, z: expressions; else the spec's
  std::vector<std::string> constraints{};  // expressions over sizes and bx, by, bz
  std::string kernel{};       // without a spec: mangled name; of a capture: name or part of it
  std::string gpu{};          // whose times the trials are; "": not said
  std::string declared{};     // why the shape may change, where that is not proved
  std::size_t samples = 100;  // of the kernel's own device
  model::Repeats repeats = model::Repeats::kMedian;  // in the trials
  // Of the trials, chosen as samples are; 0: all.
  std::size_t max_trials = 0;
  // "": shapes are ranked by their times; else by a model of the literature that sees none
  // (model::published_model_names()), with metrics counted at the spec's sizes.
  std::string model{};
  // On a GPU: sizes of other proportions are measured too, with launches as short as the spec's.
  bool proportions = true;
  // Sizes of up to so many times the work, and of other proportions, are explored by the emulator.
  double reach = 16;
  std::size_t explored = 100;  // samples of the emulator beyond the measured sizes; 0: none
  std::string samples_file{};  // CSV to write: all samples that were taken; "": none
  bool force = false;
};

struct FittedKernel {
  std::string kernel{};
  std::string source{};                          // "trials.csv", "emulator:h200", "NVIDIA H200"
  model::ShapeTimes times{};                     // that the ranking rests on
  std::optional<model::ShapeTimes> predicted{};  // by the emulator, beyond these sizes
  model::ShapeFit fit{};
  std::vector<model::PublishedQuality> published{};  // from a spec: models of the literature
  std::vector<model::MetricFit> metrics{};           // what they read
  std::string model{};                               // of the literature, that the program rests on
  formula::RationalProgram program{};                // as written
  std::string output{};
  std::string samples_file{};
  std::string proposed{};  // the spec that was written, from a capture
  std::vector<std::string> notes{};
};

Result<FittedKernel> fit_kernel(const FitRequest& request, const Progress& progress);

}  // namespace burin::jobs
