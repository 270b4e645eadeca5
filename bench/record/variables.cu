// A kernel whose results rest on variables of its module that the program wrote: constants, a table,
// a pointer to another variable, and a sum that every launch adds to. 3 launches.
#include <cstdio>

__constant__ float kWeights[8];
__device__ int table[64];
__device__ int total;
__device__ int seen;  // written without a pointer
__device__ int* where;
__device__ float bias = 0.5f;

__global__ void weigh(float* x) {
  const int i = threadIdx.x;
  x[i] = kWeights[table[i % 64] % 8] * static_cast<float>(i) + bias;
  if (table[i % 64] > 3) atomicAdd(where, table[i % 64]);
  if (i == 0) seen += 1;
}

int main() {
  float weights[8];
  int entries[64];
  for (int i = 0; i < 8; ++i) weights[i] = 1.0f / static_cast<float>(i + 1);
  for (int i = 0; i < 64; ++i) entries[i] = i * 7 % 11;
  float* x = nullptr;
  int* sum = nullptr;
  const float other = 0.25f;
  cudaMalloc(&x, 256 * sizeof(float));
  cudaMemcpyToSymbol(kWeights, weights, sizeof weights);
  cudaMemcpyToSymbol(table, entries, sizeof entries);
  cudaMemcpyToSymbol(bias, &other, sizeof other);
  cudaGetSymbolAddress(reinterpret_cast<void**>(&sum), total);
  cudaMemcpyToSymbol(where, &sum, sizeof sum);
  for (int i = 0; i < 3; ++i) weigh<<<1, 256>>>(x);
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  return 0;
}
