// Eight threads with a stream each launch 200 kernels each: 1600.
#include <cstdio>
#include <thread>
#include <vector>

__global__ void fill(float* x, float value, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = value;
}

int main() {
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([t] {
      cudaStream_t stream;
      cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
      float* x = nullptr;
      cudaMallocAsync(&x, 1 << 20, stream);
      for (int i = 0; i < 200; ++i) {
        fill<<<64, 256, 0, stream>>>(x, static_cast<float>(t), 1 << 18);
      }
      cudaFreeAsync(x, stream);
      cudaStreamSynchronize(stream);
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  return 0;
}
