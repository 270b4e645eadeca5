// How long a launch takes on a GPU, and where its cycles go.
//
//   Result<Prediction> p = predict(kernel, launch, machine, {});
//   p->time_us, p->stalls[…], p->instructions[i].stalls[…]
//
// Blocks are executed (emulate/) for what they do, and replayed on one SM of the machine for when
// they do it. docs/predict.md tells how the rest of the grid is accounted for.
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
