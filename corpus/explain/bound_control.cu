// Kernels that are bound by what is no data: barriers, the start of blocks, the fetch of
// instructions.

__device__ int thread_index() {
  return blockIdx.x * blockDim.x + threadIdx.x;
}

// barrier, latency: a block keeps step, round for round, and has nothing to do in between.
__global__ void keep_step(int* __restrict__ out, int rounds) {
#pragma unroll 16
  for (int round = 0; round < rounds; ++round) __syncthreads();
  out[thread_index()] = rounds;
}

// dispatch, throughput: a block per 32 elements, so that starting blocks takes longest.
__global__ void tiny_blocks(short* __restrict__ out, short value) {
  out[thread_index()] = static_cast<short>(value + threadIdx.x);
}

// 512 rounds of straight code, 32 KB, each FFMA with a constant of its own.
template <int first>
__device__ void long_polynomial(float (&x)[4]) {
#pragma unroll
  for (int k = first; k < first + 512; ++k) {
    x[0] = fmaf(x[0], 0.5f, static_cast<float>(k * 7 + 1));
    x[1] = fmaf(x[1], 0.5f, static_cast<float>(k * 5 + 2));
    x[2] = fmaf(x[2], 0.5f, static_cast<float>(k * 3 + 3));
    x[3] = fmaf(x[3], 0.5f, static_cast<float>(k * 9 + 4));
  }
}

// fetch, latency: a loop over 192 KB of straight code, more than an SM's instruction caches hold,
// in one warp an SM: it runs dry again and again.
__global__ void long_code(float* __restrict__ out, int rounds) {
  float x[4] = {threadIdx.x + 0.0f, threadIdx.x + 0.25f, threadIdx.x + 0.5f, threadIdx.x + 0.75f};
  for (int round = 0; round < rounds; ++round) {
    long_polynomial<0>(x);
    long_polynomial<512>(x);
    long_polynomial<1024>(x);
    long_polynomial<1536>(x);
    long_polynomial<2048>(x);
    long_polynomial<2560>(x);
  }
  out[thread_index()] = x[0] + x[1] + x[2] + x[3];
}

// fetch, throughput: 96 KB of code, which the SM's cache holds but not those of its schedulers, in
// one warp per scheduler: lines come one after the other, at their rate.
__global__ void middle_code(float* __restrict__ out, int rounds) {
  float x[4] = {threadIdx.x + 0.0f, threadIdx.x + 0.25f, threadIdx.x + 0.5f, threadIdx.x + 0.75f};
  for (int round = 0; round < rounds; ++round) {
    long_polynomial<0>(x);
    long_polynomial<512>(x);
    long_polynomial<1024>(x);
  }
  out[thread_index()] = x[0] + x[1] + x[2] + x[3];
}
