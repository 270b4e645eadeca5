// A kernel launch, independent of the driver function that was called.
#pragma once

#include <array>
#include <cstdint>

#include "gpu/record/driver/driver.h"

namespace burin::gpu {

struct LaunchCall {
  CudaHandle function = nullptr;
  std::array<std::uint32_t, 3> grid{}, block{};
  std::array<std::uint32_t, 3> cluster{};  // zeros: the cluster size compiled into the kernel
  std::uint32_t shared_bytes = 0;
  CudaHandle stream = nullptr;
  void** parameters = nullptr;
  void** extra = nullptr;
  bool cooperative = false;
};

LaunchCall launch_call(const LaunchKernelCall& call, bool cooperative);
LaunchCall launch_call(const LaunchKernelExCall& call);

}  // namespace burin::gpu
