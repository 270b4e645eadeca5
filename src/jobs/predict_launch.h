// `burin predict`: predicts the time of a launch on a GPU without using one; optionally also
// measures it on a GPU of this computer.
//
//   Result<std::unique_ptr<PredictedLaunch>> p = predict_launch(request, progress);
//   (*p)->prediction.time_us
#pragma once

#include <memory>
#include <optional>

#include "base/result.h"
#include "jobs/input/launch_on_machine.h"
#include "jobs/input/predict_request.h"
#include "jobs/input/progress.h"
#include "timing/predict.h"

namespace burin::jobs {

// One launch, from its options to its prediction.
struct PredictedLaunch {
  timing::PredictOptions options;
  LaunchOnMachine on;
  timing::Prediction prediction;
  std::optional<DeviceRun> measured;

  // Returns the time on a GPU, measured now or recorded in the capture; 0: none.
  double known_us() const;
  // Returns the ratio of the larger to the smaller of predicted and known time, minus 1.
  double error() const;
};

// Predicts the launch. With --device (PredictRequest::device), also measures it.
Result<std::unique_ptr<PredictedLaunch>> predict_launch(PredictRequest request,
                                                        const Progress& progress);

}  // namespace burin::jobs
