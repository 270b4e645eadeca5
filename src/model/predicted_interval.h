// The interval of several predicted launches that are timed as one.
//
//   add_launch(interval, prediction.certainty, step.count);
//
// The bounds are added: launches of one configuration are alike, so that their errors are too.
#pragma once

#include "measure/device.h"
#include "timing/result/prediction.h"

namespace burin::model {

inline void add_launch(measure::PredictedInterval& sum, const timing::Certainty& launch,
                       double times) {
  sum.low_us += times * launch.low_us;
  sum.high_us += times * launch.high_us;
  if (launch.defer) sum.measure_because = launch.reason;
}

}  // namespace burin::model
