// A program as nvcc builds it, linked with --wrap (src/runtime/launch.options.in). Prints a line
// per scenario, as program.cc does.
#include <burin_launch.h>

#include <cstddef>
#include <cstdio>
#include <vector>

namespace {

struct Dim3 {
  unsigned x, y, z;
};

struct Attribute {
  unsigned id;
  unsigned padding;
  unsigned value[16];
};

struct Config {
  Dim3 grid, block;
  std::size_t shared;
  void* stream;
  Attribute* attributes;
  unsigned count;
};

}  // namespace

extern "C" {
void __cudaRegisterFunction(void**, const char*, char*, const char*, int, void*, void*, void*,
                            void*, int*);
int __cudaGetKernel(void** kernel, const void* function);
int __cudaLaunchKernel(void* kernel, Dim3 grid, Dim3 block, void** arguments, std::size_t shared,
                       void* stream);
int __cudaLaunchKernel_ptsz(void* kernel, Dim3 grid, Dim3 block, void** arguments,
                            std::size_t shared, void* stream);
int cudaLaunchKernel(const void* kernel, Dim3 grid, Dim3 block, void** arguments,
                     std::size_t shared, void* stream);
int cudaLaunchKernelExC(const Config* config, const void* kernel, void** arguments);
int cudaStreamBeginCapture(void* stream, int mode);
int cudaStreamEndCapture(void* stream, void** graph);
int cudaGetLastError();
}

namespace {

// Stands for nvcc's host function of a kernel.
void saxpy(int, float, const float*, float*) {}

const void* symbol() {
  return reinterpret_cast<const void*>(saxpy);
}

struct Data {
  int n = 1000;
  float a = 2;
  std::vector<float> x = std::vector<float>(1000, 1);
  std::vector<float> y = std::vector<float>(1000, 0);
  float* x_at = x.data();
  float* y_at = y.data();
  void* arguments[4] = {&n, &a, &x_at, &y_at};

  bool is(float value) const { return y == std::vector<float>(1000, value); }
};

// `value` is what all elements are after the launch, whose status is given.
void print(const char* scenario, int status, const Data& data, float value) {
  const bool ok = status == 0 && data.is(value) && cudaGetLastError() == 0;
  std::printf("%s %s\n", scenario, ok ? "ok" : "WRONG");
}

}  // namespace

int main() {
  __cudaRegisterFunction(nullptr, reinterpret_cast<const char*>(symbol()), nullptr,
                         "_Z5saxpyifPKfPf", -1, nullptr, nullptr, nullptr, nullptr, nullptr);
  void* kernel = nullptr;
  __cudaGetKernel(&kernel, symbol());
  Data data;
  print("chevrons", __cudaLaunchKernel(kernel, {4, 1, 1}, {256, 1, 1}, data.arguments, 0, nullptr),
        data, 2);
  print("per_thread",
        __cudaLaunchKernel_ptsz(kernel, {4, 1, 1}, {256, 1, 1}, data.arguments, 0, nullptr), data,
        4);
  print("symbol", cudaLaunchKernel(symbol(), {4, 1, 1}, {256, 1, 1}, data.arguments, 0, nullptr),
        data, 6);
  Attribute attributes[] = {{8, 0, {1}}, {4, 0, {2, 1, 1}}};
  Config config = {{4, 1, 1}, {256, 1, 1}, 0, nullptr, attributes, 1};
  print("priority", cudaLaunchKernelExC(&config, symbol(), data.arguments), data, 8);
  config.count = 2;
  print("cluster", cudaLaunchKernelExC(&config, symbol(), data.arguments), data, 10);
  void* const stream = reinterpret_cast<void*>(0x10);
  cudaStreamBeginCapture(stream, 0);
  print("captured", __cudaLaunchKernel(kernel, {4, 1, 1}, {256, 1, 1}, data.arguments, 0, stream),
        data, 12);
  void* graph = nullptr;
  cudaStreamEndCapture(stream, &graph);
  print("header", burin::launch(saxpy, data.n, data.n, 2, data.x_at, data.y_at), data, 14);
  return 0;
}
