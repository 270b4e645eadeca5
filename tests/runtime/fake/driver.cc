// A libcuda.so.1 for tests: a handful of the driver's functions over kernels that are computed on
// the host, so that a launch with too few threads gives a wrong result. It appends a line per
// launch to the file FAKE_CUDA_RECORD:
//
//   _Z5saxpyifPKfPf grid 4 1 1 block 256 1 1 shared 0 stream 0 by cuLaunchKernel
//
// The environment changes what it answers:
//
//   FAKE_CUDA_DEVICE=NAME      name of the devices (NVIDIA H200)
//   FAKE_CUDA_DEVICES=N        how many there are (1)
//   FAKE_CUDA_REGISTERS=N      registers of every kernel (12)
//   FAKE_CUDA_MAX_THREADS=N    threads per block that launch bounds allow (1024)
//   FAKE_CUDA_REFUSE=N         launches with N threads per block fail with 701
//   FAKE_CUDA_NO_LAYOUT=1      parameters are not told, as by drivers before CUDA 12.4
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace {

constexpr int kInvalidValue = 1;
constexpr int kInvalidHandle = 400;
constexpr int kNotFound = 500;
constexpr int kOutOfResources = 701;

struct Dimensions {
  unsigned x, y, z;
};

using Body = void (*)(void** arguments, Dimensions global_threads);

void saxpy(void** arguments, Dimensions threads) {
  const int n = *static_cast<int*>(arguments[0]);
  const float a = *static_cast<float*>(arguments[1]);
  const float* x = *static_cast<const float**>(arguments[2]);
  float* y = *static_cast<float**>(arguments[3]);
  for (unsigned i = 0; i < threads.x && static_cast<int>(i) < n; ++i) y[i] += a * x[i];
}

void fill(void** arguments, Dimensions threads) {
  float* out = *static_cast<float**>(arguments[0]);
  const int width = *static_cast<int*>(arguments[1]);
  const int height = *static_cast<int*>(arguments[2]);
  for (unsigned y = 0; y < threads.y && static_cast<int>(y) < height; ++y) {
    for (unsigned x = 0; x < threads.x && static_cast<int>(x) < width; ++x) {
      out[y * static_cast<unsigned>(width) + x] += 1;
    }
  }
}

struct KernelInfo {
  const char* name;
  std::vector<std::pair<std::size_t, std::size_t>> parameters;
  Body body;
};

const KernelInfo kKernels[] = {
    {"_Z5saxpyifPKfPf", {{0, 4}, {4, 4}, {8, 8}, {16, 8}}, saxpy},
    {"_Z4fillPfii", {{0, 8}, {8, 4}, {12, 4}}, fill},
    // The same code under another name, and a kernel that has saxpy's name but other parameters.
    {"_Z5otherifPKfPf", {{0, 4}, {4, 4}, {8, 8}, {16, 8}}, saxpy},
};

constexpr std::uint32_t kFunction = 0xf0f0;
constexpr std::uint32_t kKernel = 0x4e4e;

struct Handle {
  std::uint32_t kind;
  const KernelInfo* info;
  void* module;
};

struct Event {
  double us = 0;
  int queries = 0;
};

struct State {
  std::mutex mutex;
  std::set<void*> capturing;
  std::map<void*, std::vector<Handle*>> functions;  // by module
  std::vector<Handle*> freed;                       // handles that the next module gets
  double clock_us = 0;
};

State& state() {
  static auto* const the_state = new State;
  return *the_state;
}

int number(const char* variable, int otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::atoi(text);
}

void record(const char* name, const unsigned* grid, const unsigned* block, unsigned shared,
            void* stream, const char* by) {
  static const char* const path = std::getenv("FAKE_CUDA_RECORD");
  if (path == nullptr) return;
  static std::FILE* const file = std::fopen(path, "a");
  std::fprintf(file, "%s grid %u %u %u block %u %u %u shared %u stream %zu by %s\n", name, grid[0],
               grid[1], grid[2], block[0], block[1], block[2], shared,
               reinterpret_cast<std::size_t>(stream), by);
  std::fflush(file);
}

const KernelInfo* find(const char* name) {
  for (const KernelInfo& kernel : kKernels) {
    if (std::strcmp(kernel.name, name) == 0) return &kernel;
  }
  return nullptr;
}

int launch(void* handle, const unsigned* grid, const unsigned* block, unsigned shared, void* stream,
           void** parameters, void** extra, const char* by) {
  const auto* function = static_cast<const Handle*>(handle);
  if (function->kind != kFunction && function->kind != kKernel) return kInvalidHandle;
  const unsigned threads = block[0] * block[1] * block[2];
  if (threads == 0 || grid[0] * grid[1] * grid[2] == 0) return kInvalidValue;
  if (static_cast<int>(threads) > number("FAKE_CUDA_MAX_THREADS", 1024)) return kOutOfResources;
  if (static_cast<int>(threads) == number("FAKE_CUDA_REFUSE", -1)) return kOutOfResources;
  void* pointers[16];
  if (parameters == nullptr) {
    auto* buffer = static_cast<char*>(extra[1]);
    for (std::size_t i = 0; i < function->info->parameters.size(); ++i) {
      pointers[i] = buffer + function->info->parameters[i].first;
    }
    parameters = pointers;
  }
  const std::lock_guard lock(state().mutex);
  record(function->info->name, grid, block, shared, stream, by);
  function->info->body(parameters, {grid[0] * block[0], grid[1] * block[1], grid[2] * block[2]});
  // The time of a launch: blocks of 64 threads are the fastest.
  state().clock_us += threads == 64 ? 10 : threads == 128 ? 15 : 20;
  return 0;
}

struct Config {
  unsigned grid[3];
  unsigned block[3];
  unsigned shared;
  void* stream;
  void* attributes;
  unsigned count;
};

void* new_module() {
  const std::lock_guard lock(state().mutex);
  void* module = std::malloc(16);
  state().functions[module];
  return module;
}

Handle* new_handle(std::uint32_t kind, void* module, const char* name) {
  const KernelInfo* info = find(name);
  if (info == nullptr) return nullptr;
  const std::lock_guard lock(state().mutex);
  Handle* handle = nullptr;
  if (state().freed.empty()) {
    handle = new Handle;
  } else {
    handle = state().freed.back();
    state().freed.pop_back();
  }
  *handle = {kind, info, module};
  state().functions[module].push_back(handle);
  return handle;
}

int unload(void* module) {
  const std::lock_guard lock(state().mutex);
  const auto found = state().functions.find(module);
  if (found == state().functions.end()) return kInvalidHandle;
  for (Handle* handle : found->second) {
    handle->kind = 0;
    state().freed.push_back(handle);
  }
  state().functions.erase(found);
  return 0;
}

const Handle* function(const void* handle) {
  const auto* known = static_cast<const Handle*>(handle);
  return known != nullptr && known->kind == kFunction ? known : nullptr;
}

int attribute_of_device(int attribute) {
  static const std::map<int, int> values = {
      {1, 1024},  {2, 1024},    {3, 1024},   {4, 64},        {5, 2147483647}, {6, 65535},
      {7, 65535}, {13, 1980},   {16, 132},   {38, 62914560}, {39, 2048},      {75, 9},
      {76, 0},    {81, 233472}, {82, 65536}, {106, 32}};
  const auto found = values.find(attribute);
  return found == values.end() ? 0 : found->second;
}

}  // namespace

extern "C" {

int cuInit(unsigned) {
  return 0;
}
int cuDeviceGetCount(int* count) {
  *count = number("FAKE_CUDA_DEVICES", 1);
  return 0;
}
int cuDeviceGet(int* device, int ordinal) {
  *device = ordinal;
  return 0;
}
int cuDeviceGetName(char* name, int bytes, int) {
  const char* chosen = std::getenv("FAKE_CUDA_DEVICE");
  std::snprintf(name, static_cast<std::size_t>(bytes), "%s", chosen ? chosen : "NVIDIA H200");
  return 0;
}
int cuDeviceGetAttribute(int* value, int attribute, int) {
  *value = attribute_of_device(attribute);
  return 0;
}
int cuCtxGetDevice(int* device) {
  *device = number("FAKE_CUDA_DEVICES", 1) - 1;
  return 0;
}
int cuModuleLoadData(void** module, const void*) {
  *module = new_module();
  return 0;
}
int cuModuleUnload(void* module) {
  return unload(module);
}
int cuModuleGetFunction(void** function_out, void* module, const char* name) {
  *function_out = new_handle(kFunction, module, name);
  return *function_out == nullptr ? kNotFound : 0;
}
int cuLibraryLoadData(void** library, const void*, void*, void**, unsigned, void*, void**,
                      unsigned) {
  *library = new_module();
  return 0;
}
int cuLibraryUnload(void* library) {
  return unload(library);
}
int cuLibraryGetKernel(void** kernel, void* library, const char* name) {
  *kernel = new_handle(kKernel, library, name);
  return *kernel == nullptr ? kNotFound : 0;
}
int cuKernelGetFunction(void** function_out, void* kernel) {
  const auto* known = static_cast<const Handle*>(kernel);
  if (known == nullptr || known->kind != kKernel) return kInvalidHandle;
  *function_out = new_handle(kFunction, known->module, known->info->name);
  return 0;
}
int cuKernelGetLibrary(void** library, void* kernel) {
  *library = static_cast<const Handle*>(kernel)->module;
  return 0;
}
int cuFuncGetModule(void** module, void* handle) {
  if (function(handle) == nullptr) return kInvalidHandle;
  *module = function(handle)->module;
  return 0;
}
int cuFuncGetName(const char** name, void* handle) {
  if (function(handle) == nullptr) return kInvalidHandle;
  *name = function(handle)->info->name;
  return 0;
}
int cuFuncGetAttribute(int* value, int attribute, void* handle) {
  if (function(handle) == nullptr) return kInvalidHandle;
  *value = attribute == 0   ? number("FAKE_CUDA_MAX_THREADS", 1024)
           : attribute == 4 ? number("FAKE_CUDA_REGISTERS", 12)
           : attribute == 8 ? 49152
                            : 0;
  return 0;
}
int cuFuncGetParamInfo(void* handle, std::size_t index, std::size_t* offset, std::size_t* bytes) {
  if (function(handle) == nullptr) return kInvalidHandle;
  const auto& parameters = function(handle)->info->parameters;
  if (index >= parameters.size() || number("FAKE_CUDA_NO_LAYOUT", 0) != 0) return kInvalidValue;
  *offset = parameters[index].first;
  *bytes = parameters[index].second;
  return 0;
}
int cuLaunchKernel(void* f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                   unsigned bz, unsigned shared, void* stream, void** parameters, void** extra) {
  const unsigned grid[] = {gx, gy, gz};
  const unsigned block[] = {bx, by, bz};
  return launch(f, grid, block, shared, stream, parameters, extra, "cuLaunchKernel");
}
int cuLaunchKernel_ptsz(void* f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                        unsigned bz, unsigned shared, void* stream, void** parameters,
                        void** extra) {
  const unsigned grid[] = {gx, gy, gz};
  const unsigned block[] = {bx, by, bz};
  return launch(f, grid, block, shared, stream, parameters, extra, "cuLaunchKernel_ptsz");
}
int cuLaunchKernelEx(const Config* config, void* f, void** parameters, void** extra) {
  return launch(f, config->grid, config->block, config->shared, config->stream, parameters, extra,
                "cuLaunchKernelEx");
}
int cuLaunchKernelEx_ptsz(const Config* config, void* f, void** parameters, void** extra) {
  return launch(f, config->grid, config->block, config->shared, config->stream, parameters, extra,
                "cuLaunchKernelEx_ptsz");
}
int cuLaunchCooperativeKernel(void* f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                              unsigned by, unsigned bz, unsigned shared, void* stream,
                              void** parameters) {
  const unsigned grid[] = {gx, gy, gz};
  const unsigned block[] = {bx, by, bz};
  return launch(f, grid, block, shared, stream, parameters, nullptr, "cuLaunchCooperativeKernel");
}
int cuStreamBeginCapture_v2(void* stream, int) {
  const std::lock_guard lock(state().mutex);
  state().capturing.insert(stream);
  return 0;
}
int cuStreamEndCapture(void* stream, void**) {
  const std::lock_guard lock(state().mutex);
  state().capturing.erase(stream);
  return 0;
}
int cuStreamIsCapturing(void* stream, int* status) {
  const std::lock_guard lock(state().mutex);
  *status = state().capturing.contains(stream) ? 1 : 0;
  return 0;
}
int cuEventCreate(void** event, unsigned) {
  *event = new Event;
  return 0;
}
int cuEventDestroy_v2(void* event) {
  delete static_cast<Event*>(event);
  return 0;
}
int cuEventRecord(void* event, void*) {
  const std::lock_guard lock(state().mutex);
  *static_cast<Event*>(event) = {state().clock_us, 0};
  return 0;
}
int cuEventQuery(void* event) {
  const std::lock_guard lock(state().mutex);
  return static_cast<Event*>(event)->queries++ == 0 ? 600 : 0;  // not ready at once
}
int cuEventElapsedTime(float* ms, void* start, void* stop) {
  const std::lock_guard lock(state().mutex);
  *ms = static_cast<float>((static_cast<Event*>(stop)->us - static_cast<Event*>(start)->us) / 1e3);
  return 0;
}
int cuGetProcAddress_v2(const char* name, void** function_out, int version, std::uint64_t flags,
                        int* found);

}  // extern "C"

namespace {

struct Entry {
  const char* name;
  void* legacy;
  void* per_thread;
};

template <typename Function>
void* address(Function* entry) {
  return reinterpret_cast<void*>(entry);
}

}  // namespace

int cuGetProcAddress_v2(const char* name, void** function_out, int, std::uint64_t flags,
                        int* found) {
#define BURIN_ENTRY(entry) {#entry, address(entry), address(entry)}
  static const Entry kEntries[] = {
      BURIN_ENTRY(cuInit),
      BURIN_ENTRY(cuModuleLoadData),
      BURIN_ENTRY(cuModuleUnload),
      BURIN_ENTRY(cuModuleGetFunction),
      BURIN_ENTRY(cuLibraryLoadData),
      BURIN_ENTRY(cuLibraryUnload),
      BURIN_ENTRY(cuLibraryGetKernel),
      BURIN_ENTRY(cuLaunchCooperativeKernel),
      BURIN_ENTRY(cuStreamEndCapture),
      {"cuStreamBeginCapture", address(cuStreamBeginCapture_v2), address(cuStreamBeginCapture_v2)},
      {"cuGetProcAddress", address(cuGetProcAddress_v2), address(cuGetProcAddress_v2)},
      {"cuLaunchKernel", address(cuLaunchKernel), address(cuLaunchKernel_ptsz)},
      {"cuLaunchKernelEx", address(cuLaunchKernelEx), address(cuLaunchKernelEx_ptsz)},
  };
#undef BURIN_ENTRY
  for (const Entry& entry : kEntries) {
    if (std::strcmp(entry.name, name) != 0) continue;
    *function_out = (flags & 2) != 0 ? entry.per_thread : entry.legacy;
    if (found != nullptr) *found = 0;
    return 0;
  }
  *function_out = nullptr;
  return kNotFound;
}
