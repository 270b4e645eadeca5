// What a launch must not exceed: the kernel's launch bounds and the device's limits.
#pragma once

#include <cstdint>

#include "runtime/launch/launch_shape.h"

namespace burin::runtime {

struct Limits {
  std::uint32_t max_threads = 0;  // per block, of kernel and device
  Extent max_block = {0, 0, 0};
  Extent max_grid = {0, 0, 0};
  std::uint64_t max_dynamic_shared = 0;  // bytes
};

// The limit that the launch exceeds, as a phrase: "block exceeds the kernel's launch bounds". Null
// if it exceeds none.
const char* exceeded_limit(const LaunchShape& shape, const Limits& limits);

}  // namespace burin::runtime
