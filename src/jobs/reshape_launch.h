// `burin run --reshape`: whether a launch may have another block shape with the same results.
//
//   Result<std::unique_ptr<ReshapedLaunch>> shaped = reshape_launch(request, progress);
//   (*shaped)->reshape.axes[0].freedom
#pragma once

#include <memory>

#include "analyze/reshape/reshape.h"
#include "base/result.h"
#include "jobs/input/launch_request.h"
#include "jobs/input/progress.h"

namespace burin::jobs {

struct ReshapedLaunch {
  LoadedLaunch launch;
  analyze::Reshape reshape;
};

// Executes nothing.
Result<std::unique_ptr<ReshapedLaunch>> reshape_launch(const LaunchRequest& request,
                                                       const Progress& progress);

}  // namespace burin::jobs
