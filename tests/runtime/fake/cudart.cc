// The functions of the CUDA runtime that a launch of a program built by nvcc needs, over the fake
// driver. The linker's --wrap is tested with it.
#include <dlfcn.h>

#include <map>
#include <string>

namespace {

struct Dim3 {
  unsigned x, y, z;
};

struct Config {
  Dim3 grid, block;
  std::size_t shared;
  void* stream;
  void* attributes;
  unsigned count;
};

void* driver() {
  static void* const library = dlopen("libcuda.so.1", RTLD_NOW);
  return library;
}

template <typename Function>
Function entry(const char* name) {
  return reinterpret_cast<Function>(dlsym(driver(), name));
}

std::map<const void*, std::string>& names() {
  static std::map<const void*, std::string> by_address;
  return by_address;
}

void* loaded_library() {
  static void* const library = [] {
    void* loaded = nullptr;
    entry<int (*)(void**, const void*, void*, void**, unsigned, void*, void**, unsigned)>(
        "cuLibraryLoadData")(&loaded, "image", nullptr, nullptr, 0, nullptr, nullptr, 0);
    return loaded;
  }();
  return library;
}

// The CUkernel of a __global__ function; null for anything else.
void* kernel_of(const void* symbol) {
  static std::map<const void*, void*> kernels;
  const auto name = names().find(symbol);
  if (name == names().end()) return nullptr;
  void*& kernel = kernels[symbol];
  if (kernel == nullptr) {
    entry<int (*)(void**, void*, const char*)>("cuLibraryGetKernel")(&kernel, loaded_library(),
                                                                     name->second.c_str());
  }
  return kernel;
}

int last_error = 0;

int remember(int status) {
  if (status != 0) last_error = status;
  return status;
}

using Launch = int (*)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                       void*, void**, void**);

int launch(const char* function, const void* kernel, Dim3 grid, Dim3 block, void** arguments,
           std::size_t shared, void* stream) {
  void* const known = kernel_of(kernel);
  return remember(entry<Launch>(function)(
      known == nullptr ? const_cast<void*>(kernel) : known, grid.x, grid.y, grid.z, block.x,
      block.y, block.z, static_cast<unsigned>(shared), stream, arguments, nullptr));
}

}  // namespace

extern "C" {

void __cudaRegisterFunction(void**, const char* function, char*, const char* name, int, void*,
                            void*, void*, void*, int*) {
  names()[function] = name;
}
int __cudaGetKernel(void** kernel, const void* function) {
  *kernel = kernel_of(function);
  return *kernel == nullptr ? remember(98) : 0;
}
int cudaLaunchKernel(const void* kernel, Dim3 grid, Dim3 block, void** arguments,
                     std::size_t shared, void* stream) {
  return launch("cuLaunchKernel", kernel, grid, block, arguments, shared, stream);
}
int cudaLaunchKernel_ptsz(const void* kernel, Dim3 grid, Dim3 block, void** arguments,
                          std::size_t shared, void* stream) {
  return launch("cuLaunchKernel_ptsz", kernel, grid, block, arguments, shared, stream);
}
int __cudaLaunchKernel(const void* kernel, Dim3 grid, Dim3 block, void** arguments,
                       std::size_t shared, void* stream) {
  return launch("cuLaunchKernel", kernel, grid, block, arguments, shared, stream);
}
int __cudaLaunchKernel_ptsz(const void* kernel, Dim3 grid, Dim3 block, void** arguments,
                            std::size_t shared, void* stream) {
  return launch("cuLaunchKernel_ptsz", kernel, grid, block, arguments, shared, stream);
}
int cudaLaunchKernelExC(const Config* config, const void* kernel, void** arguments) {
  return launch("cuLaunchKernel", kernel, config->grid, config->block, arguments, config->shared,
                config->stream);
}
int cudaFuncGetAttributes(void*, const void* kernel) {
  const bool is_kernel = kernel_of(kernel) != nullptr;
  if (is_kernel) return 0;
  void* ignored = nullptr;
  return remember(entry<int (*)(void**, const void*)>("cuKernelGetFunction")(&ignored, kernel));
}
int cudaGetFuncBySymbol(void** function, const void* symbol) {
  void* const kernel = kernel_of(symbol);
  if (kernel == nullptr) return remember(98);
  return remember(entry<int (*)(void**, void*)>("cuKernelGetFunction")(function, kernel));
}
int cudaGetDevice(int* device) {
  *device = 0;
  return 0;
}
int cudaGetDeviceCount(int* count) {
  return entry<int (*)(int*)>("cuDeviceGetCount")(count);
}
int cudaStreamIsCapturing(void* stream, int* status) {
  return entry<int (*)(void*, int*)>("cuStreamIsCapturing")(stream, status);
}
int cudaStreamBeginCapture(void* stream, int mode) {
  return entry<int (*)(void*, int)>("cuStreamBeginCapture_v2")(stream, mode);
}
int cudaStreamEndCapture(void* stream, void** graph) {
  return entry<int (*)(void*, void**)>("cuStreamEndCapture")(stream, graph);
}
int cudaGetLastError() {
  const int error = last_error;
  last_error = 0;
  return error;
}
int cudaPeekAtLastError() {
  return last_error;
}

}  // extern "C"
