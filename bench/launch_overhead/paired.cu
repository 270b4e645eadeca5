// What burin_launch_kernel() adds to cudaLaunchKernel(), in one process: batches of launches with
// one and with the other in turn, and the median of the differences, in nanoseconds per launch.
//
//   direct 4812.3       cudaLaunchKernel()
//   library 90.1        more, by burin_launch_kernel(), with one size
//   sizes 95.0          the same with 64 sizes in turn
//   stream 110.2        the same on a stream that is not the default one
//   decide 60.1         burin_launch_choose() alone, in a loop: everything is in the caches
#include <burin_launch.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void empty(int n) {}

namespace {

using Clock = std::chrono::steady_clock;
const void* const kKernel = reinterpret_cast<const void*>(empty);
constexpr int kBatch = 200;
constexpr int kBatches = 500;

double nanoseconds(Clock::duration duration) {
  return std::chrono::duration<double, std::nano>(duration).count();
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

template <typename Launch>
double batch_ns(Launch launch) {
  if (cudaDeviceSynchronize() != cudaSuccess) {
    std::fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(cudaGetLastError()));
    std::exit(1);
  }
  const Clock::time_point start = Clock::now();
  for (int i = 0; i < kBatch; ++i) launch(i);
  return nanoseconds(Clock::now() - start) / kBatch;
}

template <typename Size>
void compare(const char* name, Size size, cudaStream_t stream) {
  int n = 0;
  void* arguments[] = {&n};
  const burin_launch_shape own = {{1, 1, 1}, {64, 1, 1}, 0};
  const auto direct = [&](int i) {
    n = size(i);
    cudaLaunchKernel(kKernel, dim3(1), dim3(128), arguments, 0, stream);
  };
  const auto library = [&](int i) {
    n = size(i);
    burin_launch_kernel(kKernel, &own, arguments, stream);
  };
  for (int i = 0; i < 5; ++i) {
    batch_ns(direct);
    batch_ns(library);
  }
  std::vector<double> differences, times;
  for (int i = 0; i < kBatches; ++i) {
    // Either comes first in turn.
    const double first = i % 2 == 0 ? batch_ns(direct) : batch_ns(library);
    const double second = i % 2 == 0 ? batch_ns(library) : batch_ns(direct);
    differences.push_back(i % 2 == 0 ? second - first : first - second);
    times.push_back(i % 2 == 0 ? first : second);
  }
  if (name == nullptr) {
    std::printf("direct %.1f\nlibrary %.1f\n", median(times), median(differences));
  } else {
    std::printf("%s %.1f\n", name, median(differences));
  }
}

}  // namespace

int main() {
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  compare(nullptr, [](int) { return 64; }, nullptr);
  compare("sizes", [](int i) { return 1 + i % 64; }, nullptr);
  compare("stream", [](int) { return 64; }, stream);

  int n = 64;
  void* arguments[] = {&n};
  const burin_launch_shape own = {{1, 1, 1}, {64, 1, 1}, 0};
  burin_launch_shape chosen;
  const int count = 1000000;
  int changed = 0;
  const Clock::time_point start = Clock::now();
  for (int i = 0; i < count; ++i) {
    n = 1 + i % 64;
    changed += burin_launch_choose(kKernel, &own, arguments, nullptr, &chosen);
  }
  std::printf("decide %.1f\n", nanoseconds(Clock::now() - start) / count);
  if (changed != count) std::printf("# %d of %d launches were not changed\n", count - changed, count);
  return 0;
}
