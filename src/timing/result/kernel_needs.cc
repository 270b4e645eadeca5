#include "timing/result/kernel_needs.h"

namespace burin {

KernelNeeds needs_of(const Kernel& kernel, const Launch& launch) {
  const Function& function = *kernel.function;
  return {.threads = launch.block.total(),
          .registers = function.registers,
          .shared = function.shared_bytes + launch.shared_bytes,
          .barriers = function.barriers,
          .cluster = cluster_of(launch, function).value_or(Dims{}).total()};
}

}  // namespace burin
