// A library that stands for NVIDIA's driver, NVML and CUPTI: its "GPU memory" is the heap, and of
// kernels it knows vector_add, which it computes. Handles of functions that were unloaded are given
// out again, and CUPTI goes on calling them what it called them first, as NVIDIA's does.
// BURIN_FAKE, a list of words, has it misbehave:
//
//   fault hang crash   what the kernel does
//   noise              each launch leaves another output
//   small              the GPU has a megabyte of memory
//   other              the GPU does not run the cubin's architecture
//   late               CUPTI loses the last record
//   idle               there is no GPU
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <list>
#include <map>
#include <string>
#include <vector>

#include "gpu/cuda.h"

namespace {

using burin::gpu::CudaHandle;
using burin::gpu::CudaLaunchConfig;
using burin::gpu::CudaPointer;
using burin::gpu::CudaStatus;

constexpr CudaStatus kIllegalAddress = 700;

bool told(const char* word) {
  const char* words = std::getenv("BURIN_FAKE");
  return words != nullptr && std::strstr(words, word) != nullptr;
}

struct Function {
  std::string name;
  std::string known_as;  // to CUPTI
  const void* module = nullptr;
};

struct Record {  // as kernel_times.cc reads it
  std::uint32_t kind = 10;
  std::uint32_t before_start[3] = {};
  std::uint64_t start_ns = 0, end_ns = 0;
  std::uint32_t before_name[18] = {};
  const char* name = nullptr;
};

std::list<Function> functions;
std::map<CudaPointer, std::size_t> allocations;
std::size_t allocated = 0;
std::vector<Record> records;
CudaStatus status = 0;  // sticky, as a fault is
unsigned launches = 0;
std::list<char> modules;  // of which the addresses count

using RequestBuffer = void(std::uint8_t**, std::size_t*, std::size_t*);
using CompleteBuffer = void(void*, std::uint32_t, std::uint8_t*, std::size_t, std::size_t);
RequestBuffer* request_buffer = nullptr;
CompleteBuffer* complete_buffer = nullptr;

void vector_add(const std::uint8_t* parameters, const CudaLaunchConfig& config) {
  float *a = nullptr, *b = nullptr, *sum = nullptr;
  std::int32_t n = 0;
  std::memcpy(&a, parameters, 8);
  std::memcpy(&b, parameters + 8, 8);
  std::memcpy(&sum, parameters + 16, 8);
  std::memcpy(&n, parameters + 24, 4);
  if (config.grid[0] == 0 || config.block[0] == 0) std::abort();
  for (std::int32_t i = 0; i < n; ++i) sum[i] = a[i] + b[i];
  if (told("noise")) sum[0] = static_cast<float>(launches);
}

}  // namespace

// Exported under the names that the real libraries have.
extern "C" {

CudaStatus cuInit(unsigned) {
  return 0;
}
CudaStatus cuDriverGetVersion(int* version) {
  *version = 13000;
  return 0;
}
CudaStatus cuGetErrorName(CudaStatus code, const char** name) {
  *name = code == kIllegalAddress ? "CUDA_ERROR_ILLEGAL_ADDRESS" : "CUDA_ERROR_OTHER";
  return 0;
}
CudaStatus cuGetErrorString(CudaStatus code, const char** text) {
  *text = code == kIllegalAddress ? "an illegal memory access was encountered" : "another error";
  return 0;
}
CudaStatus cuDeviceGetCount(int* count) {
  *count = told("idle") ? 0 : 1;
  return 0;
}
CudaStatus cuDeviceGet(int* device, int ordinal) {
  *device = ordinal;
  return ordinal == 0 && !told("idle") ? 0 : burin::gpu::Cuda::kInvalidDevice;
}
CudaStatus cuDeviceGetName(char* name, int size, int) {
  std::snprintf(name, static_cast<std::size_t>(size), "Fake GPU");
  return 0;
}
CudaStatus cuDeviceGetAttribute(int* value, int attribute, int) {
  *value = attribute == burin::gpu::Cuda::kCapabilityMajor ? 9 : 0;
  return 0;
}
CudaStatus cuDeviceGetPCIBusId(char* id, int size, int) {
  std::snprintf(id, static_cast<std::size_t>(size), "0000:19:00.0");
  return 0;
}
CudaStatus cuDevicePrimaryCtxRetain(CudaHandle* context, int) {
  *context = &allocations;
  return 0;
}
CudaStatus cuCtxSetCurrent(CudaHandle) {
  return 0;
}
CudaStatus cuCtxSynchronize() {
  return status;
}
CudaStatus cuModuleLoadData(CudaHandle* module, const void* image) {
  const bool elf = std::memcmp(image,
                               "\x7f"
                               "ELF",
                               4) == 0;
  if (elf && told("other")) return burin::gpu::Cuda::kNoBinary;
  *module = &modules.emplace_back();
  return 0;
}
CudaStatus cuModuleUnload(CudaHandle module) {
  for (Function& each : functions) {
    if (each.module == module) each.module = nullptr;
  }
  return 0;
}
CudaStatus cuModuleGetFunction(CudaHandle* function, CudaHandle module, const char* name) {
  auto free = std::find_if(functions.begin(), functions.end(),
                           [](const Function& each) { return each.module == nullptr; });
  if (free == functions.end()) free = functions.insert(free, Function{name, name, nullptr});
  free->name = name;
  free->module = module;
  *function = &*free;
  return 0;
}
CudaStatus cuModuleGetGlobal_v2(CudaPointer* pointer, std::size_t* size, CudaHandle, const char*) {
  static std::uint8_t variable[4096];
  *pointer = reinterpret_cast<CudaPointer>(variable);
  *size = sizeof variable;
  return 0;
}
CudaStatus cuFuncSetAttribute(CudaHandle, int, int) {
  return 0;
}
CudaStatus cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
  *total = 1 << 20;
  *free = *total - allocated;
  return 0;
}
CudaStatus cuMemAlloc_v2(CudaPointer* pointer, std::size_t size) {
  if (told("small") && allocated + size > 1 << 20) return burin::gpu::Cuda::kOutOfMemory;
  *pointer = reinterpret_cast<CudaPointer>(std::malloc(size));
  allocations[*pointer] = size;
  allocated += size;
  return 0;
}
CudaStatus cuMemFree_v2(CudaPointer pointer) {
  const auto found = allocations.find(pointer);
  if (found == allocations.end()) return 1;
  allocated -= found->second;
  allocations.erase(found);
  std::free(reinterpret_cast<void*>(pointer));
  return 0;
}
CudaStatus cuMemHostAlloc(void** pointer, std::size_t size, unsigned) {
  *pointer = std::malloc(size);
  return 0;
}
CudaStatus cuMemFreeHost(void* pointer) {
  std::free(pointer);
  return 0;
}
CudaStatus cuMemHostGetDevicePointer_v2(CudaPointer* pointer, void* host, unsigned) {
  *pointer = reinterpret_cast<CudaPointer>(host);
  return 0;
}
CudaStatus cuMemcpyHtoD_v2(CudaPointer to, const void* from, std::size_t size) {
  std::memcpy(reinterpret_cast<void*>(to), from, size);
  return status;
}
CudaStatus cuMemcpyDtoH_v2(void* to, CudaPointer from, std::size_t size) {
  std::memcpy(to, reinterpret_cast<const void*>(from), size);
  return status;
}
CudaStatus cuMemcpyDtoDAsync_v2(CudaPointer to, CudaPointer from, std::size_t size, CudaHandle) {
  std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), size);
  return status;
}
CudaStatus cuMemsetD8Async(CudaPointer to, unsigned char value, std::size_t size, CudaHandle) {
  std::memset(reinterpret_cast<void*>(to), value, size);
  return status;
}
CudaStatus cuStreamCreate(CudaHandle* stream, unsigned) {
  *stream = &status;
  return 0;
}
CudaStatus cuStreamSynchronize(CudaHandle) {
  if (told("hang") && launches > 0) {
    for (;;) ::pause();
  }
  if (told("crash") && launches > 0) std::abort();
  return status;
}
CudaStatus cuStreamWaitValue32_v2(CudaHandle, CudaPointer, std::uint32_t, unsigned) {
  return status;
}
CudaStatus cuEventCreate(CudaHandle* event, unsigned) {
  *event = &records;
  return 0;
}
CudaStatus cuEventDestroy_v2(CudaHandle) {
  return 0;
}
CudaStatus cuEventRecord(CudaHandle, CudaHandle) {
  return status;
}
CudaStatus cuEventElapsedTime(float* milliseconds, CudaHandle, CudaHandle) {
  *milliseconds = 0.5f;
  return status;
}
CudaStatus cuLaunchKernelEx(const CudaLaunchConfig* config, CudaHandle handle, void**,
                            void** extra) {
  const auto* function = static_cast<const Function*>(handle);
  if (status != 0) return status;
  ++launches;
  if (told("fault")) status = kIllegalAddress;
  if (function->name == "vector_add" && status == 0) {
    vector_add(static_cast<const std::uint8_t*>(extra[1]), *config);
  }
  Record record;
  record.start_ns = launches * 100000ull;
  record.end_ns = record.start_ns + 2500;
  record.name = function->known_as.c_str();
  records.push_back(record);
  return 0;
}

int cuptiActivityEnable(std::uint32_t) {
  return 0;
}
int cuptiActivityDisable(std::uint32_t) {
  return 0;
}
int cuptiActivityRegisterCallbacks(RequestBuffer* request, CompleteBuffer* complete) {
  request_buffer = request;
  complete_buffer = complete;
  return 0;
}
int cuptiActivityFlushAll(std::uint32_t) {
  if (told("late") && !records.empty()) records.pop_back();
  while (!records.empty()) {
    std::uint8_t* buffer = nullptr;
    std::size_t size = 0, most = 0;
    request_buffer(&buffer, &size, &most);
    const std::size_t count = std::min(size / sizeof(Record), records.size());
    std::memcpy(buffer, records.data(), count * sizeof(Record));
    records.erase(records.begin(), records.begin() + static_cast<std::ptrdiff_t>(count));
    complete_buffer(nullptr, 0, buffer, size, count * sizeof(Record));
  }
  return 0;
}
int cuptiActivityGetNextRecord(std::uint8_t* buffer, std::size_t valid, std::uint32_t** record) {
  std::uint8_t* next =
      *record == nullptr ? buffer : reinterpret_cast<std::uint8_t*>(*record) + sizeof(Record);
  *record = reinterpret_cast<std::uint32_t*>(next);
  return next + sizeof(Record) <= buffer + valid ? 0 : 12;
}

int nvmlInit_v2() {
  return 0;
}
int nvmlDeviceGetHandleByPciBusId_v2(const char* id, void** device) {
  *device = &status;
  return std::strcmp(id, "0000:19:00.0") == 0 ? 0 : 1;
}
int nvmlDeviceGetClockInfo(void*, int clock, unsigned* mhz) {
  *mhz = clock == 1 ? 1980 : 0;
  return 0;
}
int nvmlSystemGetDriverVersion(char* version, unsigned size) {
  std::snprintf(version, size, "580.00.01");
  return 0;
}

}  // extern "C"
