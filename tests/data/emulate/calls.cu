// Calls of the functions that the driver provides.
#include <cassert>
#include <cstdio>

extern "C" __global__ void print(int n, float x) {
  if (threadIdx.x < n) {
    printf("block %d thread %d: %.2f %s %lld %c %#x 100%%\n", blockIdx.x, threadIdx.x,
           x * threadIdx.x, "word", 1ll << 40, 'q', 255u);
  }
}

extern "C" __global__ void allocate(unsigned long long n, int* out) {
  int* p = static_cast<int*>(malloc(n * sizeof(int)));
  if (p == nullptr) {
    out[threadIdx.x] = -1;
    return;
  }
  for (int i = 0; i < 4; ++i) p[i] = i * threadIdx.x;
  int sum = 0;
  for (int i = 0; i < 4; ++i) sum += static_cast<volatile int*>(p)[i];
  out[threadIdx.x] = sum;
  free(p);
}

extern "C" __global__ void keep(unsigned long long bytes, int* out) {
  out[threadIdx.x] = malloc(bytes) != nullptr;
}

extern "C" __global__ void free_twice(int* out) {
  void* p = malloc(16);
  free(p);
  free(p);
  out[0] = 1;
}

extern "C" __global__ void check(int* x) {
  assert(x[threadIdx.x] > 0);
  x[threadIdx.x] = 2;
}

__device__ __noinline__ int depth(int n, int* from) {
  if (n <= 0) return from[0];
  int own[16];
  for (int i = 0; i < 16; ++i) own[i] = from[i & n];
  return depth(n - 1, own) + own[n & 15];
}
extern "C" __global__ void recurse(int n, int* x) {
  x[threadIdx.x] = depth(n, x);
}
