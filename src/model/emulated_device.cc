#include "model/emulated_device.h"

#include "base/format.h"
#include "model/opened_request.h"
#include "model/predicted_interval.h"
#include "timing/predict.h"

namespace burin::model {

using measure::DeviceAnswer;
using measure::FailureKind;

DeviceAnswer EmulatedDevice::run(const measure::DeviceRequest& request) {
  FailureKind kind = FailureKind::kRequest;
  const Result<OpenedRequest> opened = OpenedRequest::open(request, {.dependences = false}, &kind);
  if (!opened) return {opened.error(), kind};

  measure::DeviceResult result;
  result.gpu = "emulator:" + machine_.name;
  result.architecture = read::to_string(opened->image().arch);
  result.timer = "predicted";
  if (request.stopping.most == 0) return result;
  double time_us = 0;
  measure::PredictedInterval& interval = result.interval.emplace();
  for (const OpenedStep& step : opened->steps()) {
    const Result<timing::Prediction> predicted =
        timing::predict(step.kernel, step.launch, machine_,
                        {.warm = request.caches == measure::Caches::kWarm, .threads = threads_});
    if (!predicted) return {predicted.error(), FailureKind::kRuntime};
    if (!predicted->faults.empty()) {
      const emulate::Fault& fault = predicted->faults.front();
      return {Error{fmt::format("{}: {}", emulate::name(fault.kind), fault.detail)},
              FailureKind::kRuntime};
    }
    time_us += predicted->time_us * step.count;
    add_launch(interval, predicted->certainty, step.count);
  }
  result.times_us = {time_us};
  return result;
}

}  // namespace burin::model
