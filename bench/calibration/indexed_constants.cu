// How long does a warp wait for constants that its lanes index, by the number of distinct words, alone
// and after a load of shared memory with bank conflicts?
//
//   nvcc -O3 -arch=sm_90 -o indexed_constants indexed_constants.cu && ./indexed_constants
//
// Prints the cycles of one step of a chain: kind, distinct words (or lanes that conflict), warps, cycles.
#include <cstdio>

constexpr int kSteps = 512;
__constant__ int table[1024];

// The loaded word is 0; it only orders the steps.
__global__ void constants(int distinct, long long* cycles, int* sink) {
  int at = threadIdx.x % distinct;
  for (int i = 0; i < 8; ++i) at += table[at];
  __syncthreads();
  const long long begin = clock64();
#pragma unroll 8
  for (int i = 0; i < kSteps; ++i) at += table[at];
  const long long end = clock64();
  if (threadIdx.x == 0) *cycles = end - begin;
  sink[threadIdx.x] = at;
}

// One word of shared memory for each of `ways` lanes, all in one bank.
__global__ void conflicts(int ways, long long* cycles, int* sink) {
  __shared__ int tile[32 * 32];
  for (int i = threadIdx.x; i < 32 * 32; i += blockDim.x) tile[i] = 0;
  __syncthreads();
  int at = 32 * (threadIdx.x % ways);
  const long long begin = clock64();
#pragma unroll 8
  for (int i = 0; i < kSteps; ++i) at += tile[at];
  const long long end = clock64();
  if (threadIdx.x == 0) *cycles = end - begin;
  sink[threadIdx.x] = at;
}

// Stores with conflicts, a barrier, loads with conflicts: a step of dynamic programming along a diagonal.
__global__ void diagonal(int ways, long long* cycles, int* sink) {
  __shared__ int tile[32 * 32];
  for (int i = threadIdx.x; i < 32 * 32; i += blockDim.x) tile[i] = 0;
  __syncthreads();
  const int at = 32 * (threadIdx.x % ways);
  int value = 0;
  const long long begin = clock64();
#pragma unroll 4
  for (int i = 0; i < kSteps; ++i) {
    value += tile[at ^ 32];
    tile[at] = value;
    __syncthreads();
  }
  const long long end = clock64();
  if (threadIdx.x == 0) *cycles = end - begin;
  sink[threadIdx.x] = value;
}

// A load with conflicts and a constant that do not depend on each other, then both are used.
__global__ void both(int ways, int distinct, long long* cycles, int* sink) {
  __shared__ int tile[32 * 32];
  for (int i = threadIdx.x; i < 32 * 32; i += blockDim.x) tile[i] = 0;
  __syncthreads();
  int at = 32 * (threadIdx.x % ways);
  int word = threadIdx.x % distinct;
  const long long begin = clock64();
#pragma unroll 8
  for (int i = 0; i < kSteps; ++i) {
    const int sum = tile[at] + table[word];
    at += sum;
    word += sum;
  }
  const long long end = clock64();
  if (threadIdx.x == 0) *cycles = end - begin;
  sink[threadIdx.x] = at + word;
}

int main() {
  long long* cycles;
  int* sink;
  cudaMallocManaged(&cycles, sizeof *cycles);
  cudaMalloc(&sink, 1024 * sizeof(int));
  const auto print = [&](const char* kind, int n, int warps) {
    cudaDeviceSynchronize();
    std::printf("%s %d %d %.1f\n", kind, n, warps, static_cast<double>(*cycles) / kSteps);
  };
  for (const int warps : {1, 2, 4, 8, 16}) {
    for (const int n : {1, 2, 4, 8, 16, 32}) {
      for (int again = 0; again < 2; ++again) constants<<<1, 32 * warps>>>(n, cycles, sink);
      print("constants", n, warps);
      for (int again = 0; again < 2; ++again) conflicts<<<1, 32 * warps>>>(n, cycles, sink);
      print("conflicts", n, warps);
      for (int again = 0; again < 2; ++again) diagonal<<<1, 32 * warps>>>(n, cycles, sink);
      print("diagonal", n, warps);
      for (int again = 0; again < 2; ++again) both<<<1, 32 * warps>>>(32, n, cycles, sink);
      print("both", n, warps);
    }
  }
}
