// The module's own variables.

__device__ int zeros[16];
__device__ int primes[5] = {2, 3, 5, 7, 11};
__device__ int* third = &primes[2];
__device__ int* sixth = &zeros[6];
__constant__ int squares[4] = {1, 4, 9, 16};
__device__ unsigned counter;

extern "C" __global__ void reads(int* out) {
  const int i = threadIdx.x;
  if (i < 5) out[i] = primes[i];
  if (i < 16) out[8 + i] = zeros[i];
  if (i == 0) {
    out[24] = *third;
    *sixth = 60;
    __threadfence();
    out[25] = ((volatile int*)zeros)[6];
    out[26] = sixth - zeros;
  }
  if (i < 4) out[28 + i] = squares[i];
}

extern "C" __global__ void counts(unsigned* out) {
  const unsigned before = atomicAdd(&counter, 1u);
  atomicAdd(&out[before % 8], 1u);
}

extern "C" __global__ void past(int* out) {
  out[threadIdx.x] = primes[threadIdx.x];
}

// Behind the last of them where `at` is 1.
extern "C" __global__ void past_constants(int* out, int at) {
  out[threadIdx.x] = squares[threadIdx.x + at];
}
