// One launch and the advice for it, from whatever the user gave: a launch to be emulated, a
// capture's launch with samples or without, a report of Nsight Compute with the cubin beside it.
//
//   AdviseInput input{…};
//   Result<std::unique_ptr<AdvisedLaunch>> advised = advise_on(std::move(input), request,
//   progress);
//   (*advised)->advice.findings
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "advise/advise.h"
#include "analyze/bounds.h"
#include "jobs/input/launch_on_machine.h"
#include "jobs/input/launch_request.h"
#include "jobs/input/predict_request.h"
#include "jobs/input/progress.h"
#include "read/program/source.h"

namespace burin::jobs {

// What the user asked for, the same for all launches of a capture.
struct LaunchAdviceOptions {
  advise::AdviseOptions advise{};
  advise::BlameOptions blame{};
  timing::PredictOptions predict{};
  bool samples_only = false;               // where there are enough of them, nothing is emulated
  std::optional<double> budget_seconds{};  // of emulation, for each launch
  std::optional<std::size_t> top{};
};

// What is known of a launch before any work is done. Either it can be emulated or it has samples.
struct AdviseInput {
  std::unique_ptr<ChosenKernel> code;
  machine::Machine machine;
  bool machine_assumed = false;
  std::optional<launch::Launch> launch{};  // none: `not_emulated` says why
  std::string not_emulated{};
  launch::StallProfile samples{};               // without rows: there are none
  std::optional<launch::Dims> grid{}, block{};  // of the launch; none: nobody says
  std::uint64_t dynamic_shared = 0;             // bytes
  std::optional<double> measured_us{};
  std::uint64_t number = 0;                    // in the capture
  std::uint64_t launches = 1;                  // that it stands for
  std::vector<advise::AccessCount> counted{};  // by a profiler; empty: not counted
  std::optional<advise::LaunchSequence> neighbours{};
  std::vector<std::string> notes{};
  std::vector<std::string> launch_notes{};  // told where it is emulated
};

// A launch that is emulated, of which nothing else is known.
AdviseInput input_of(LaunchOnMachine loaded);

// Its parts point into one another, so it stays where it was made.
struct AdvisedLaunch {
  AdvisedLaunch(AdviseInput input_, const LaunchAdviceOptions& request_)
      : input(std::move(input_)), request(request_) {}
  AdvisedLaunch(const AdvisedLaunch&) = delete;
  AdvisedLaunch& operator=(const AdvisedLaunch&) = delete;

  AdviseInput input;
  const LaunchAdviceOptions& request;
  std::optional<launch::Launch> likely;   // with contents of memory that were made up
  bool made_up = false;                   // … and that is what the study is of
  std::unique_ptr<analyze::Study> study;  // null: nothing to emulate with
  std::unique_ptr<read::Kernel> kernel;   // with dependences, where there is no study
  advise::BlamedProfile blamed;
  std::optional<double> agreement;
  std::vector<analyze::Bound> bounds;
  std::unique_ptr<read::SourceText> source;
  std::optional<advise::Case> given;
  advise::Advice advice;
};

// An Error where there is neither: no samples, or too few, and nothing to emulate with.
Result<std::unique_ptr<AdvisedLaunch>> advise_on(AdviseInput input,
                                                 const LaunchAdviceOptions& request,
                                                 const std::string& file, const Progress& progress);

// Fewer samples than these say nothing about shares: chance alone moves them by a tenth.
inline constexpr double kMinSamples = 100;

}  // namespace burin::jobs
