// The structures and constants of CUPTI's binary interface that the recorder uses, declared
// according to NVIDIA's documentation so that building needs no CUDA headers. They are stable
// across CUPTI versions: structures that can grow contain their size, which the caller sets to the
// size it knows.
#pragma once

#include <cstddef>
#include <cstdint>

namespace burin::gpu {

using CuptiStatus = int;  // CUptiResult; 0 is success

struct CuptiError {
  enum : CuptiStatus {
    kOutOfMemory = 8,  // in PC sampling: the hardware buffer overflowed
    kHardwareBusy = 26,
    kNotSupported = 27,
    kVirtualized = 33,
    kInsufficientPrivileges = 35,
    kLegacyProfiler = 38,
    kMultipleSubscribers = 39,
    kVirtualizedPrivileges = 40,
    kConfidential = 41,
    kPartitioned = 43,
    kWindowsSubsystem = 45,
  };
};

struct CuptiDomain {
  enum : std::uint32_t { kDriver = 1, kResource = 3 };
};

struct CuptiResource {
  enum : std::uint32_t {
    kContextCreated = 1,
    kContextDestroyStarting = 2,
    kModuleLoaded = 6,
    kModuleUnloadStarting = 7,
    kGraphNodeCloned = 20,
  };
};

// CUpti_driver_api_trace_cbid: one number for each version of a driver function.
struct CuptiDriver {
  enum : std::uint32_t {
    kModuleLoad = 18,
    kModuleLoadData = 19,
    kModuleLoadDataEx = 20,
    kModuleLoadFatBinary = 21,
    kMemFree = 245,
    kCopyIn = 276,
    kCopyInAsync = 277,
    kCopyDevice = 280,
    kCopyDeviceAsync = 281,
    kCopyAny = 305,
    kCopyAnyAsync = 306,
    kCopyInPerThread = 397,
    kCopyInAsyncPerThread = 421,
    kMemHostUnregister = 302,
    kLaunchKernel = 307,
    kIpcCloseMemHandle = 330,
    kTexObjectCreate = 339,
    kLaunchKernelPerThread = 442,
    kLaunchCooperative = 477,
    kLaunchCooperativePerThread = 478,
    kGraphInstantiate = 513,
    kGraphLaunch = 514,
    kGraphLaunchPerThread = 515,
    kGraphExecKernelNodeSetParams1 = 538,
    kMemUnmap = 552,
    kGraphInstantiate2 = 578,
    kMemFreeAsync = 600,
    kMemFreeAsyncPerThread = 601,
    kGraphInstantiateWithFlags = 643,
    kLaunchKernelEx = 652,
    kLaunchKernelExPerThread = 653,
    kGraphInstantiateWithParams = 656,
    kGraphInstantiateWithParamsPerThread = 657,
    kGraphExecKernelNodeSetParams2 = 692,
    kGraphExecUpdate = 696,
  };
};

struct CuptiCallbackData {  // CUpti_CallbackData
  enum Site : std::uint32_t { kEnter = 0, kExit = 1 };
  std::uint32_t site;
  const char* function_name;
  const void* parameters;
  const int* result;  // valid on exit
  const char* symbol_name;
  void* context;
  std::uint32_t context_id;
  std::uint64_t* correlation_data;
  std::uint32_t correlation;
};
static_assert(offsetof(CuptiCallbackData, correlation) == 64);

struct CuptiResourceData {  // CUpti_ResourceData
  void* context;
  void* handle;
  const void* descriptor;
};

struct CuptiModuleData {  // CUpti_ModuleResourceData
  std::uint32_t module_id;
  std::size_t cubin_size;
  const std::uint8_t* cubin;
};

struct CuptiGraphData {  // CUpti_GraphData
  void* graph;
  void* original_graph;
  void* node;
  void* original_node;
  std::uint32_t node_type;
  void* dependency;
  void* graph_exec;
};

// The first fields of CUpti_ActivityKernel since its sixth version (CUDA 11.2); newer versions
// append fields.
struct CuptiKernelRecord {
  enum Kind : std::uint32_t { kKernel = 3, kConcurrentKernel = 10 };
  std::uint32_t kind;
  std::uint32_t before_start[3];
  std::uint64_t start_ns, end_ns, completed_ns;
  std::uint32_t device, context, stream;
  std::int32_t grid[3], block[3];
  std::int32_t static_shared_bytes, dynamic_shared_bytes;
  std::uint32_t local_per_thread, local_total;
  std::uint32_t correlation;
  std::int64_t grid_id;
  const char* name;
  void* reserved;
  std::uint64_t queued_ns, submitted_ns;
  std::uint8_t launch_type, carveout_requested, carveout, padding;
  std::uint32_t shared_executed;
  std::uint64_t graph_node;
};
static_assert(offsetof(CuptiKernelRecord, start_ns) == 16);
static_assert(offsetof(CuptiKernelRecord, correlation) == 92);
static_assert(offsetof(CuptiKernelRecord, name) == 104);
static_assert(offsetof(CuptiKernelRecord, graph_node) == 144);

struct CuptiCubinCrc {  // CUpti_GetCubinCrcParams
  std::size_t size;
  std::size_t cubin_size;
  const void* cubin;
  std::uint64_t crc;
};

struct CuptiSubscriber {  // CUpti_SubscriberParams
  std::size_t size;
  const char* name;
  char* other;  // name of an existing subscriber
  std::size_t other_size;
};

// The common first fields of the parameters of all PC sampling functions.
struct CuptiSamplingCall {
  std::size_t size;
  void* reserved;
  void* context;
};
struct CuptiSamplingReasonCount {
  CuptiSamplingCall call;
  std::size_t* count;
};
struct CuptiSamplingReasons {
  CuptiSamplingCall call;
  std::size_t count;
  std::uint32_t* indices;
  char** names;  // 128 bytes each
};
struct CuptiSamplingSetting {  // CUpti_PCSamplingConfigurationInfo
  enum Attribute : std::uint32_t {
    kPeriod = 1,
    kReasons = 2,
    kScratchBytes = 3,
    kHardwareBytes = 4,
    kMode = 5,
    kDataBuffer = 8,
    kSleepMilliseconds = 9,
  };
  std::uint32_t attribute;
  CuptiStatus status;
  std::uint64_t value[3];
};
struct CuptiSamplingConfiguration {
  CuptiSamplingCall call;
  std::size_t count;
  CuptiSamplingSetting* settings;
};
struct CuptiSamplingStall {
  std::uint32_t reason;
  std::uint32_t samples;
};
struct CuptiSamplingPc {  // CUpti_PCSamplingPCData
  std::size_t size;
  std::uint64_t crc;
  std::uint64_t offset;
  std::uint32_t function_index;
  std::uint32_t padding;
  char* function_name;
  std::size_t stall_count;
  CuptiSamplingStall* stalls;
  std::uint32_t correlation;
  std::uint32_t tail;
};
static_assert(sizeof(CuptiSamplingPc) == 64);
struct CuptiSamplingData {  // CUpti_PCSamplingData
  std::size_t size;
  std::size_t room;  // capacity of `pcs`, entries
  std::uint64_t total;
  std::uint64_t dropped;
  std::size_t pc_count;
  std::size_t remaining;
  std::uint64_t range;
  CuptiSamplingPc* pcs;
  std::uint64_t not_user;
  std::uint8_t buffer_full;
  std::uint8_t tail[7];
};
static_assert(sizeof(CuptiSamplingData) == 80);
struct CuptiSamplingGetData {
  CuptiSamplingCall call;
  CuptiSamplingData* data;
};

}  // namespace burin::gpu
