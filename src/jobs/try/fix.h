// `burin advise --fix`: the changes that gain most together, checked on the launch's inputs, as a
// patch and as the flags and the launch shape that go with it.
//
//   Result<Fix> fix = make_fix(trial, input, tried, progress);
//   fix->patch                         what `git apply` takes; "": no change of the text
//   fix->steps[0].change.title, fix->steps[0].time_us
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "jobs/try/compare_results.h"
#include "jobs/try/try_changes.h"

namespace burin::jobs {

struct FixStep {
  advise::Change change{};
  double time_us = 0;  // predicted, with this change and those before it
};

struct RejectedChange {
  std::string title{};
  std::string why{};  // "results differ: …"
};

struct Fix {
  double base_us = 0;
  std::vector<FixStep> steps{};  // in the order in which they were added
  std::vector<RejectedChange> rejected{};
  std::optional<ResultsCheck> check{};  // of all steps together; empty: no change, or not executed
  std::string not_checked{};            // why nothing is offered: a sentence
  std::string path{};                   // of the file, as the patch names it
  std::string folder{};                 // where `git apply` must run; "": here
  std::string patch{};
  std::vector<std::string> flags{};  // for nvcc, beside the patch
  std::optional<launch::Dims> grid{}, block{};

  double time_us() const { return steps.empty() ? base_us : steps.back().time_us; }
};

// The changes that are fastest together: the best one, then the best on top of it, and so on.
std::vector<FixStep> best_together(SourceTrial& trial, const SourceTrialInput& input,
                                   const TriedChanges& tried, const Progress& progress);

// Executes the kernel with and without the changes. A change whose results differ is left out.
// Error: the source was changed meanwhile.
Result<Fix> make_fix(SourceTrial& trial, const SourceTrialInput& input, const TriedChanges& tried,
                     const Progress& progress);

}  // namespace burin::jobs
