// When a traced launch does what it does: its windows are replayed on one SM of a machine, and the
// rest of the grid is continued from them.
//
//   Prediction p = replay(**traced, machine, options);
#pragma once

#include "emulate/timing/predict.h"
#include "emulate/timing/traced_launch.h"

namespace burin {

// The machine must have the number of SMs, and hold as many blocks, as that of the trace. May be
// called from several threads at once for one trace. Of the options those for caches count.
Prediction replay(const TracedLaunch& traced, const Machine& machine,
                  const PredictOptions& options);

}  // namespace burin
