// A driver whose GPU is the heap and whose one kernel is vector_add. As the real one it opens the
// library that CUDA_INJECTION64_PATH names when it is initialised, and tells CUPTI of every call.
#include "fake_cupti/driver.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <list>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace burin::gpu::fake {
namespace {

std::mutex mutex;
std::list<Function> functions;
std::list<Node> nodes;
std::list<std::vector<Node>> executables;  // copies of a graph's nodes
std::map<CudaPointer, std::vector<std::uint8_t>> allocations;
bool capturing = false;
std::uint64_t texture_count = 0;

// As with lazy loading, BURIN_FAKE's `lazy`: a module is announced when it is first needed.
const CuptiModuleData* unloaded = nullptr;

void load_now() {
  if (unloaded == nullptr) return;
  const CuptiResourceData resource{current, nullptr, std::exchange(unloaded, nullptr)};
  tell_resource(CuptiResource::kModuleLoaded, &resource);
}

constexpr std::size_t kOffsets[] = {0, 8, 16, 24};
constexpr std::size_t kSizes[] = {8, 8, 8, 4};

void vector_add(void** parameters) {
  const auto* a = *static_cast<float**>(parameters[0]);
  const auto* b = *static_cast<float**>(parameters[1]);
  if (reinterpret_cast<std::uintptr_t>(b) <= texture_count) return;  // a texture object
  auto* sum = *static_cast<float**>(parameters[2]);
  const int n = *static_cast<int*>(parameters[3]);
  for (int i = 0; i < n; ++i) sum[i] = a[i] + b[i];
}

CudaStatus launch(std::uint32_t id, const void* call, const Function& function,
                  const std::uint32_t* grid, const std::uint32_t* block, void** parameters,
                  const CudaLaunchConfig* config = nullptr) {
  Told told_call(id, call, function.name.c_str());
  load_now();
  CudaStatus status = grid[0] == 0 ? 1 : 0;  // CUDA_ERROR_INVALID_VALUE
  if (status == 0 && capturing) {
    Node& node = nodes.emplace_back();
    node.kernel.function = const_cast<Function*>(&function);
    std::memcpy(node.kernel.grid, grid, 12);
    std::memcpy(node.kernel.block, block, 12);
    node.kernel.parameters = parameters;
    if (config != nullptr && config->attribute_count != 0) {
      std::memcpy(node.cluster, config->attributes[0].value, sizeof node.cluster);
    }
  } else if (status == 0) {
    vector_add(parameters);
    tell_kernel(function, grid, block, told_call.correlation(), 0);
  }
  told_call.end(status);
  return status;
}

}  // namespace

bool told(const char* word) {
  const char* words = std::getenv("BURIN_FAKE");
  return words != nullptr && std::strstr(words, word) != nullptr;
}

}  // namespace burin::gpu::fake

using namespace burin::gpu;
using namespace burin::gpu::fake;

extern "C" {

CudaStatus cuInit(unsigned) {
  if (const char* path = std::getenv("CUDA_INJECTION64_PATH")) {
    if (void* library = ::dlopen(path, RTLD_NOW)) {
      if (auto* door = reinterpret_cast<int (*)()>(::dlsym(library, "InitializeInjection"))) door();
    }
  }
  return 0;
}
CudaStatus cuCtxCreate_v2(CudaHandle* handle, unsigned, int device) {
  *handle = current = &contexts[device];
  const CuptiResourceData data{current, nullptr, nullptr};
  tell_resource(CuptiResource::kContextCreated, &data);
  return 0;
}
CudaStatus cuDriverGetVersion(int* version) {
  *version = 13000;
  return 0;
}
CudaStatus cuDeviceGetName(char* name, int size, int) {
  std::snprintf(name, static_cast<std::size_t>(size), "Fake GPU");
  return 0;
}
CudaStatus cuDeviceGetAttribute(int* value, int attribute, int) {
  *value = attribute == Cuda::kCapabilityMajor ? 9 : attribute == Cuda::kMultiprocessors ? 132 : 0;
  return 0;
}
// Each test has GPUs of its own: tests run at the same time, and processes share a GPU's samples.
CudaStatus cuDeviceGetPCIBusId(char* id, int size, int device) {
  std::snprintf(id, static_cast<std::size_t>(size), "%x:%d9:00.0",
                static_cast<unsigned>(::getppid()), 1 + device);
  return 0;
}
CudaStatus cuDeviceTotalMem_v2(std::size_t* bytes, int) {
  *bytes = std::size_t{1} << 30;
  return 0;
}
CudaStatus cuCtxPushCurrent_v2(CudaHandle) {
  return 0;
}
CudaStatus cuCtxPopCurrent_v2(CudaHandle* handle) {
  *handle = current;
  return 0;
}
CudaStatus cuCtxSynchronize() {
  return 0;
}
CudaStatus cuModuleLoadData(CudaHandle* module, const void* image) {
  struct {
    CudaHandle* module;
    const void* image;
  } call{module, image};
  Told told_call(CuptiDriver::kModuleLoadData, &call);
  std::size_t size = 0;
  std::memcpy(&size, static_cast<const char*>(image) - sizeof size, sizeof size);
  static CuptiModuleData data;
  data = {1, size, static_cast<const std::uint8_t*>(image)};
  unloaded = &data;
  if (!told("lazy")) load_now();
  static char handles[64];
  static int loaded = 0;
  *module = &handles[loaded++];
  told_call.end(0);
  return 0;
}
CudaStatus cuModuleGetFunction(CudaHandle* function, CudaHandle module, const char* name) {
  *function = &functions.emplace_back(Function{name, module});
  return 0;
}
CudaStatus cuFuncGetModule(CudaHandle* module, CudaHandle function) {
  load_now();
  *module = static_cast<Function*>(function)->module;
  return 0;
}
CudaStatus cuModuleGetGlobal_v2(CudaPointer* address, std::size_t* size, CudaHandle,
                                const char* name) {
  static float filter[9] = {1, 2, 3};
  if (std::strcmp(name, "kFilter") != 0) return 500;  // CUDA_ERROR_NOT_FOUND
  *address = reinterpret_cast<CudaPointer>(filter);
  *size = sizeof filter;
  return 0;
}
CudaStatus cuFuncGetName(const char** name, CudaHandle function) {
  *name = static_cast<Function*>(function)->name.c_str();
  return 0;
}
CudaStatus cuFuncGetParamInfo(CudaHandle, std::size_t index, std::size_t* offset,
                              std::size_t* size) {
  if (index >= std::size(kOffsets)) return 1;
  *offset = kOffsets[index];
  *size = kSizes[index];
  return 0;
}
CudaStatus cuMemAlloc_v2(CudaPointer* pointer, std::size_t size) {
  const std::lock_guard lock(mutex);
  std::vector<std::uint8_t> memory(size);
  *pointer = reinterpret_cast<CudaPointer>(memory.data());
  allocations[*pointer] = std::move(memory);
  return 0;
}
CudaStatus cuPointerGetAttributes(unsigned count, int* attributes, void** values,
                                  CudaPointer pointer) {
  const std::lock_guard lock(mutex);
  auto at = allocations.upper_bound(pointer);
  CudaPointer start = 0;
  std::size_t size = 0;
  if (at != allocations.begin() && pointer - (--at)->first < at->second.size()) {
    start = at->first;
    size = at->second.size();
  }
  for (unsigned i = 0; i < count; ++i) {
    switch (attributes[i]) {
      case RecordDriver::kMemoryType:
        *static_cast<std::uint32_t*>(values[i]) = size == 0 ? 0 : 2;
        break;
      case RecordDriver::kRangeStart:
        *static_cast<CudaPointer*>(values[i]) = start;
        break;
      case RecordDriver::kRangeSize:
        *static_cast<std::size_t*>(values[i]) = size;
        break;
      default:
        *static_cast<std::uint32_t*>(values[i]) = 0;
    }
  }
  return 0;
}
CudaStatus cuTexObjectCreate(std::uint64_t* handle, const CudaResource* resource,
                             const CudaTexture* texture, const void*) {
  const TextureCreateCall call{handle, resource, texture};
  Told told_call(CuptiDriver::kTexObjectCreate, &call);
  *handle = ++texture_count;
  told_call.end(0);
  return 0;
}
CudaStatus cuArray3DGetDescriptor_v2(CudaArray* array, CudaHandle) {
  *array = {100, 20, 0, 0x20, 1, 0};
  return 0;
}
CudaStatus cuStreamIsCapturing(CudaHandle, int* status) {
  *status = capturing ? 1 : 0;
  return 0;
}
CudaStatus cuStreamCreate(CudaHandle* stream, unsigned) {
  *stream = current;
  return 0;
}
CudaStatus cuStreamQuery(CudaHandle) {
  return 0;
}
CudaStatus cuEventCreate(CudaHandle* event, unsigned) {
  *event = current;
  return 0;
}
CudaStatus cuEventDestroy_v2(CudaHandle) {
  return 0;
}
CudaStatus cuEventRecord(CudaHandle, CudaHandle) {
  return 0;
}
CudaStatus cuEventQuery(CudaHandle) {
  return 0;
}
CudaStatus cuMemcpyDtoHAsync_v2(void* to, CudaPointer from, std::size_t size, CudaHandle) {
  std::memcpy(to, reinterpret_cast<const void*>(from), size);
  return 0;
}
CudaStatus cuLaunchKernel(CudaHandle function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                          unsigned by, unsigned bz, unsigned shared_bytes, CudaHandle stream,
                          void** parameters, void** extra) {
  const LaunchKernelCall call{function, {gx, gy, gz}, {bx, by, bz}, shared_bytes,
                              stream,   parameters,   extra};
  return launch(CuptiDriver::kLaunchKernel, &call, *static_cast<Function*>(function), call.grid,
                call.block, parameters);
}
CudaStatus cuLaunchKernelEx(const CudaLaunchConfig* config, CudaHandle function, void** parameters,
                            void** extra) {
  const LaunchKernelExCall call{config, function, parameters, extra};
  return launch(CuptiDriver::kLaunchKernelEx, &call, *static_cast<Function*>(function),
                config->grid, config->block, parameters, config);
}

// A graph is all that was captured; a launch of it runs copies of its nodes.
CudaStatus cuStreamBeginCapture_v2(CudaHandle, int) {
  capturing = true;
  return 0;
}
CudaStatus cuStreamEndCapture(CudaHandle, CudaHandle* graph) {
  capturing = false;
  *graph = &nodes;
  return 0;
}
CudaStatus cuGraphGetNodes(CudaHandle, CudaHandle* into, std::size_t* count) {
  if (into != nullptr) {
    for (Node& node : nodes) *into++ = &node;
  }
  *count = nodes.size();
  return 0;
}
CudaStatus cuGraphNodeGetType(CudaHandle, int* type) {
  *type = RecordDriver::kKernelNode;
  return 0;
}
CudaStatus cuGraphKernelNodeGetParams_v2(CudaHandle node, CudaKernelNode* parameters) {
  *parameters = static_cast<Node*>(node)->kernel;
  return 0;
}
CudaStatus cuGraphKernelNodeGetAttribute(CudaHandle node, std::uint32_t attribute,
                                         std::uint32_t (*value)[16]) {
  if (attribute != CudaLaunchAttribute::kClusterDimension) return 1;
  std::memcpy(value, static_cast<Node*>(node)->cluster, sizeof(Node::cluster));
  return 0;
}
CudaStatus cuGraphChildGraphNodeGetGraph(CudaHandle, CudaHandle*) {
  return 1;
}
CudaStatus cuGraphInstantiateWithFlags(CudaHandle* graph_exec, CudaHandle graph, std::uint64_t) {
  const GraphInstantiateCall call{graph_exec, graph};
  Told told_call(CuptiDriver::kGraphInstantiateWithFlags, &call);
  std::vector<Node>& copies = executables.emplace_back(nodes.begin(), nodes.end());
  std::size_t i = 0;
  for (Node& node : nodes) {
    CuptiGraphData data{};
    data.node = &copies[i++];
    data.original_node = &node;
    const CuptiResourceData resource{current, nullptr, &data};
    tell_resource(CuptiResource::kGraphNodeCloned, &resource);
  }
  *graph_exec = &copies;
  told_call.end(0);
  return 0;
}
CudaStatus cuGraphExecKernelNodeSetParams_v2(CudaHandle graph_exec, CudaHandle node,
                                             const CudaKernelNode* parameters) {
  const NodeSetParametersCall call{graph_exec, node, parameters};
  Told told_call(CuptiDriver::kGraphExecKernelNodeSetParams2, &call);
  told_call.end(0);
  return 0;
}
CudaStatus cuGraphLaunch(CudaHandle graph_exec, CudaHandle stream) {
  const GraphLaunchCall call{graph_exec, stream};
  Told told_call(CuptiDriver::kGraphLaunch, &call);
  for (const Node& node : *static_cast<std::vector<Node>*>(graph_exec)) {
    vector_add(node.kernel.parameters);
    tell_kernel(*static_cast<Function*>(node.kernel.function), node.kernel.grid, node.kernel.block,
                told_call.correlation(), reinterpret_cast<std::uint64_t>(&node));
  }
  told_call.end(0);
  return 0;
}

}  // extern "C"
