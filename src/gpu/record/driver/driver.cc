#include "gpu/record/driver/driver.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "gpu/library.h"

namespace burin::gpu {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::microseconds;
constexpr auto kQuietWithin = std::chrono::seconds(20);
constexpr microseconds kShortestPause(10), kLongestPause(1000);
constexpr unsigned kWithoutTiming = 2;  // CU_EVENT_DISABLE_TIMING

}  // namespace

std::string RecordDriver::open() {
  const Library library = Library::open(cuda_names());
  if (!library) return "libcuda.so.1";
  Entries entry(library);
  entry("cuDriverGetVersion", version);
  entry("cuDeviceGetName", device_name);
  entry("cuDeviceGetAttribute", device_attribute);
  entry("cuDeviceGetPCIBusId", device_bus_id);
  entry("cuDeviceTotalMem_v2", device_memory);
  entry("cuCtxPushCurrent_v2", context_push);
  entry("cuCtxPopCurrent_v2", context_pop);
  entry("cuCtxSynchronize", context_synchronize);
  entry("cuFuncGetModule", function_module);
  entry("cuPointerGetAttributes", pointer_attributes);
  entry("cuStreamIsCapturing", stream_capturing);
  entry("cuStreamCreate", stream_create);
  entry("cuStreamQuery", stream_query);
  entry("cuEventCreate", event_create);
  entry("cuEventDestroy_v2", event_destroy);
  entry("cuEventRecord", event_record);
  entry("cuEventQuery", event_query);
  entry("cuMemcpyDtoHAsync_v2", copy_out_async);
  entry("cuGraphGetNodes", graph_nodes);
  entry("cuGraphNodeGetType", node_type);
  entry("cuGraphKernelNodeGetParams_v2", kernel_node);
  entry("cuGraphChildGraphNodeGetGraph", child_graph);
  entry.optional("cuFuncGetParamInfo", function_parameter);
  entry.optional("cuKernelGetParamInfo", kernel_parameter);
  entry.optional("cuKernelGetFunction", kernel_function);
  entry.optional("cuFuncGetName", function_name);
  entry.optional("cuKernelGetName", kernel_name);
  entry.optional("cuGraphKernelNodeGetAttribute", kernel_node_attribute);
  entry.optional("cuArray3DGetDescriptor_v2", array_descriptor);
  entry.optional("cuModuleGetGlobal_v2", module_variable);
  return entry.missing();
}

bool wait_until(const std::function<CudaStatus()>& question) {
  const auto begin = Clock::now();
  for (microseconds pause = kShortestPause;; pause = std::min(pause * 2, kLongestPause)) {
    const CudaStatus status = question();
    if (status != RecordDriver::kNotReady) return status == 0;
    if (Clock::now() - begin > kQuietWithin) return false;
    std::this_thread::sleep_for(pause);
  }
}

bool wait_for_stream(const RecordDriver& driver, CudaHandle stream) {
  CudaHandle event = nullptr;
  if (driver.event_create(&event, kWithoutTiming) != 0) return false;
  const bool done = driver.event_record(event, stream) == 0 &&
                    wait_until([&] { return driver.event_query(event); });
  driver.event_destroy(event);
  return done;
}

}  // namespace burin::gpu
