// A program that is linked with libcuda.so.1: its calls bind to the preloaded library by name.
#include <cstdio>
#include <vector>

extern "C" {
int cuModuleLoadData(void** module, const void* image);
int cuModuleGetFunction(void** function, void* module, const char* name);
int cuLaunchKernel(void* function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                   unsigned bz, unsigned shared, void* stream, void** parameters, void** extra);
}

int main() {
  void* module = nullptr;
  void* function = nullptr;
  cuModuleLoadData(&module, "image");
  cuModuleGetFunction(&function, module, "_Z5saxpyifPKfPf");
  int n = 1000;
  float a = 2;
  std::vector<float> x(1000, 1);
  std::vector<float> y(1000, 0);
  float* x_at = x.data();
  float* y_at = y.data();
  void* arguments[] = {&n, &a, &x_at, &y_at};
  const int status = cuLaunchKernel(function, 4, 1, 1, 256, 1, 1, 0, nullptr, arguments, nullptr);
  std::printf("linked %s\n", status == 0 && y == std::vector<float>(1000, 2) ? "ok" : "WRONG");
  return 0;
}
