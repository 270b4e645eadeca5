// Compiles configurations and counts what they do, several at once.
//
//   CountJob job{.points = points, .machine = machine, .predict = false};
//   Result<std::vector<model::Counted>> counted = collect_counts(builder, job, file, progress);
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "base/result.h"
#include "jobs/carve/counts_file.h"
#include "jobs/input/progress.h"
#include "machine/machine.h"
#include "model/carve/counted.h"
#include "tune/builder.h"

namespace burin::jobs {

struct CountJob {
  const std::vector<tune::Point>& points;
  const machine::Machine& machine;
  model::CountOptions options{};
  bool predict = false;                 // also the time, by the emulator
  std::size_t ahead = 1;                // configurations that are compiled at once
  unsigned threads = 0;                 // that count; 0: one per core
  std::optional<double> max_seconds{};  // nothing new is begun after that time
  std::function<bool()> interrupted{};
};

// The configurations in the order of `points`; those that the file knows are not compiled again.
// With max_seconds, some may be missing. A configuration that cannot be compiled or counted has a
// status and a reason; an Error means that nothing can be.
Result<std::vector<model::Counted>> collect_counts(tune::Builder& builder, const CountJob& job,
                                                   CountsFile& file, const Progress& progress);

}  // namespace burin::jobs
