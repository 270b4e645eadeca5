// Matched filter for a few chirps in a recording: for each chirp the window that resembles it most.
// A block goes through windows of the recording in turn; windows overlap by half. The best score is
// kept with its window in one 64-bit word per chirp.

constexpr int kThreads = 256, kLength = 1024, kHop = kLength / 2;

__device__ __forceinline__ float sum_of_block(float x, float* partial) {
  for (int away = 16; away > 0; away /= 2) x += __shfl_xor_sync(~0u, x, away);
  __syncthreads();  // the last sum has been read
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = x;
  __syncthreads();
  float sum = 0;
  for (int warp = 0; warp < kThreads / 32; ++warp) sum += partial[warp];
  return sum;
}

// Scores are not negative, so their bits order as they do.
__device__ __forceinline__ unsigned long long packed(float score, int window) {
  unsigned long long bits = __float_as_uint(score);
  return bits << 32 | static_cast<unsigned>(window);
}

__global__ void __launch_bounds__(kThreads)
    match_chirps(const float* __restrict__ recording, const float* __restrict__ chirps,
                 unsigned long long* __restrict__ best, int windows) {
  constexpr int kEach = kLength / kThreads;
  __shared__ float partial[kThreads / 32];
  float chirp[kEach];
#pragma unroll
  for (int k = 0; k < kEach; ++k) {
    chirp[k] = chirps[blockIdx.x * kLength + k * kThreads + threadIdx.x] - 0.5f;
  }
  unsigned long long found = 0;
  for (int window = blockIdx.y; window < windows; window += gridDim.y) {
    const float* start = recording + static_cast<size_t>(window) * kHop;
    float product = 0, energy = 0;
#pragma unroll
    for (int k = 0; k < kEach; ++k) {
      float sample = start[k * kThreads + threadIdx.x] - 0.5f;
      product += chirp[k] * sample;
      energy += sample * sample;
    }
    product = sum_of_block(product, partial);
    energy = sum_of_block(energy, partial);
    unsigned long long score = packed(product * product / (energy + 1e-6f), window);
    if (score > found) found = score;
  }
  if (threadIdx.x == 0) atomicMax(&best[blockIdx.x], found);
}
