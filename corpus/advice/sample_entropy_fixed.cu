// Cross-sample entropy of brain waves: how often two, and how often three, successive samples of an
// electrode match a piece of the reference electrode within a tolerance. A column of blocks per electrode.

#define SAMPLES 2048

__device__ __forceinline__ bool alike(float a, float b, float tolerance) {
  return fabsf(a - b) < tolerance;
}

__global__ void __launch_bounds__(512)
    sample_entropy(const float* __restrict__ waves, const float* __restrict__ reference,
                   unsigned* __restrict__ matches, float tolerance) {
  __shared__ float piece[SAMPLES + 2];
  for (int k = threadIdx.x; k < SAMPLES + 2; k += blockDim.x) piece[k] = reference[k];
  __syncthreads();

  const float* wave = waves + blockIdx.x * (SAMPLES + 2);
  unsigned twos = 0, threes = 0;
  const int threads = gridDim.y * blockDim.x;
  for (int i = blockIdx.y * blockDim.x + threadIdx.x; i < SAMPLES; i += threads) {
    float a = wave[i], b = wave[i + 1], c = wave[i + 2];
    float p = piece[0], q = piece[1];
#pragma unroll 8
    for (int j = 0; j < SAMPLES; ++j) {
      float r = piece[j + 2];
      bool two = alike(a, p, tolerance) && alike(b, q, tolerance);
      twos += two;
      threes += two && alike(c, r, tolerance);
      p = q;
      q = r;
    }
  }

  twos = __reduce_add_sync(0xffffffffu, twos);
  threes = __reduce_add_sync(0xffffffffu, threes);
  if (threadIdx.x % 32 == 0) {
    atomicAdd(&matches[2 * blockIdx.x], twos);
    atomicAdd(&matches[2 * blockIdx.x + 1], threes);
  }
}
