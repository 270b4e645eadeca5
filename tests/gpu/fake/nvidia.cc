// A library that stands for NVIDIA's driver, NVML and CUPTI: its "GPU memory" is the heap, and of
// kernels it knows vector_add, which it computes. Handles of functions that were unloaded are given
// out again, and CUPTI goes on calling them what it called them first, as NVIDIA's does.
// BURIN_FAKE, a list of words, has it misbehave:
//
//   fault hang crash   what the kernel does
//   noise              each launch leaves another output
//   small              the GPU has 65 MiB of memory, of which burin itself takes 64
//   other              the GPU does not run the cubin's architecture
//   late               CUPTI loses the last record
//   idle               there is no GPU
//   no_compiler        the driver does not compile PTX
//   throttled          the clock falls while launches 67 to 88 run
//   hot                NVML says that the GPU is too hot
//   planted            the grid's x decides: 13 faults, 14 hangs, 15 crashes, 16 leaves a wrong
//                      output, 17 takes 250 µs, 18 cannot be launched, 19 writes to an input
//
// PTX is "linked" to the cubin that it names in a line "// cubin PATH".
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <list>
#include <map>
#include <string>
#include <vector>

#include "base/hash.h"
#include "gpu/cuda.h"
#include "launch/compare.h"

namespace {

using burin::gpu::CudaHandle;
using burin::gpu::CudaLaunchConfig;
using burin::gpu::CudaPointer;
using burin::gpu::CudaStatus;

constexpr CudaStatus kIllegalAddress = 700;
constexpr CudaStatus kTooManyResources = 701;
constexpr std::size_t kSmallMemory = 65 << 20;
constexpr std::uint64_t kKernelNs = 2500;
constexpr std::uint64_t kSlowKernelNs = 250000;
constexpr std::uint64_t kEventNs = 3000;  // what events around a kernel measure in addition

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
CudaStatus status = 0;        // sticky, as a fault is
unsigned launches = 0;        // of the user's kernels
std::uint64_t now_ns = 1000;  // the GPU's clock
unsigned last_grid = 0;
std::list<std::uint64_t> events;  // when each was recorded
std::string linked;               // the cubin of the last PTX
std::list<char> modules;          // of which the addresses count

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
  if (told("planted") && config.grid[0] == 16) sum[5] += 1;
  if (told("planted") && config.grid[0] == 19) a[7] = 100;
}

// burin's own kernels, as src/gpu/comparer_ptx.h describes them.
void compare(const std::uint64_t* parameters) {
  const auto type = static_cast<burin::launch::ElementType>(parameters[3]);
  const std::size_t bytes = parameters[2] * burin::launch::element_bytes(type);
  std::optional<double> tolerance;
  if (parameters[4] != 0) std::memcpy(&tolerance.emplace(), &parameters[5], 8);
  burin::launch::Comparer comparer(type, tolerance);
  comparer.add({reinterpret_cast<const std::uint8_t*>(parameters[0]), bytes},
               {reinterpret_cast<const std::uint8_t*>(parameters[1]), bytes});
  auto* results = reinterpret_cast<std::uint64_t*>(parameters[6]);
  if (results[0] != 0 || results[1] != ~std::uint64_t{0} || results[2] != 0) std::abort();
  if (comparer.result().equal()) return;
  results[0] = comparer.result().different;
  results[1] = comparer.result().first;
  std::memcpy(&results[2], &comparer.result().largest_error, 8);
}

void digest(const std::uint64_t* parameters) {
  const auto* words = reinterpret_cast<const std::uint64_t*>(parameters[0]);
  for (std::uint64_t i = 0; i < parameters[1]; ++i) {
    *reinterpret_cast<std::uint64_t*>(parameters[2]) +=
        burin::splitmix64(words[i] + burin::fibonacci_hash(i + 1));
  }
}

bool planted(unsigned grid) {
  return told("planted") && last_grid == grid;
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
  *name = code == kIllegalAddress     ? "CUDA_ERROR_ILLEGAL_ADDRESS"
          : code == kTooManyResources ? "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"
                                      : "CUDA_ERROR_OTHER";
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
  if (!elf && told("no_compiler")) return 222;  // CUDA_ERROR_UNSUPPORTED_PTX_VERSION
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
CudaStatus cuLinkCreate_v2(unsigned, int*, void** values, CudaHandle* linker) {
  static char* log = nullptr;
  log = static_cast<char*>(values[0]);
  *linker = &log;
  return 0;
}
CudaStatus cuLinkAddData_v2(CudaHandle linker, int, void* data, std::size_t, const char*, unsigned,
                            int*, void**) {
  const std::string text = static_cast<const char*>(data);
  const std::size_t at = text.find("// cubin ");
  if (at == std::string::npos) {
    std::strcpy(*static_cast<char**>(linker), "line 1: syntax error\n");
    return 218;  // CUDA_ERROR_INVALID_PTX
  }
  const std::string path = text.substr(at + 9, text.find('\n', at) - at - 9);
  std::ifstream file(path, std::ios::binary);
  linked.assign(std::istreambuf_iterator<char>(file), {});
  return 0;
}
CudaStatus cuLinkComplete(CudaHandle, void** cubin, std::size_t* size) {
  *cubin = linked.data();
  *size = linked.size();
  return 0;
}
CudaStatus cuLinkDestroy(CudaHandle) {
  return 0;
}
CudaStatus cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
  *total = kSmallMemory;
  *free = *total - allocated;
  return 0;
}
CudaStatus cuMemAlloc_v2(CudaPointer* pointer, std::size_t size) {
  if (told("small") && allocated + size > kSmallMemory) return burin::gpu::Cuda::kOutOfMemory;
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
  if ((told("hang") && launches > 0) || planted(14)) {
    for (;;) ::pause();
  }
  if ((told("crash") && launches > 0) || planted(15)) std::abort();
  return status;
}
CudaStatus cuStreamWaitValue32_v2(CudaHandle, CudaPointer, std::uint32_t, unsigned) {
  return status;
}
CudaStatus cuEventCreate(CudaHandle* event, unsigned) {
  *event = &events.emplace_back();
  return 0;
}
CudaStatus cuEventDestroy_v2(CudaHandle event) {
  events.remove_if([&](const std::uint64_t& each) { return &each == event; });
  return 0;
}
CudaStatus cuEventRecord(CudaHandle event, CudaHandle) {
  *static_cast<std::uint64_t*>(event) = now_ns;
  return status;
}
CudaStatus cuEventElapsedTime(float* milliseconds, CudaHandle from, CudaHandle to) {
  const std::uint64_t ns =
      *static_cast<std::uint64_t*>(to) - *static_cast<std::uint64_t*>(from) + kEventNs;
  *milliseconds = static_cast<float>(ns) / 1e6f;
  return status;
}
CudaStatus cuLaunchKernelEx(const CudaLaunchConfig* config, CudaHandle handle, void**,
                            void** extra) {
  const auto* function = static_cast<const Function*>(handle);
  if (status != 0) return status;
  if (function->name.starts_with("burin_")) {
    const auto* parameters = static_cast<const std::uint64_t*>(extra[1]);
    if (function->name == "burin_compare") compare(parameters);
    if (function->name == "burin_digest") digest(parameters);
  } else {
    last_grid = config->grid[0];
    if (planted(18)) return kTooManyResources;
    ++launches;
    if (told("fault") || planted(13)) status = kIllegalAddress;
    if (function->name == "vector_add" && status == 0) {
      vector_add(static_cast<const std::uint8_t*>(extra[1]), *config);
    }
  }
  Record record;
  record.start_ns = now_ns;
  now_ns += planted(17) ? kSlowKernelNs : kKernelNs;
  record.end_ns = now_ns;
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
  if (told("throttled") && launches > 66 && launches <= 88) *mhz = 900;
  return 0;
}
int nvmlDeviceGetCurrentClocksEventReasons(void*, unsigned long long* reasons) {
  *reasons = told("hot") ? 0x40 : 0x04;  // the temperature, or the usual limit of power
  return 0;
}
int nvmlSystemGetDriverVersion(char* version, unsigned size) {
  std::snprintf(version, size, "580.00.01");
  return 0;
}

}  // extern "C"
