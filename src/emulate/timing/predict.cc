#include "emulate/timing/predict.h"

#include "emulate/timing/replay.h"
#include "emulate/timing/traced_launch.h"

namespace burin {

KernelNeeds needs_of(const Kernel& kernel, const Launch& launch) {
  const Function& function = *kernel.function;
  return {.threads = launch.block.total(),
          .registers = function.registers,
          .shared = function.shared_bytes + launch.shared_bytes,
          .barriers = function.barriers,
          .cluster = cluster_of(launch, function).value_or(Dims{}).total()};
}

Result<Prediction> predict(const Kernel& kernel, const Launch& launch, const Machine& machine,
                           const PredictOptions& options) {
  const Result<Occupancy> occupancy = burin::occupancy(machine, needs_of(kernel, launch));
  if (!occupancy) return occupancy.error();
  const Result<std::unique_ptr<TracedLaunch>> traced =
      trace_launch(kernel, launch, machine, *occupancy, options);
  if (!traced) return traced.error();
  return replay(**traced, machine, options);
}

}  // namespace burin
