// Fewer blocks of a launch's windows, and less of each: enough to tell whether a launch gets slower
// when something changes, for a part of the work.
//
//   LightWindows light(traced, prediction.windows);
//   replay_ends(traced, machine, options, change, light.jobs()).ends[0]
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "timing/result/prediction.h"
#include "timing/trace/traced_launch.h"

namespace burin::timing {

class LightWindows {
 public:
  // The trace must outlive it. Windows on which hardly any of the time rests get no job.
  LightWindows(const TracedLaunch& traced, std::span<const Prediction::Window> windows);

  std::span<const std::vector<BlockJob>> jobs() const { return jobs_; }  // of each window

 private:
  void shorten(const TracedLaunch& traced, std::vector<BlockJob>& jobs);

  std::vector<std::vector<BlockJob>> jobs_;
  std::vector<std::unique_ptr<Sections>> sections_;
};

}  // namespace burin::timing
