// Kernels of 20 µs and more, timed on the GPU and by the clock: what recording costs.
// `steady ROUNDS` prints "gpu_seconds wall_seconds"; each round is three kernels.
#include <chrono>
#include <cstdio>
#include <cstdlib>

__global__ void stream_triad(const float4* a, const float4* b, float4* c, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const float4 x = a[i], y = b[i];
    c[i] = make_float4(x.x + 2 * y.x, x.y + 2 * y.y, x.z + 2 * y.z, x.w + 2 * y.w);
  }
}
__global__ void compute(float* x, int steps) {
  float a = x[threadIdx.x], b = 1.0f;
  for (int i = 0; i < steps; ++i) {
    a = a * 0.999f + b;
    b = b * 1.001f - a;
  }
  x[blockIdx.x * blockDim.x + threadIdx.x] = a + b;
}
__global__ void gather(const int* index, const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[index[i]];
}

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 1000;
  const int n = 1 << 24;
  float *a = nullptr, *b = nullptr, *c = nullptr;
  int* index = nullptr;
  cudaMalloc(&a, n * 4);
  cudaMalloc(&b, n * 4);
  cudaMalloc(&c, n * 4);
  cudaMalloc(&index, n * 4);
  cudaMemset(a, 0, n * 4);
  cudaMemset(b, 0, n * 4);
  cudaMemset(index, 0, n * 4);
  cudaEvent_t begin, end;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  const auto round = [&] {
    stream_triad<<<1056, 256>>>(reinterpret_cast<float4*>(a), reinterpret_cast<float4*>(b),
                                reinterpret_cast<float4*>(c), n / 4);
    compute<<<1056, 256>>>(c, 2000);
    gather<<<n / 256 / 4, 256>>>(index, a, c, n / 4);
  };
  for (int i = 0; i < 50; ++i) round();
  cudaDeviceSynchronize();
  const auto start = std::chrono::steady_clock::now();
  cudaEventRecord(begin);
  for (int i = 0; i < rounds; ++i) round();
  cudaEventRecord(end);
  cudaDeviceSynchronize();
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
  float milliseconds = 0;
  cudaEventElapsedTime(&milliseconds, begin, end);
  std::printf("%.6f %.6f\n", milliseconds / 1000, wall.count());
  return 0;
}
