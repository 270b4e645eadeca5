// Smooths a signal. plan.h, which faults.py writes, plants one fault in some configurations.
#include "plan.h"
#ifdef REJECTED
#error planted: this configuration is rejected
#endif
#ifdef SLOW_COMPILE
// 2^40 instances: no compiler comes to the end of it.
template <int depth, unsigned long path>
struct Slow {
  static const int value = Slow<depth - 1, 2 * path>::value + Slow<depth - 1, 2 * path + 1>::value;
};
template <unsigned long path>
struct Slow<0, path> {
  static const int value = 1;
};
__device__ int slow = Slow<40, 1>::value;
#endif

// The result hardly depends on the number of rounds, as long as it is a multiple of 4; the time does.
#ifndef ROUNDS
#define ROUNDS 400
#endif

extern "C" __global__ void smooth(float* out, const float* in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float value = in[i];
#ifdef HANG
  volatile int forever = 1;
  while (forever) value += in[i];
#endif
#ifdef FAULT
  *reinterpret_cast<volatile float*>(16ull) = value;
#endif
#ifdef TRAP
  __trap();
#endif
  for (int round = 0; round < ROUNDS; ++round) {
    value = 0.5f * value + 0.25f * in[(i + round % 4) % n];
  }
#ifdef WRONG
  if (i == n - 1) value += 1;
#endif
  out[i] = value;
}

extern "C" __global__ void smooth_reference(float* out, const float* in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float value = in[i];
  for (int round = 0; round < 400; ++round) {
    value = 0.5f * value + 0.25f * in[(i + round % 4) % n];
  }
  out[i] = value;
}
