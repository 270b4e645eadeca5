// `burin predict`: how long a launch takes on a GPU, without one, and measured where one is here.
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

// One launch, from its options to what there is to say.
struct PredictedLaunch {
  timing::PredictOptions options;
  LoadedLaunch launch;
  machine::Machine machine;
  bool machine_assumed = false;
  timing::Prediction prediction;
  std::optional<DeviceRun> measured;

  // The time on a GPU, measured now or recorded in the capture; 0 where there is none.
  double known_us() const;
  // The larger of predicted and known over the smaller, less 1.
  double error() const;
};

// With --device (PredictRequest::device) it is measured too.
Result<std::unique_ptr<PredictedLaunch>> predict_launch(PredictRequest request,
                                                        const Progress& progress);

}  // namespace burin::jobs
