// Branches on values that are not known, of which kernels take one side only, as a rule.
#include <cassert>

extern "C" __global__ void gather_checked(const int* table, const int* index, int* out, int rows) {
  const int k = index[threadIdx.x];
  assert(k >= 0 && k < rows);
  out[threadIdx.x] = table[threadIdx.x] + 1;
}

extern "C" __global__ void trap_checked(const int* table, const int* index, int* out, int rows) {
  const int k = index[threadIdx.x];
  if (k < 0 || k >= rows) __trap();
  out[threadIdx.x] = table[threadIdx.x] + 1;
}

// The check is two functions deep, and there is other work on the way to it.
extern "C" __global__ void checked_late(const int* table, const int* index, int* out, int rows) {
  const int k = index[threadIdx.x];
  if (k >= rows) {
    out[threadIdx.x] = rows;
    assert(k == -1);
  }
  out[threadIdx.x] = table[threadIdx.x] + 1;
}

extern "C" __global__ void divide(const float* in, float* out) {
  out[threadIdx.x] = 1.5f / in[threadIdx.x];
}

extern "C" __global__ void root(const float* in, float* out) {
  out[threadIdx.x] = sqrtf(in[threadIdx.x]);
}
