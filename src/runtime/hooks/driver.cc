#include "runtime/hooks/driver.h"

#include <dlfcn.h>

#include <atomic>
#include <map>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "runtime/hooks/cuda.h"
#include "runtime/hooks/image_code.h"

namespace burin::runtime {
namespace {

void* find_by_dlsym(const char* name) {
  void* const library = driver_library();
  return library == nullptr ? nullptr : dlsym(library, name);
}

FindDriverFunction driver_lookup = find_by_dlsym;

// One function of the driver, looked up at its first call. A driver that does not have it answers
// with kMissing.
template <typename... Parameters>
class DriverFunction {
 public:
  static constexpr CudaStatus kMissing = 500;  // CUDA_ERROR_NOT_FOUND

  explicit DriverFunction(const char* name)
      : function_(reinterpret_cast<CudaStatus (*)(Parameters...)>(find_driver_function(name))) {}
  explicit operator bool() const { return function_ != nullptr; }
  CudaStatus operator()(Parameters... values) const {
    return function_ == nullptr ? kMissing : function_(values...);
  }

 private:
  CudaStatus (*function_)(Parameters...);
};

struct Driver {
  DriverFunction<int*> ctx_get_device{"cuCtxGetDevice"};
  DriverFunction<int*> device_count{"cuDeviceGetCount"};
  DriverFunction<int*, int> device_get{"cuDeviceGet"};
  DriverFunction<char*, int, int> device_name{"cuDeviceGetName"};
  DriverFunction<int*, int, int> device_attribute{"cuDeviceGetAttribute"};
  DriverFunction<const char**, void*> func_name{"cuFuncGetName"};
  DriverFunction<int*, int, void*> func_attribute{"cuFuncGetAttribute"};
  DriverFunction<void*, std::size_t, std::size_t*, std::size_t*> func_parameter{
      "cuFuncGetParamInfo"};
  DriverFunction<void**, void*> func_module{"cuFuncGetModule"};
  DriverFunction<void**, const void*> kernel_function{"cuKernelGetFunction"};
  DriverFunction<void**, const void*> kernel_library{"cuKernelGetLibrary"};
  DriverFunction<void*, int*> stream_is_capturing{"cuStreamIsCapturing"};
  DriverFunction<void**, unsigned> event_create{"cuEventCreate"};
  DriverFunction<void*> event_destroy{"cuEventDestroy_v2"};
  DriverFunction<void*, void*> event_record{"cuEventRecord"};
  DriverFunction<void*> event_query{"cuEventQuery"};
  DriverFunction<float*, void*, void*> event_elapsed{"cuEventElapsedTime"};
};

const Driver& driver() {
  static const Driver the_driver;
  return the_driver;
}

struct Modules {
  std::mutex mutex;
  std::unordered_map<const void*, const void*> kernels;  // CUkernel → CUlibrary
  std::map<const void*, ImageCode> images;               // by CUmodule or CUlibrary
};

Modules& modules() {
  static auto* const the_modules = new Modules;  // hooks may run after static destructors
  return *the_modules;
}

bool is_kernel(const void* handle) {
  const std::lock_guard lock(modules().mutex);
  return modules().kernels.contains(handle);
}

int device_count() {
  int count = 0;
  return driver().device_count(&count) == 0 ? count : 0;
}

int current_device() {
  int device = -1;
  return driver().ctx_get_device(&device) == 0 ? device : -1;
}

bool describe_kernel(const void* handle, KernelFacts& facts) {
  void* const function = function_of(handle);
  return function != nullptr && describe_function(function, handle, facts);
}

// Hardware values that rational programs may name, and the driver's attributes they come from.
struct InputSource {
  const char* name;
  int attribute;  // kConstant: the factor is the value, which all GPUs since sm_70 have
  double factor;
};
constexpr int kConstant = -1;
constexpr InputSource kInputs[] = {
    {"sm_count", 16, 1},
    {"schedulers", kConstant, 4},
    {"threads_per_sm", 39, 1},
    {"warps_per_sm", 39, 1.0 / 32},
    {"blocks_per_sm", 106, 1},
    {"registers_per_sm", 82, 1},
    {"registers_per_block", 12, 1},
    {"register_granule", kConstant, 256},
    {"shared_per_sm", 81, 1},
    {"shared_per_block", 97, 1},
    {"l2_bytes", 38, 1},
    {"clock_mhz", 13, 1e-3},
};

bool describe_device(int ordinal, DeviceFacts& facts) {
  const Driver& cuda = driver();
  int device = ordinal;
  if (cuda.device_get(&device, ordinal) != 0) return false;
  char name[256] = "";
  if (cuda.device_name(name, sizeof name, device) != 0) return false;
  facts.name = name;
  bool complete = true;
  const auto attribute = [&](int number) {
    int value = 0;
    if (cuda.device_attribute(&value, number, device) != 0) complete = false;
    return value;
  };
  const auto count = [&](int number) { return static_cast<std::uint32_t>(attribute(number)); };
  facts.max_threads = count(1);  // CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK and the next six
  for (int i = 0; i < 3; ++i) {
    facts.max_block[static_cast<std::size_t>(i)] = count(2 + i);
    facts.max_grid[static_cast<std::size_t>(i)] = count(5 + i);
  }
  facts.major = count(75);  // CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_…
  facts.minor = count(76);
  if (!complete) return false;
  for (const InputSource& input : kInputs) {
    int value = 1;
    if (input.attribute != kConstant &&
        cuda.device_attribute(&value, input.attribute, device) != 0) {
      continue;
    }
    facts.inputs.emplace_back(input.name, value * input.factor);
  }
  return true;
}

bool is_capturing(void* stream) {
  int status = 0;
  return driver().stream_is_capturing(stream, &status) != 0 || status != 0;
}

void* create_event() {
  void* event = nullptr;
  return driver().event_create(&event, 0) == 0 ? event : nullptr;
}

void destroy_event(void* event) {
  static_cast<void>(driver().event_destroy(event));
}

bool record_event(void* event, void* stream) {
  return driver().event_record(event, stream) == 0;
}

CudaApi::EventState elapsed(void* start, void* stop, double& us) {
  const CudaStatus status = driver().event_query(stop);
  if (status == kNotReady) return CudaApi::EventState::kPending;
  float ms = 0;
  if (status != 0 || driver().event_elapsed(&ms, start, stop) != 0) {
    return CudaApi::EventState::kFailed;
  }
  us = 1e3 * double{ms};
  return CudaApi::EventState::kReady;
}

}  // namespace

void* driver_library() {
  static std::atomic<void*> library{nullptr};
  if (library.load(std::memory_order_relaxed) == nullptr) {
    library.store(dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD), std::memory_order_relaxed);
  }
  return library.load(std::memory_order_relaxed);
}

void set_driver_lookup(FindDriverFunction find) {
  driver_lookup = find;
}

void* find_driver_function(const char* name) {
  return driver_lookup(name);
}

CudaApi driver_api() {
  return {device_count, current_device, describe_kernel, describe_device, is_capturing,
          create_event, destroy_event,  record_event,    elapsed};
}

void* function_of(const void* handle) {
  if (!is_kernel(handle)) return const_cast<void*>(handle);
  void* function = nullptr;
  return driver().kernel_function(&function, handle) == 0 ? function : nullptr;
}

bool describe_function(void* function, const void* handle, KernelFacts& facts) {
  const Driver& cuda = driver();
  const char* name = nullptr;
  if (cuda.func_name(&name, function) != 0 || name == nullptr) return false;
  facts.name = name;
  bool complete = true;
  const auto attribute = [&](int number) {
    int value = 0;
    if (cuda.func_attribute(&value, number, function) != 0 || value < 0) complete = false;
    return static_cast<std::uint32_t>(value);
  };
  facts.max_threads = attribute(0);  // CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK
  facts.shared = attribute(1);       // …_SHARED_SIZE_BYTES
  facts.registers = attribute(4);    // …_NUM_REGS
  facts.max_dynamic_shared = attribute(8);
  if (!complete) return false;
  // Drivers before clusters answer with an error.
  for (int number = 10; number <= 13; ++number) {  // CLUSTER_SIZE_MUST_BE_SET, REQUIRED_CLUSTER_…
    int value = 0;
    if (cuda.func_attribute(&value, number, function) == 0 && value > (number > 10 ? 1 : 0)) {
      facts.needs_cluster = true;
    }
  }
  facts.parameters_known = static_cast<bool>(cuda.func_parameter);
  std::size_t offset = 0;
  std::size_t bytes = 0;
  for (std::size_t i = 0; cuda.func_parameter(function, i, &offset, &bytes) == 0; ++i) {
    facts.parameters.push_back(
        {static_cast<std::uint32_t>(offset), static_cast<std::uint32_t>(bytes)});
  }
  void* module = nullptr;
  const CudaStatus found = is_kernel(handle) ? cuda.kernel_library(&module, handle)
                                             : cuda.func_module(&module, function);
  const std::lock_guard lock(modules().mutex);
  const auto image = modules().images.find(module);
  if (found != 0 || image == modules().images.end()) return true;
  for (const auto& [kernel, hash] : image->second.hashes) {
    if (kernel == facts.name) facts.code.push_back(hash);
  }
  facts.code_complete = image->second.complete && !facts.code.empty();
  return true;
}

void remember_kernel(const void* kernel, const void* library) {
  const std::lock_guard lock(modules().mutex);
  modules().kernels[kernel] = library;
}

void remember_image(const void* module, const void* image,
                    const std::vector<std::string>& kernels) {
  ImageCode code = read_image_code(image, kernels);
  const std::lock_guard lock(modules().mutex);
  modules().images[module] = std::move(code);
}

void forget_module(const void* module) {
  const std::lock_guard lock(modules().mutex);
  modules().images.erase(module);
  std::erase_if(modules().kernels, [&](const auto& entry) { return entry.second == module; });
}

}  // namespace burin::runtime
