// Whole grids: blocks that wait for others, counts and events.
#include <cooperative_groups.h>

// Each block waits for the one behind it.
extern "C" __global__ void backwards(volatile unsigned* done, unsigned* out) {
  if (threadIdx.x == 0) {
    if (blockIdx.x + 1 < gridDim.x) {
      while (done[blockIdx.x + 1] == 0) {
      }
      out[blockIdx.x] = out[blockIdx.x + 1] + blockIdx.x;
    } else {
      out[blockIdx.x] = 1000;
    }
    __threadfence();
    done[blockIdx.x] = 1;
  }
}

// Twice all blocks together.
extern "C" __global__ void together(unsigned* a, unsigned* b, unsigned* out) {
  auto grid = cooperative_groups::this_grid();
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned n = gridDim.x * blockDim.x;
  a[i] = i * 7;
  grid.sync();
  b[i] = a[n - 1 - i] + 1;
  grid.sync();
  out[i] = b[(i + 40) % n];
}

extern "C" __global__ void endless(volatile unsigned* word) {
  while (*word == 0) {
  }
}

extern "C" __global__ void scale(const float* in, float* out, int n, float factor) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  out[i] = in[i] * factor;
}

// Some of everything: shared memory, atomics, a loop of different lengths, a division's call.
extern "C" __global__ void mixed(const unsigned* in, unsigned* bins, unsigned long long* sums,
                                 unsigned* out, unsigned n) {
  __shared__ unsigned local[32];
  if (threadIdx.x < 32) local[threadIdx.x] = 0;
  __syncthreads();
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    unsigned v = in[i], steps = 0;
    while (v > 1 && steps < 40) {
      v = v & 1 ? 3 * v + 1 : v / 2;
      ++steps;
    }
    atomicAdd(&local[steps & 31], 1u);
    if (steps > 10) out[i] = in[i] / (steps - 9); else out[i] = steps;
    atomicAdd(sums, (unsigned long long)steps * v);
  }
  __syncthreads();
  if (threadIdx.x < 32) atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}
