// Advises on one launch from any kind of input: a launch to emulate, a launch of a capture with or
// without samples, or an Nsight Compute report together with its cubin.
//
//   AdviseInput input{…};
//   Result<std::unique_ptr<AdvisedLaunch>> advised =
//       advise_on(std::move(input), request, file, progress);
//   (*advised)->advice.findings
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "advise/advise.h"
#include "analyze/bounds/work_bound.h"
#include "analyze/limiter.h"
#include "jobs/input/launch_on_machine.h"
#include "jobs/input/launch_request.h"
#include "jobs/input/predict_request.h"
#include "jobs/input/progress.h"
#include "jobs/try/fix.h"
#include "jobs/try/try_changes.h"
#include "read/program/source.h"

namespace burin::jobs {

// The user's options, the same for all launches of a capture.
struct LaunchAdviceOptions {
  advise::AdviseOptions advise{};
  advise::BlameOptions blame{};
  timing::PredictOptions predict{};
  bool samples_only = false;               // with enough samples, skip emulation
  bool causes_only = false;                // only the causes of the stalls: no rule is asked
  std::optional<double> budget_seconds{};  // emulation time limit for each launch
  std::optional<std::size_t> top{};
};

// A place in the recorded program that launches the kernel.
struct Caller {
  std::string place;  // "main.cpp:42"; "": unknown
  double share = 0;   // of the kernel's time
  std::size_t launches = 0;
  std::vector<std::string> stack;  // places, innermost first
};

// The input facts about a launch. A launch can be emulated, or has samples, or both.
struct AdviseInput {
  std::unique_ptr<ChosenKernel> code;
  machine::Machine machine;
  bool machine_assumed = false;
  std::optional<launch::Launch> launch{};  // empty: `not_emulated` gives the reason
  std::string not_emulated{};
  launch::StallProfile samples{};               // no rows: no samples
  std::optional<launch::Dims> grid{}, block{};  // empty: unknown
  std::uint64_t dynamic_shared = 0;             // bytes
  std::optional<double> measured_us{};
  std::uint64_t number = 0;                    // launch number in the capture
  std::uint64_t launches = 1;                  // number of launches that it represents
  std::vector<advise::AccessCount> counted{};  // counts from a profiler; empty: not counted
  std::optional<advise::LaunchSequence> neighbours{};
  // The places in the program that launch it, if the kernel has several; one if the advice is for
  // the launches of this place only.
  std::vector<Caller> callers{};
  std::vector<std::string> notes{};
  std::vector<std::string> launch_notes{};  // shown if the launch is emulated
};

// Makes the input for a launch that is emulated, with nothing else known about it.
AdviseInput input_of(LaunchOnMachine loaded);

// A step of a plan: one change after the other, each on top of those before it.
struct PlanStep {
  std::string change{};  // what is done, in a few words
  std::string rule{};    // "": no finding asks for it
  std::string place{};   // "a.cu:12"; "": the whole launch
  bool tried = false;    // compiled and predicted; else emulated without the cause
  double time_us = 0;    // after it
};

// `--plan`: from the launch as it is towards the lower bound of its work.
struct Plan {
  double base_us = 0;
  analyze::WorkBound work{};
  std::vector<analyze::Bound>
      code_bounds{};  // of the code as it is, above the work's; largest first
  std::vector<PlanStep> steps{};
  std::string limiter{};    // the busiest unit after all steps, "fma"; "": none is busy
  double limiter_busy = 0;  // share of the time
  double time_us() const { return steps.empty() ? base_us : steps.back().time_us; }
};

// One launch with its advice. Not movable: its members point to each other.
struct AdvisedLaunch {
  AdvisedLaunch(AdviseInput input_, const LaunchAdviceOptions& request_)
      : input(std::move(input_)), request(request_) {}
  AdvisedLaunch(const AdvisedLaunch&) = delete;
  AdvisedLaunch& operator=(const AdvisedLaunch&) = delete;

  AdviseInput input;
  const LaunchAdviceOptions& request;
  std::optional<launch::Launch> likely;   // the launch with invented memory contents
  bool made_up = false;                   // the study uses `likely`
  std::unique_ptr<analyze::Study> study;  // null: no emulation available
  std::unique_ptr<read::Kernel> kernel;   // with dependences; set if there is no study
  advise::BlamedProfile blamed;
  std::optional<double> agreement;
  analyze::Limits limits;  // no rows: not emulated
  std::unique_ptr<read::SourceText> source;
  std::optional<advise::Case> given;
  advise::Advice advice;
  std::optional<TriedChanges> tried;  // with --try, --fix and, from source, --plan
  std::optional<Fix> fix;             // with --fix
  std::optional<Plan> plan;           // with --plan
};

// Returns an Error if there are too few or no samples and the launch cannot be emulated either.
Result<std::unique_ptr<AdvisedLaunch>> advise_on(AdviseInput input,
                                                 const LaunchAdviceOptions& request,
                                                 const std::string& file, const Progress& progress);

}  // namespace burin::jobs
