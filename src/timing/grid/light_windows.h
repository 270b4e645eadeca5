// A reduced version of a launch's windows, with fewer blocks and fewer steps of each. It is enough
// to see whether a change makes a launch slower, at a fraction of the cost.
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
  // `traced` must outlive this object. Only the window with the largest share of the time has jobs.
  LightWindows(const TracedLaunch& traced, std::span<const Prediction::Window> windows);

  std::span<const std::vector<BlockJob>> jobs() const { return jobs_; }  // jobs of each window

 private:
  void shorten(const TracedLaunch& traced, std::vector<BlockJob>& jobs);

  std::vector<std::vector<BlockJob>> jobs_;
  std::vector<std::unique_ptr<Sections>> sections_;
};

}  // namespace burin::timing
