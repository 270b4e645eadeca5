// Whether a changed kernel gives the same results as the original: both are executed on the
// launch's inputs, and all their buffers compared.
//
//   Result<std::unique_ptr<ResultsReference>> reference = ResultsReference::run(…);
//   ResultsCheck check = (*reference)->compare(request, rounds_differently, progress);
//   check.same, describe(check)
//
// A launch of more than a few hundred million warp instructions is executed with fewer blocks, both
// times with the same ones.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "emulate/outputs.h"
#include "jobs/input/launch_request.h"
#include "jobs/input/progress.h"

namespace burin::jobs {

struct ResultsCheck {
  bool same = false;
  std::string problem{};              // why not: a clause
  std::uint64_t blocks = 0;           // executed
  std::uint64_t all_blocks = 0;       // of the launch
  std::optional<double> tolerance{};  // within which they are the same; empty: bit for bit
};
// "same results, bit for bit"; "same results within 1e-05".
std::string describe(const ResultsCheck& check);

class ResultsReference {
 public:
  // What is known of the launch's arguments before it is executed, one entry for each.
  struct Argument {
    std::optional<launch::ElementType> type{};  // of the elements, where the source says it
    bool written = false;                       // the kernel stores through it
  };
  // Executes the original. `instructions`: warp instructions of the launch, as predicted. Error: it
  // cannot be executed, or its results are not defined.
  static Result<std::unique_ptr<ResultsReference>> run(const LaunchRequest& request,
                                                       std::vector<Argument> arguments,
                                                       double instructions,
                                                       const Progress& progress);

  // The grid that the original was executed with: the launch's, or fewer blocks of it.
  launch::Dims grid() const { return loaded_.launch.grid; }

  // Executes `request` with this grid, or the original's. Its work must be that of grid().
  ResultsCheck compare(const LaunchRequest& request, bool rounds_differently,
                       const Progress& progress,
                       std::optional<launch::Dims> grid = std::nullopt) const;

 private:
  std::vector<Argument> arguments_;
  std::string grid_;  // that both are executed with
  std::uint64_t blocks_ = 0, all_blocks_ = 0;
  LoadedLaunch loaded_;
  emulate::Run run_;
  bool float_atomics_ = false;
};

}  // namespace burin::jobs
