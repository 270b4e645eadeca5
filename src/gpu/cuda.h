// The entry points of the CUDA driver (libcuda.so.1) that burin calls. They are declared here
// according to NVIDIA's documentation, so that building needs no CUDA headers. Their binary
// interface is stable across driver versions.
//
//   Result<const Cuda*> cuda = open_cuda();
//   if (Result<void> done = (*cuda)->check((*cuda)->init(0), "cuInit"); !done) return done.error();
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace burin::gpu {

using CudaStatus = int;             // CUresult; 0 is success
using CudaPointer = std::uint64_t;  // CUdeviceptr
using CudaHandle = void*;           // CUcontext, CUmodule, CUfunction, CUstream, CUevent

struct CudaLaunchAttribute {  // CUlaunchAttribute
  enum Id : std::uint32_t { kCooperative = 2, kClusterDimension = 4 };
  std::uint32_t id;
  std::uint32_t padding;
  std::uint32_t value[16];
};
static_assert(sizeof(CudaLaunchAttribute) == 72);

struct CudaLaunchConfig {  // CUlaunchConfig
  std::uint32_t grid[3];
  std::uint32_t block[3];
  std::uint32_t shared_bytes;
  CudaHandle stream;
  CudaLaunchAttribute* attributes;
  std::uint32_t attribute_count;
};
static_assert(sizeof(CudaLaunchConfig) == 56);

struct Cuda {
  // Values of the driver's enumerations that burin uses.
  enum : int {
    kNoBinary = 209,        // CUDA_ERROR_NO_BINARY_FOR_GPU
    kOutOfMemory = 2,       // CUDA_ERROR_OUT_OF_MEMORY
    kInvalidDevice = 101,   // CUDA_ERROR_INVALID_DEVICE
    kMultiprocessors = 16,  // CU_DEVICE_ATTRIBUTE_…
    kL2CacheSize = 38,
    kCapabilityMajor = 75,
    kCapabilityMinor = 76,
    kDynamicSharedBytes = 8,    // CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
    kNonPortableClusters = 14,  // CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED
    kNonBlockingStream = 1,     // CU_STREAM_NON_BLOCKING
    kMappedHostMemory = 2,      // CU_MEMHOSTALLOC_DEVICEMAP
    kWaitGreaterOrEqual = 0,    // CU_STREAM_WAIT_VALUE_GEQ
    kErrorLog = 5,              // CU_JIT_ERROR_LOG_BUFFER
    kErrorLogBytes = 6,         // CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES
    kPtxInput = 1,              // CU_JIT_INPUT_PTX
  };
  // Keys of the `extra` list of a launch: CU_LAUNCH_PARAM_…
  static inline void* const kParameterBuffer = reinterpret_cast<void*>(1);
  static inline void* const kParameterSize = reinterpret_cast<void*>(2);

  CudaStatus (*init)(unsigned);
  CudaStatus (*driver_version)(int*);
  CudaStatus (*error_name)(CudaStatus, const char**);
  CudaStatus (*error_string)(CudaStatus, const char**);
  CudaStatus (*device_count)(int*);
  CudaStatus (*device_get)(int*, int);
  CudaStatus (*device_name)(char*, int, int);
  CudaStatus (*device_attribute)(int*, int, int);
  CudaStatus (*device_bus_id)(char*, int, int);
  CudaStatus (*context_retain)(CudaHandle*, int);
  CudaStatus (*context_set)(CudaHandle);
  CudaStatus (*context_synchronize)();
  CudaStatus (*module_load)(CudaHandle*, const void*);
  CudaStatus (*module_unload)(CudaHandle);
  CudaStatus (*module_function)(CudaHandle*, CudaHandle, const char*);
  CudaStatus (*module_global)(CudaPointer*, std::size_t*, CudaHandle, const char*);
  CudaStatus (*function_set)(CudaHandle, int, int);
  CudaStatus (*link_create)(unsigned, int*, void**, CudaHandle*);
  CudaStatus (*link_add)(CudaHandle, int, void*, std::size_t, const char*, unsigned, int*, void**);
  CudaStatus (*link_complete)(CudaHandle, void**, std::size_t*);
  CudaStatus (*link_destroy)(CudaHandle);
  CudaStatus (*memory_info)(std::size_t*, std::size_t*);
  CudaStatus (*allocate)(CudaPointer*, std::size_t);
  CudaStatus (*release)(CudaPointer);
  CudaStatus (*allocate_host)(void**, std::size_t, unsigned);
  CudaStatus (*release_host)(void*);
  CudaStatus (*host_pointer)(CudaPointer*, void*, unsigned);
  CudaStatus (*copy_in)(CudaPointer, const void*, std::size_t);
  CudaStatus (*copy_out)(void*, CudaPointer, std::size_t);
  CudaStatus (*copy_async)(CudaPointer, CudaPointer, std::size_t, CudaHandle);
  CudaStatus (*set_async)(CudaPointer, unsigned char, std::size_t, CudaHandle);
  CudaStatus (*stream_create)(CudaHandle*, unsigned);
  CudaStatus (*stream_synchronize)(CudaHandle);
  CudaStatus (*stream_wait_value)(CudaHandle, CudaPointer, std::uint32_t, unsigned);
  CudaStatus (*event_create)(CudaHandle*, unsigned);
  CudaStatus (*event_destroy)(CudaHandle);
  CudaStatus (*event_record)(CudaHandle, CudaHandle);
  CudaStatus (*event_elapsed)(float*, CudaHandle, CudaHandle);
  CudaStatus (*launch)(const CudaLaunchConfig*, CudaHandle, void**, void**);

  // Describes a status: "an illegal memory access was encountered (CUDA_ERROR_ILLEGAL_ADDRESS)".
  std::string words(CudaStatus status) const;

  // Returns an Error with Exit::kDevice if the call failed: "cuModuleLoadData: …".
  Result<void> check(CudaStatus status, std::string_view call) const;
};

// The driver, opened once per process. Returns an Error if there is no driver or it is too old.
Result<const Cuda*> open_cuda();

// Formats a CUDA version as reported by the driver: 13000 -> "13.0".
std::string dotted_version(int version);

}  // namespace burin::gpu
