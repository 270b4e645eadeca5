// CUDA's structures as the hooks declare them (src/runtime/hooks/cuda.h), compared with NVIDIA's
// headers where there are any.
#include <gtest/gtest.h>

#include <cstddef>

#include "runtime/hooks/cuda.h"

#if __has_include(<cuda.h>) && __has_include(<driver_types.h>)
#define BURIN_HAS_CUDA_HEADERS 1
#include <cuda.h>
#include <driver_types.h>
#include <vector_types.h>
#endif

namespace burin::runtime {
namespace {

TEST(CudaLayout, IsThatOfTheHeaders) {
#ifndef BURIN_HAS_CUDA_HEADERS
  GTEST_SKIP() << "CUDA's headers are not installed";
#else
  EXPECT_EQ(sizeof(DriverLaunchConfig), sizeof(CUlaunchConfig));
  EXPECT_EQ(offsetof(DriverLaunchConfig, block), offsetof(CUlaunchConfig, blockDimX));
  EXPECT_EQ(offsetof(DriverLaunchConfig, shared_bytes), offsetof(CUlaunchConfig, sharedMemBytes));
  EXPECT_EQ(offsetof(DriverLaunchConfig, stream), offsetof(CUlaunchConfig, hStream));
  EXPECT_EQ(offsetof(DriverLaunchConfig, attributes), offsetof(CUlaunchConfig, attrs));
  EXPECT_EQ(offsetof(DriverLaunchConfig, attribute_count), offsetof(CUlaunchConfig, numAttrs));
  EXPECT_EQ(sizeof(RuntimeLaunchConfig), sizeof(cudaLaunchConfig_t));
  EXPECT_EQ(offsetof(RuntimeLaunchConfig, block), offsetof(cudaLaunchConfig_t, blockDim));
  EXPECT_EQ(offsetof(RuntimeLaunchConfig, shared_bytes),
            offsetof(cudaLaunchConfig_t, dynamicSmemBytes));
  EXPECT_EQ(offsetof(RuntimeLaunchConfig, stream), offsetof(cudaLaunchConfig_t, stream));
  EXPECT_EQ(offsetof(RuntimeLaunchConfig, attributes), offsetof(cudaLaunchConfig_t, attrs));
  EXPECT_EQ(offsetof(RuntimeLaunchConfig, attribute_count), offsetof(cudaLaunchConfig_t, numAttrs));
  EXPECT_EQ(sizeof(LaunchAttribute), sizeof(CUlaunchAttribute));
  EXPECT_EQ(offsetof(LaunchAttribute, value), offsetof(CUlaunchAttribute, value));
  EXPECT_EQ(sizeof(Dim3), sizeof(dim3));
  EXPECT_EQ(reinterpret_cast<CUstream>(kPerThreadStream), CU_STREAM_PER_THREAD);
  EXPECT_EQ(static_cast<int>(CUDA_ERROR_NOT_READY), kNotReady);
  EXPECT_EQ(kPerThreadFlag,
            static_cast<std::uint64_t>(CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM));
  EXPECT_LE(sizeof(cudaFuncAttributes), 1024u);  // hooks/runtime.cc has room for that

  // What may keep its meaning with another block, and what not.
  const std::pair<CUlaunchAttributeID, bool> attributes[] = {
      {CU_LAUNCH_ATTRIBUTE_PRIORITY, true},
      {CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW, true},
      {CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION, true},
      {CU_LAUNCH_ATTRIBUTE_COOPERATIVE, false},
      {CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, false},
      {CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE, false},
      {CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE, false},
  };
  for (const auto& [id, expected] : attributes) {
    const LaunchAttribute attribute = {static_cast<std::uint32_t>(id), 0, {}};
    EXPECT_EQ(may_reshape(&attribute, 1), expected) << id;
  }
#endif
}

TEST(CudaArguments, ListsThatMakeNoSense) {
  Arguments arguments;
  EXPECT_FALSE(read_arguments(nullptr, nullptr, arguments));
  std::size_t size = 8;
  char buffer[8];
  void* good[] = {reinterpret_cast<void*>(kExtraBuffer), buffer,
                  reinterpret_cast<void*>(kExtraBufferBytes), &size, nullptr};
  EXPECT_TRUE(read_arguments(nullptr, good, arguments));
  EXPECT_EQ(arguments.buffer, buffer);
  EXPECT_EQ(arguments.buffer_bytes, 8u);
  void* without_size[] = {reinterpret_cast<void*>(kExtraBuffer), buffer, nullptr};
  EXPECT_FALSE(read_arguments(nullptr, without_size, arguments));
  void* unknown[] = {reinterpret_cast<void*>(7), buffer, nullptr};
  EXPECT_FALSE(read_arguments(nullptr, unknown, arguments));
}

}  // namespace
}  // namespace burin::runtime
