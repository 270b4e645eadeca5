// `burin advise --try`: every change that burin can make itself is compiled and predicted, and the
// findings say what that gave instead of an estimate.
//
//   Result<TriedChanges> tried = try_changes({…}, advice, progress);
//   tried->changes[0].time_us
//   advice.findings[0].tried->speedup
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "advise/advise.h"
#include "advise/changes/propose.h"
#include "base/result.h"
#include "jobs/try/variants.h"

namespace burin::jobs {

struct TriedChange {
  advise::Change change{};
  PredictedVariant result{};
  double speedup = 0;  // 0: no time was predicted

  bool gains() const;
};

struct TriedChanges {
  double base_us = 0;                            // predicted time without a change
  std::vector<TriedChange> changes{};            // in the order in which they were tried
  std::vector<advise::RefusedChange> refused{};  // could not be made
  // Findings that were dropped because their change is not faster.
  std::vector<advise::Finding> not_faster{};
  std::size_t not_reached = 0;  // changes for which there was no time
};

// The launch that changes are tried on. All must outlive the result of open_source_trial().
struct SourceTrialInput {
  const PredictRequest& request;
  const advise::Case& c;  // with a study
  const ChosenKernel& code;
  const timing::PredictOptions& options;
  double limit_seconds = 0;
};

// The source and the compiler for trials of one launch. Not movable: its members point to each
// other.
struct SourceTrial {
  explicit SourceTrial(std::string text) : source(std::move(text)) {}
  SourceTrial(const SourceTrial&) = delete;
  SourceTrial& operator=(const SourceTrial&) = delete;

  advise::CudaText source;
  std::unique_ptr<Variants> variants;
  advise::Proposals proposals;
  Variants::Clock::time_point deadline;
};

// Error: the input is no CUDA source, or there is no compiler.
Result<std::unique_ptr<SourceTrial>> open_source_trial(const SourceTrialInput& input);

// Tries each proposed change alone, and puts what it gave into the findings: those whose change is
// not faster go, and changes that gain without a finding become one.
TriedChanges try_changes(SourceTrial& trial, const SourceTrialInput& input, advise::Advice& advice,
                         const Progress& progress);

}  // namespace burin::jobs
