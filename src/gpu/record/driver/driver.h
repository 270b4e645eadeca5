// The driver functions that the recorder calls inside a recorded program, in addition to those of
// gpu/cuda.h, and the parameters that driver callbacks receive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "gpu/cuda.h"

namespace burin::gpu {

struct CudaKernelNode {  // CUDA_KERNEL_NODE_PARAMS_v2; version 1 lacks the last two fields
  CudaHandle function;
  std::uint32_t grid[3], block[3];
  std::uint32_t shared_bytes;
  void** parameters;
  void** extra;
  CudaHandle kernel;  // used if `function` is null
  CudaHandle context;
};
static_assert(sizeof(CudaKernelNode) == 72);

struct CudaArray {  // CUDA_ARRAY3D_DESCRIPTOR
  std::size_t width, height, depth;
  std::uint32_t format, channels, flags;
};
static_assert(sizeof(CudaArray) == 40);

struct CudaResource {  // CUDA_RESOURCE_DESC
  enum : std::uint32_t { kArray = 0, kLinear = 2, kPitched = 3 };
  struct Array {
    CudaHandle handle;
  };
  struct Linear {
    CudaPointer address;
    std::uint32_t format, channels;
    std::size_t bytes;
  };
  struct Pitched {
    CudaPointer address;
    std::uint32_t format, channels;
    std::size_t width, height, pitch;
  };
  std::uint32_t type;
  union {
    Array array;
    Linear linear;
    Pitched pitched;
    std::uint32_t reserved[32];
  };
  std::uint32_t flags;
};
static_assert(sizeof(CudaResource) == 144 && offsetof(CudaResource, flags) == 136);

struct CudaTexture {  // the first fields of CUDA_TEXTURE_DESC
  enum : std::uint32_t { kNormalized = 2 };
  std::uint32_t address_modes[3], filter_mode, flags;
};

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

  // Null if the driver is too old to have them.
  CudaStatus (*function_parameter)(CudaHandle, std::size_t, std::size_t*, std::size_t*);
  CudaStatus (*kernel_parameter)(CudaHandle, std::size_t, std::size_t*, std::size_t*);
  CudaStatus (*kernel_function)(CudaHandle*, CudaHandle);
  CudaStatus (*function_name)(const char**, CudaHandle);
  CudaStatus (*kernel_name)(const char**, CudaHandle);
  CudaStatus (*kernel_node_attribute)(CudaHandle, std::uint32_t, std::uint32_t (*value)[16]);
  CudaStatus (*array_descriptor)(CudaArray*, CudaHandle);
  CudaStatus (*module_variable)(CudaPointer*, std::size_t*, CudaHandle, const char*);

  // Loads the functions. Returns the name of a missing function; "" on success.
  std::string open();
};

// Polls `question` until its answer is no longer "not ready". Returns false after 20 seconds, so
// that the program is never blocked forever, or if the answer is an error.
bool wait_until(const std::function<CudaStatus()>& question);

// Waits until the stream has finished its work so far, with the limit of wait_until(). The context
// of the stream must be current.
bool wait_for_stream(const RecordDriver& driver, CudaHandle stream);

// Parameters of the driver functions, as passed to their callbacks.
struct LaunchKernelCall {
  CudaHandle function;
  std::uint32_t grid[3], block[3];
  std::uint32_t shared_bytes;
  CudaHandle stream;
  void** parameters;
  void** extra;  // absent in cooperative launches
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
struct CopyCall {
  CudaPointer to;
};
struct TextureCreateCall {
  const std::uint64_t* handle;
  const CudaResource* resource;
  const CudaTexture* texture;
};

}  // namespace burin::gpu
