// Ways that depend on data nobody has given.

// Each lane takes its number from `known` or, where `choose` says 1, from `maybe`.
__device__ int pick(const int* known, const int* maybe, const int* choose) {
  const int i = threadIdx.x;
  return choose[i] ? maybe[i] : known[i];
}

// in: what goes into both sides stays; what either writes does not.
extern "C" __global__ void sides(const int* known, const int* maybe, const int* choose, int* out,
                                 int* left, int* right) {
  const int i = threadIdx.x;
  int value = i + 1;
  const int kept = i * 5;
  if (pick(known, maybe, choose) > 10) {
#pragma unroll 1
    for (int k = 0; k < 3; ++k) value = value * 3 + k;
    left[i] = value;
  } else {
#pragma unroll 1
    for (int k = 0; k < 4; ++k) value = value * 5 - k;
    right[i] = value;
  }
  out[i] = value;
  out[32 + i] = kept;
}

// Each side changes a number and then counts up to it.
extern "C" __global__ void counts(const int* maybe, int* left, int* right, int* out, int number) {
  const int i = threadIdx.x;
  int n = number + i / 32;
  if (maybe[i] > 0) {
    n *= 2;
#pragma unroll 1
    for (int k = 0; k < n; ++k) left[32 * k + i] = k;
  } else {
    n *= 3;
#pragma unroll 1
    for (int k = 0; k < n; ++k) right[32 * k + i] = k;
  }
  out[i] = n;
}

// A loop whose end is data.
extern "C" __global__ void repeats(const int* known, const int* maybe, const int* choose, int* out,
                                   int* trace) {
  const int i = threadIdx.x;
  const int end = pick(known, maybe, choose);
  int sum = 0;
#pragma unroll 1
  for (int k = 0; k != end; ++k) {
    sum += k * k + i;
    trace[32 * k + i] = sum;
  }
  out[i] = sum;
  out[32 + i] = i;
}

// A loop that runs at least once, so that nothing but its own end is asked.
extern "C" __global__ void passes(const int* maybe, int* out) {
  const int i = threadIdx.x, end = maybe[i];
  int sum = i, k = 0;
#pragma unroll 1
  do {
    sum = sum * 3 + k;
  } while (++k != end);
  out[i] = sum;
  out[32 + i] = i * 2;
}

// A thread that may end at once.
extern "C" __global__ void ends(const int* known, const int* maybe, const int* choose, int* out) {
  if (pick(known, maybe, choose) == 0) return;
  out[threadIdx.x] = 5;
}

// Of one side, odd threads end in the middle of it.
extern "C" __global__ void ends_inside(const int* known, const int* maybe, const int* choose,
                                       int* out, int* left) {
  const int i = threadIdx.x;
  if (pick(known, maybe, choose) > 10) {
#pragma unroll 1
    for (int k = 0; k < 3; ++k) atomicAdd(&left[i], k);
    if (i & 1) {
      __threadfence();
      left[32 + i] = 9;
      return;
    }
    atomicAdd(&left[i], 100);
  } else {
#pragma unroll 1
    for (int k = 0; k < 2; ++k) atomicAdd(&out[i], 3);
  }
  out[32 + i] = i + 6;
}

// Addresses that are not known: loads, stores and atomics.
extern "C" __global__ void scatters(const int* maybe, int* out, int* counts, const int* table) {
  const int i = threadIdx.x;
  const int at = maybe[i] & 31;
  out[at] = 1;
  atomicAdd(&counts[at], 1);
  out[32 + i] = table[at];
  out[64 + i] = i + 2;
}

// Eight questions inside one another.
extern "C" __global__ void deep(const int* maybe, int* out) {
  const int i = threadIdx.x;
  int v = 0;
  const volatile int* q = maybe + 8 * i;
  if (q[0]) { v += 1; out[0] = 1;
    if (q[1]) { v += 2; out[1] = 1;
      if (q[2]) { v += 4; out[2] = 1;
        if (q[3]) { v += 8; out[3] = 1;
          if (q[4]) { v += 16; out[4] = 1;
            if (q[5]) { v += 32; out[5] = 1;
              if (q[6]) { v += 64; out[6] = 1;
                if (q[7]) { v += 128; out[7] = 1; } } } } } } } }
  out[32 + i] = v;
  out[64 + i] = i;
}

// A barrier's reduction of what is not known.
extern "C" __global__ void counted(const int* maybe, int* out) {
  out[threadIdx.x] = __syncthreads_count(maybe[threadIdx.x] > 0);
  out[64 + threadIdx.x] = __syncthreads_count(threadIdx.x > 2);
}
