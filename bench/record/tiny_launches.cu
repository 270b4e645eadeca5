// 10,000 launches of a kernel that does next to nothing, or `tiny_launches N`.
#include <chrono>
#include <cstdio>
#include <cstdlib>

__global__ void tick(int* counter) {
  if (threadIdx.x == 0) *counter += 1;
}

int main(int argc, char** argv) {
  const int launches = argc > 1 ? std::atoi(argv[1]) : 10000;
  int* counter = nullptr;
  cudaMalloc(&counter, 4);
  cudaMemset(counter, 0, 4);
  cudaDeviceSynchronize();
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < launches; ++i) tick<<<1, 32>>>(counter);
  cudaDeviceSynchronize();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  int value = 0;
  cudaMemcpy(&value, counter, 4, cudaMemcpyDeviceToHost);
  std::printf("counter %d seconds %.6f\n", value, took.count());
  return value == launches ? 0 : 1;
}
