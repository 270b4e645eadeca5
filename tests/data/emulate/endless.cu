// Kernels that never end.

extern "C" __global__ void wait_word(int* flag, int* out) {
  while (atomicAdd(flag, 0) == 0) {
  }
  out[threadIdx.x] = 1;
}

// The count of the iterations goes on, but nothing depends on it.
extern "C" __global__ void wait_and_count(volatile int* flag, int* out) {
  int count = 0;
  while (flag[1] == 0) ++count;
  out[threadIdx.x] = count;
}

// Lane 0 would set what the others wait for, but waits itself.
extern "C" __global__ void wait_both(volatile int* flag, int* out) {
  if (threadIdx.x == 0) {
    while (flag[0] == 0) {
    }
    flag[1] = 1;
  } else {
    while (flag[1] == 0) {
    }
  }
  out[threadIdx.x] = 1;
}

// Lane 1 sets it: this one ends.
extern "C" __global__ void set_late(volatile int* flag, int* out) {
  if (threadIdx.x == 1) {
    int sum = 0;
    for (int i = 0; i < 20000; ++i) sum += flag[2] + i;
    flag[0] = sum;
  } else {
    while (flag[0] == 0) {
    }
  }
  out[threadIdx.x] = 1;
}

extern "C" __global__ void lock_twice(int* lock, int* out) {
  for (int i = 0; i < 2; ++i) {
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    out[i] = i;
  }
}

// Only the limits can end it: i never meets an odd n.
extern "C" __global__ void step_over(unsigned n, unsigned* out) {
  unsigned sum = 0;
#pragma unroll 1
  for (unsigned i = 0; i != n; i += 2) sum += __popc(sum ^ i);
  out[threadIdx.x] = sum;
}

extern "C" __global__ void store_always(volatile int* out) {
  for (int i = 0;; ++i) out[i & 255] = i;
}
