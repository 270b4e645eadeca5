// Eight threads with a stream each launch 200 kernels each: 1600. `threads N` has them launch N each.
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

__global__ void fill(float* x, float value, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = value;
}

int main(int argc, char** argv) {
  const int launches = argc > 1 ? std::atoi(argv[1]) : 200;
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([t, launches] {
      cudaStream_t stream;
      cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
      float* x = nullptr;
      cudaMallocAsync(&x, 1 << 20, stream);
      for (int i = 0; i < launches; ++i) {
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
