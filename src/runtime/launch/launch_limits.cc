#include "runtime/launch/launch_limits.h"

namespace burin::runtime {

const char* exceeded_limit(const LaunchShape& shape, const Limits& limits) {
  std::uint64_t threads = 1;
  for (std::size_t i = 0; i < 3; ++i) {
    if (shape.block[i] == 0) return "block is empty";
    if (shape.grid[i] == 0) return "grid is empty";
    if (shape.block[i] > limits.max_block[i]) return "block exceeds the device's limit";
    if (shape.grid[i] > limits.max_grid[i]) return "grid exceeds the device's limit";
    threads *= shape.block[i];
    if (threads > limits.max_threads) return "block exceeds the kernel's launch bounds";
  }
  if (shape.shared_bytes > limits.max_dynamic_shared) {
    return "dynamic shared memory exceeds what the kernel allows";
  }
  return nullptr;
}

}  // namespace burin::runtime
