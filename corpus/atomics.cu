// Atomic operations of each kind. Where a result depends on the order, its launch says so.

#include <cuda_fp16.h>

// Every 32-bit operation on global memory whose final value does not depend on the order.
__global__ void atomics_32(const int* __restrict__ in, int* signed_cells, unsigned* cells, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    int value = in[i] - 5000;
    unsigned bits = static_cast<unsigned>(value) * 2654435761u;
    int slot = i % 16;
    atomicAdd(&signed_cells[slot], value);
    atomicMin(&signed_cells[16 + slot], value);
    atomicMax(&signed_cells[32 + slot], value);
    atomicSub(&cells[slot], bits);
    atomicMin(&cells[16 + slot], bits);
    atomicMax(&cells[32 + slot], bits);
    atomicOr(&cells[48 + slot], 1u << (bits >> 27));
    atomicAnd(&cells[64 + slot], ~(1u << (bits >> 27)));
    atomicXor(&cells[80 + slot], bits);
    atomicInc(&cells[96 + slot], 100);
    atomicDec(&cells[112 + slot], 77);
  }
}

// Every 64-bit operation on global memory whose final value does not depend on the order.
__global__ void atomics_64(const unsigned long long* __restrict__ in, unsigned long long* cells,
                           long long* signed_cells, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    unsigned long long bits = in[i];
    int slot = i % 8;
    atomicAdd(&cells[slot], bits);
    atomicMin(&cells[8 + slot], bits);
    atomicMax(&cells[16 + slot], bits);
    atomicAnd(&cells[24 + slot], bits | 0xffff0000ffffull);
    atomicOr(&cells[32 + slot], bits & 0x10101010101ull);
    atomicXor(&cells[40 + slot], bits);
    atomicMin(&signed_cells[slot], static_cast<long long>(bits));
    atomicMax(&signed_cells[8 + slot], static_cast<long long>(bits));
  }
}

// Operations on shared memory (ATOMS). The old values are used as well: there each thread has a
// cell of its own, so that they are known.
__global__ void atomics_shared(const int* __restrict__ in, int* __restrict__ out, int n) {
  __shared__ int cells[256];
  __shared__ unsigned long long wide[8];
  __shared__ int total, most;
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  int value = i < n ? in[i] : 0;
  cells[t] = value;
  if (t < 8) wide[t] = 0;
  if (t == 0) total = most = 0;
  __syncthreads();
  int old = atomicAdd(&cells[t], 5);
  old += atomicMax(&cells[t], value / 2);
  old ^= atomicXor(&cells[t], 0x55);
  old -= atomicExch(&cells[t], value * 3);
  old += atomicCAS(&cells[t], value * 3, 12345);
  old |= static_cast<int>(atomicInc(reinterpret_cast<unsigned*>(&cells[t]), 20000));
  atomicAdd(&total, value);
  atomicMax(&most, value);
  atomicAdd(&wide[t % 8], static_cast<unsigned long long>(value) << 20);
  __syncthreads();
  if (i < n) out[i] = old + cells[t] + total + most + static_cast<int>(wide[t % 8] >> 12);
}

// Sums of floats, doubles and packed halves: small integers, so that every order gives the same.
__global__ void atomic_sums(const int* __restrict__ in, float* sums, double* wide, __half2* halves,
                            int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    int value = in[i];
    atomicAdd(&sums[value % 32], static_cast<float>(value));
    atomicAdd(&wide[value % 16], static_cast<double>(value) * 0.5);
    if (i < 2048) atomicAdd(&halves[value % 8], __floats2half2_rn(1.0f, 0.5f));
  }
}

// Floats added in whatever order the hardware takes: the sum holds only within rounding.
__global__ void atomic_scatter(const float* __restrict__ in, const int* __restrict__ index,
                               float* cells, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&cells[index[i]], in[i]);
}

// The greatest float through a compare-and-swap loop: as many rounds as there are collisions.
__global__ void cas_maximum(const float* __restrict__ in, float* most, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float value = in[i];
  int* cell = reinterpret_cast<int*>(&most[i % 4]);
  int seen = *cell;
  while (__int_as_float(seen) < value) {
    int found = atomicCAS(cell, seen, __float_as_int(value));
    if (found == seen) break;
    seen = found;
  }
}

// A 64-bit compare-and-swap loop: a product modulo a prime, which does not depend on the order. The
// cell holds the product less one, so that it may begin as zero.
__global__ void cas_product(const unsigned* __restrict__ in, unsigned long long* cell, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned long long factor = in[i] % 65520 + 1;
  unsigned long long seen = *cell, expected;
  do {
    expected = seen;
    seen = atomicCAS(cell, expected, (expected + 1) * factor % 65521 - 1);
  } while (seen != expected);
}

// A lock per bucket taken by one lane at a time, with fences: a spin lock as people write it.
__global__ void spin_lock(const int* __restrict__ in, int* locks, volatile int* sums, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int bucket = in[i] % 8;
  bool done = false;
  while (!done) {
    if (atomicCAS(&locks[bucket], 0, 1) == 0) {
      __threadfence();
      sums[bucket] = sums[bucket] + in[i];
      __threadfence();
      atomicExch(&locks[bucket], 0);
      done = true;
    }
  }
}
