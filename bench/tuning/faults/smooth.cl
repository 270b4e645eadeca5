// Smooths a signal. plan.h, which faults.py writes, plants one fault in some configurations.
#include "plan.h"
#ifdef REJECTED
#error planted: this configuration is rejected
#endif
#ifdef SLOW_COMPILE
#include "slow.h"
#endif

// The result hardly depends on the number of rounds, as long as it is a multiple of 4; the time does.
#ifndef ROUNDS
#define ROUNDS 400
#endif

__kernel void smooth(__global float* out, __global const float* in, int n) {
  const int i = get_global_id(0);
  float value = in[i];
#ifdef HANG
  volatile int forever = 1;
  while (forever) value += in[i];
#endif
#ifdef FAULT
  *(volatile __global float*)(ulong)16 = value;
#endif
#ifdef TRAP
  __builtin_trap();
#endif
  for (int round = 0; round < ROUNDS; ++round) {
    value = 0.5f * value + 0.25f * in[(i + round % 4) % n];
  }
#ifdef WRONG
  if (i == n - 1) value += 1;
#endif
  out[i] = value;
}

__kernel void smooth_reference(__global float* out, __global const float* in, int n) {
  const int i = get_global_id(0);
  float value = in[i];
  for (int round = 0; round < 400; ++round) {
    value = 0.5f * value + 0.25f * in[(i + round % 4) % n];
  }
  out[i] = value;
}
