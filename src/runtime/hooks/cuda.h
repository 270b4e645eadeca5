// The parts of CUDA's binary interface that the hooks use, declared from NVIDIA's documentation, so
// that building needs no CUDA headers. tests/runtime/cuda_layout_test.cc compares them with the
// headers where there are any.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/launch/launch_shape.h"

namespace burin::runtime {

using CudaStatus = int;  // CUresult and cudaError_t; 0 is success

inline constexpr std::uintptr_t kPerThreadStream = 2;  // CU_STREAM_PER_THREAD
inline constexpr CudaStatus kNotReady = 600;           // CUDA_ERROR_NOT_READY
inline constexpr std::uint64_t kPerThreadFlag = 2;  // CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM

// Keys of the `extra` list of a launch: CU_LAUNCH_PARAM_…
inline constexpr std::uintptr_t kExtraEnd = 0;
inline constexpr std::uintptr_t kExtraBuffer = 1;
inline constexpr std::uintptr_t kExtraBufferBytes = 2;

struct LaunchAttribute {  // CUlaunchAttribute, cudaLaunchAttribute
  std::uint32_t id;
  std::uint32_t padding;
  std::uint32_t value[16];
};
static_assert(sizeof(LaunchAttribute) == 72);

struct DriverLaunchConfig {  // CUlaunchConfig
  std::uint32_t grid[3];
  std::uint32_t block[3];
  std::uint32_t shared_bytes;
  void* stream;
  LaunchAttribute* attributes;
  std::uint32_t attribute_count;
};
static_assert(sizeof(DriverLaunchConfig) == 56);

struct Dim3 {  // dim3
  std::uint32_t x, y, z;
};

struct RuntimeLaunchConfig {  // cudaLaunchConfig_t
  Dim3 grid;
  Dim3 block;
  std::size_t shared_bytes;
  void* stream;
  LaunchAttribute* attributes;
  std::uint32_t attribute_count;
};
static_assert(sizeof(RuntimeLaunchConfig) == 56);

// True if a launch with these attributes keeps its meaning with another block: priorities, memory
// policies, programmatic serialization. Clusters, cooperative launches and whatever is not known
// here are left alone.
bool may_reshape(const LaunchAttribute* attributes, std::uint32_t count);

// The arguments of a driver launch, from `kernelParams` or `extra`. False if both are null and for
// an `extra` list that makes no sense.
bool read_arguments(void** parameters, void** extra, Arguments& arguments);

}  // namespace burin::runtime
