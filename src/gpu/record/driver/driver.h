// The driver's functions that the recorder calls inside a recorded program, besides those of
// gpu/cuda.h, and the parameters with which the driver's callbacks come.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "gpu/cuda.h"

namespace burin::gpu {

struct CudaKernelNode {  // CUDA_KERNEL_NODE_PARAMS_v2; the first version lacks the last two
  CudaHandle function;
  std::uint32_t grid[3], block[3];
  std::uint32_t shared_bytes;
  void** parameters;
  void** extra;
  CudaHandle kernel;  // where there is no function
  CudaHandle context;
};
static_assert(sizeof(CudaKernelNode) == 72);

struct RecordDriver {
  enum : int {
    kMemoryType = 2,  // CU_POINTER_ATTRIBUTE_…
    kIsManaged = 8,
    kRangeStart = 11,
    kRangeSize = 12,
    kKernelNode = 0,  // CU_GRAPH_NODE_TYPE_…
    kChildGraphNode = 4,
    kClockRate = 13,  // CU_DEVICE_ATTRIBUTE_…
    kNotReady = 600,  // CUDA_ERROR_NOT_READY
  };

  CudaStatus (*version)(int*);
  CudaStatus (*device_name)(char*, int, int);
  CudaStatus (*device_attribute)(int*, int, int);
  CudaStatus (*device_bus_id)(char*, int, int);
  CudaStatus (*device_memory)(std::size_t*, int);
  CudaStatus (*context_push)(CudaHandle);
  CudaStatus (*context_pop)(CudaHandle*);
  CudaStatus (*context_synchronize)();
  CudaStatus (*function_module)(CudaHandle*, CudaHandle);
  CudaStatus (*pointer_attributes)(unsigned, int*, void**, CudaPointer);
  CudaStatus (*stream_capturing)(CudaHandle, int*);
  CudaStatus (*stream_create)(CudaHandle*, unsigned);
  CudaStatus (*stream_query)(CudaHandle);
  CudaStatus (*event_create)(CudaHandle*, unsigned);
  CudaStatus (*event_destroy)(CudaHandle);
  CudaStatus (*event_record)(CudaHandle, CudaHandle);
  CudaStatus (*event_query)(CudaHandle);
  CudaStatus (*copy_out_async)(void*, CudaPointer, std::size_t, CudaHandle);
  CudaStatus (*graph_nodes)(CudaHandle, CudaHandle*, std::size_t*);
  CudaStatus (*node_type)(CudaHandle, int*);
  CudaStatus (*kernel_node)(CudaHandle, CudaKernelNode*);
  CudaStatus (*child_graph)(CudaHandle, CudaHandle*);

  // Null where the driver is older than they are.
  CudaStatus (*function_parameter)(CudaHandle, std::size_t, std::size_t*, std::size_t*);
  CudaStatus (*kernel_parameter)(CudaHandle, std::size_t, std::size_t*, std::size_t*);
  CudaStatus (*kernel_function)(CudaHandle*, CudaHandle);
  CudaStatus (*function_name)(const char**, CudaHandle);
  CudaStatus (*kernel_name)(const char**, CudaHandle);
  CudaStatus (*module_variable)(CudaPointer*, std::size_t*, CudaHandle, const char*);

  // The function that is missing; "" where all is there.
  std::string open();
};

// Polls until the question is no longer answered "not ready", so as never to hold up the program
// for ever: false after 20 seconds, or where the answer is an error.
bool wait_until(const std::function<CudaStatus()>& question);

// Until the stream has done what it was given so far. Its context must be current.
bool wait_for_stream(const RecordDriver& driver, CudaHandle stream);

// As the callbacks of the driver's functions hand them over.
struct LaunchKernelCall {
  CudaHandle function;
  std::uint32_t grid[3], block[3];
  std::uint32_t shared_bytes;
  CudaHandle stream;
  void** parameters;
  void** extra;  // cooperative launches have none
};
struct LaunchKernelExCall {
  const CudaLaunchConfig* config;
  CudaHandle function;
  void** parameters;
  void** extra;
};
struct GraphLaunchCall {
  CudaHandle graph;
  CudaHandle stream;
};
struct GraphInstantiateCall {
  CudaHandle* graph_exec;
  CudaHandle graph;
};
struct GraphExecUpdateCall {
  CudaHandle graph_exec;
  CudaHandle graph;
};
struct NodeSetParametersCall {
  CudaHandle graph_exec;
  CudaHandle node;
  const CudaKernelNode* parameters;
};
struct ModuleLoadCall {
  CudaHandle* module;
};

}  // namespace burin::gpu
