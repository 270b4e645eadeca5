// Predicts how long a launch takes on a GPU, and where its cycles go.
//
//   Result<Prediction> p = predict(kernel, launch, machine, {});
//   p->time_us, p->stalls[…], p->costs[i].stalls[…]
//
// Blocks are executed (emulate/) to find out what they do, then replayed on one SM of the machine
// to find out when they do it. docs/predict.md explains how the rest of the grid is accounted for.
#pragma once

#include "base/result.h"
#include "launch/launch.h"
#include "machine/machine.h"
#include "read/program/kernel.h"
#include "timing/result/predict_options.h"
#include "timing/result/prediction.h"

namespace burin::timing {

Result<Prediction> predict(const read::Kernel& kernel, const launch::Launch& launch,
                           const machine::Machine& machine, const PredictOptions& options);

}  // namespace burin::timing
