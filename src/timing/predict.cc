#include "timing/predict.h"

#include "timing/grid/replay.h"
#include "timing/result/kernel_needs.h"
#include "timing/trace/traced_launch.h"

namespace burin::timing {

Result<Prediction> predict(const read::Kernel& kernel, const launch::Launch& launch,
                           const machine::Machine& machine, const PredictOptions& options) {
  const Result<machine::Occupancy> occupancy =
      burin::machine::occupancy(machine, needs_of(kernel, launch));
  if (!occupancy) return occupancy.error();
  const Result<std::unique_ptr<TracedLaunch>> traced =
      trace_launch(kernel, launch, machine, *occupancy, options);
  if (!traced) return traced.error();
  return replay(**traced, machine, options);
}

}  // namespace burin::timing
