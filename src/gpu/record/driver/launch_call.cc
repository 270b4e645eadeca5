#include "gpu/record/driver/launch_call.h"

#include <algorithm>

namespace burin::gpu {

LaunchCall launch_call(const LaunchKernelCall& call, bool cooperative) {
  LaunchCall same{.function = call.function, .cooperative = cooperative};
  std::copy(call.grid, call.grid + 3, same.grid.begin());
  std::copy(call.block, call.block + 3, same.block.begin());
  same.shared_bytes = call.shared_bytes;
  same.stream = call.stream;
  same.parameters = call.parameters;
  same.extra = cooperative ? nullptr : call.extra;
  return same;
}

LaunchCall launch_call(const LaunchKernelExCall& call) {
  const CudaLaunchConfig& config = *call.config;
  LaunchCall same{.function = call.function, .parameters = call.parameters, .extra = call.extra};
  std::copy(config.grid, config.grid + 3, same.grid.begin());
  std::copy(config.block, config.block + 3, same.block.begin());
  same.shared_bytes = config.shared_bytes;
  same.stream = config.stream;
  for (std::uint32_t i = 0; i < config.attribute_count; ++i) {
    const CudaLaunchAttribute& attribute = config.attributes[i];
    if (attribute.id == CudaLaunchAttribute::kClusterDimension) {
      std::copy(attribute.value, attribute.value + 3, same.cluster.begin());
    }
    if (attribute.id == CudaLaunchAttribute::kCooperative) {
      same.cooperative = attribute.value[0] != 0;
    }
  }
  return same;
}

}  // namespace burin::gpu
