// Host time of launching an empty kernel. Prints one line per loop, in nanoseconds per launch:
//
//   call          the call itself, into a queue with room: median of batches of 500 launches
//   call_sizes    the same with 64 sizes in turn
//   call_new      the same with a size that was never used before at every launch
//   throughput    50,000 launches and a synchronization at the end
//
// The rational program beside it (empty.rp) makes of each block of 64 threads one of 128, so that
// the GPU has as little to do.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void empty(int n) {}

namespace {

using Clock = std::chrono::steady_clock;

double nanoseconds(Clock::duration duration) {
  return std::chrono::duration<double, std::nano>(duration).count();
}

void launch(int n) {
  empty<<<(n + 63) / 64, 64>>>(n);
}

void synchronize() {
  if (cudaDeviceSynchronize() != cudaSuccess) {
    std::fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(cudaGetLastError()));
    std::exit(1);
  }
}

template <typename Size>
double call_ns(Size size, int batches) {
  const int batch = 500;
  std::vector<double> times;
  int count = 0;
  for (int i = 0; i < batches; ++i) {
    synchronize();
    const Clock::time_point start = Clock::now();
    for (int k = 0; k < batch; ++k) launch(size(count++));
    times.push_back(nanoseconds(Clock::now() - start) / batch);
  }
  synchronize();
  std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
  return times[times.size() / 2];
}

}  // namespace

int main() {
  for (int i = 0; i < 1000; ++i) launch(64);
  synchronize();
  std::printf("call %.1f\n", call_ns([](int) { return 64; }, 100));
  for (int i = 0; i < 64; ++i) launch(1 + i);
  std::printf("call_sizes %.1f\n", call_ns([](int i) { return 1 + i % 64; }, 100));
  std::printf("call_new %.1f\n", call_ns([](int i) { return 1000 + i; }, 8));
  const int count = 50000;
  synchronize();
  const Clock::time_point start = Clock::now();
  for (int i = 0; i < count; ++i) launch(64);
  synchronize();
  std::printf("throughput %.1f\n", nanoseconds(Clock::now() - start) / count);
  return 0;
}
