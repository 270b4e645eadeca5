// The entry points of OpenCL (libOpenCL.so.1) that burin calls. They are declared here according to
// the Khronos specification, so that building needs no OpenCL headers.
//
//   Result<const Opencl*> opencl = open_opencl();
//   if (Result<void> done = (*opencl)->check((*opencl)->finish(queue), "clFinish"); !done) …
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace burin::gpu {

using OpenclStatus = std::int32_t;  // cl_int; 0 is success
using OpenclHandle = void*;         // cl_platform_id, cl_device_id, cl_mem, cl_event, …
using OpenclFlags = std::uint64_t;  // cl_bitfield

struct Opencl {
  // Values of the enumerations that burin uses.
  enum : std::uint32_t {
    kPlatformName = 0x0902,  // CL_PLATFORM_NAME
    kDeviceType = 0x1000,    // CL_DEVICE_…
    kComputeUnits = 0x1002,
    kMaxWorkGroup = 0x1004,
    kMaxAllocation = 0x1010,
    kCacheBytes = 0x101e,
    kMemoryBytes = 0x101f,
    kLocalMemoryBytes = 0x1023,
    kDeviceName = 0x102b,
    kDriverVersion = 0x102d,
    kDeviceVersion = 0x102f,
    kKernelNames = 0x1168,      // CL_PROGRAM_KERNEL_NAMES
    kBuildLog = 0x1183,         // CL_PROGRAM_BUILD_LOG
    kArgumentCount = 0x1191,    // CL_KERNEL_NUM_ARGS
    kKernelWorkGroup = 0x11b0,  // CL_KERNEL_WORK_GROUP_SIZE
    kCommandStatus = 0x11d3,    // CL_EVENT_COMMAND_EXECUTION_STATUS
    kCommandStart = 0x1282,     // CL_PROFILING_COMMAND_START
    kCommandEnd = 0x1283,       // CL_PROFILING_COMMAND_END
  };
  enum : OpenclFlags {
    kAllDevices = 0xffffffff,  // CL_DEVICE_TYPE_ALL
    kCpuDevice = 1 << 1,       // CL_DEVICE_TYPE_CPU
    kGpuDevice = 1 << 2,       // CL_DEVICE_TYPE_GPU
    kProfiling = 1 << 1,       // CL_QUEUE_PROFILING_ENABLE
    kReadWrite = 1 << 0,       // CL_MEM_READ_WRITE
  };
  enum : OpenclStatus {
    kAllocationFailed = -4,  // CL_MEM_OBJECT_ALLOCATION_FAILURE
    kOutOfResources = -5,
    kOutOfHostMemory = -6,
    kBuildFailed = -11,
    kInvalidBuildOptions = -43,
    kInvalidKernelName = -46,
    kInvalidArgumentSize = -51,
    kInvalidWorkGroup = -54,
    kInvalidBufferSize = -61,
  };

  using Notify = void (*)(const char*, const void*, std::size_t, void*);
  using BuildNotify = void (*)(OpenclHandle, void*);

  OpenclStatus (*platforms)(std::uint32_t, OpenclHandle*, std::uint32_t*);
  OpenclStatus (*platform_info)(OpenclHandle, std::uint32_t, std::size_t, void*, std::size_t*);
  OpenclStatus (*devices)(OpenclHandle, OpenclFlags, std::uint32_t, OpenclHandle*, std::uint32_t*);
  OpenclStatus (*device_info)(OpenclHandle, std::uint32_t, std::size_t, void*, std::size_t*);
  OpenclHandle (*context_create)(const std::intptr_t*, std::uint32_t, const OpenclHandle*, Notify,
                                 void*, OpenclStatus*);
  OpenclStatus (*context_release)(OpenclHandle);
  OpenclHandle (*queue_create)(OpenclHandle, OpenclHandle, OpenclFlags, OpenclStatus*);
  OpenclStatus (*queue_release)(OpenclHandle);
  OpenclStatus (*finish)(OpenclHandle);
  OpenclHandle (*program_create)(OpenclHandle, std::uint32_t, const char**, const std::size_t*,
                                 OpenclStatus*);
  OpenclStatus (*program_build)(OpenclHandle, std::uint32_t, const OpenclHandle*, const char*,
                                BuildNotify, void*);
  OpenclStatus (*program_build_info)(OpenclHandle, OpenclHandle, std::uint32_t, std::size_t, void*,
                                     std::size_t*);
  OpenclStatus (*program_info)(OpenclHandle, std::uint32_t, std::size_t, void*, std::size_t*);
  OpenclStatus (*program_release)(OpenclHandle);
  OpenclHandle (*kernel_create)(OpenclHandle, const char*, OpenclStatus*);
  OpenclStatus (*kernel_info)(OpenclHandle, std::uint32_t, std::size_t, void*, std::size_t*);
  OpenclStatus (*kernel_group_info)(OpenclHandle, OpenclHandle, std::uint32_t, std::size_t, void*,
                                    std::size_t*);
  OpenclStatus (*kernel_argument)(OpenclHandle, std::uint32_t, std::size_t, const void*);
  OpenclStatus (*kernel_release)(OpenclHandle);
  OpenclHandle (*allocate)(OpenclHandle, OpenclFlags, std::size_t, void*, OpenclStatus*);
  OpenclStatus (*release)(OpenclHandle);
  OpenclStatus (*launch)(OpenclHandle, OpenclHandle, std::uint32_t, const std::size_t*,
                         const std::size_t*, const std::size_t*, std::uint32_t, const OpenclHandle*,
                         OpenclHandle*);
  OpenclStatus (*read)(OpenclHandle, OpenclHandle, std::uint32_t, std::size_t, std::size_t, void*,
                       std::uint32_t, const OpenclHandle*, OpenclHandle*);
  OpenclStatus (*write)(OpenclHandle, OpenclHandle, std::uint32_t, std::size_t, std::size_t,
                        const void*, std::uint32_t, const OpenclHandle*, OpenclHandle*);
  OpenclStatus (*copy)(OpenclHandle, OpenclHandle, OpenclHandle, std::size_t, std::size_t,
                       std::size_t, std::uint32_t, const OpenclHandle*, OpenclHandle*);
  OpenclStatus (*fill)(OpenclHandle, OpenclHandle, const void*, std::size_t, std::size_t,
                       std::size_t, std::uint32_t, const OpenclHandle*, OpenclHandle*);
  OpenclStatus (*event_info)(OpenclHandle, std::uint32_t, std::size_t, void*, std::size_t*);
  OpenclStatus (*event_profile)(OpenclHandle, std::uint32_t, std::size_t, void*, std::size_t*);
  OpenclStatus (*event_release)(OpenclHandle);

  // Returns an Error with Exit::kDevice if the call failed: "clFinish: CL_OUT_OF_RESOURCES".
  Result<void> check(OpenclStatus status, std::string_view call) const;
};

// The name of a status: "CL_OUT_OF_RESOURCES", or "error -1234".
std::string opencl_words(OpenclStatus status);

// The OpenCL library, opened once per process. Returns an Error if there is none.
Result<const Opencl*> open_opencl();

}  // namespace burin::gpu
