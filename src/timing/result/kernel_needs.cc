#include "timing/result/kernel_needs.h"

namespace burin::timing {

machine::KernelNeeds needs_of(const read::Kernel& kernel, const launch::Launch& launch) {
  const read::Function& function = *kernel.function;
  return {.threads = launch.block.total(),
          .registers = function.registers,
          .shared = function.shared_bytes + launch.shared_bytes,
          .barriers = function.barriers,
          .cluster = launch::cluster_of(launch, function).value_or(launch::Dims{}).total()};
}

}  // namespace burin::timing
