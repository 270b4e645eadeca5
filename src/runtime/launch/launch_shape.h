// A launch as the hooks see it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace burin::runtime {

using Extent = std::array<std::uint32_t, 3>;  // x, y and z

struct LaunchShape {
  Extent grid = {1, 1, 1};         // blocks
  Extent block = {1, 1, 1};        // threads
  std::uint64_t shared_bytes = 0;  // dynamic shared memory per block

  bool operator==(const LaunchShape&) const = default;
};

// The arguments of a launch in one of the two forms that CUDA takes.
struct Arguments {
  const void* const* pointers = nullptr;  // one per parameter; or null, and then
  const void* buffer = nullptr;           // all parameters at their offsets
  std::size_t buffer_bytes = 0;
};

struct LaunchRequest {
  const void* kernel = nullptr;  // the handle that the program launches
  Arguments arguments;
  LaunchShape own;         // as the program asked
  void* stream = nullptr;  // as CUDA takes it, for events and queries
};

}  // namespace burin::runtime
