// What a memory checker is for: each kernel makes one mistake that a GPU need not show. `burin run`
// finds them without a GPU. Launch each with 64 threads.

// Reverses 64 values, but a thread may read what its neighbour has not yet written: the
// __syncthreads() between the two lines is missing.
extern "C" __global__ void race(int* values) {
  __shared__ int tile[64];
  tile[threadIdx.x] = values[threadIdx.x];
  values[threadIdx.x] = tile[63 - threadIdx.x];
}

// Reads one element too far.
extern "C" __global__ void past_the_end(const int* in, int* out) {
  out[threadIdx.x] = in[threadIdx.x + 1];
}

// Reads pairs at odd elements.
extern "C" __global__ void misaligned(const int* in, int2* out) {
  out[threadIdx.x] = *reinterpret_cast<const int2*>(&in[2 * threadIdx.x + 1]);
}

// Half of each warp comes to a barrier while the other half waits for it further down.
extern "C" __global__ void divergent_barrier(int* values) {
  if (threadIdx.x % 32 < 16) {
    values[threadIdx.x] += 1;
    __syncthreads();
    values[threadIdx.x] += values[0];
  }
  values[threadIdx.x] *= 2;
}

// The second warp waits for the first to say that it is done, which it never does.
extern "C" __global__ void endless(volatile int* flag) {
  if (threadIdx.x >= 32) {
    while (*flag == 0) {
    }
  }
}

// The first warp waits at a barrier for 64 threads, and the second never comes.
extern "C" __global__ void abandoned(int* values) {
  if (threadIdx.x < 32) {
    asm volatile("bar.sync 1, 64;");
  }
  values[threadIdx.x] = 0;
}
