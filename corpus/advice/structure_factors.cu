// Structure factors of a crystal's simulated unit cell, to be compared with X-ray diffraction: the
// sum over all atoms of their scattering power, with the phase of their place in a plane wave. A
// block makes the factors of four waves, with the same first two indices and successive third ones.

constexpr int kThreads = 512, kWaves = 4;

__device__ __forceinline__ float2 wave(float turns) {
  float2 result;
  __sincosf(6.2831853f * (turns - rintf(turns)), &result.y, &result.x);
  return result;
}

__device__ float block_sum(float value, float* scratch) {
  for (int step = 16; step > 0; step >>= 1) value += __shfl_down_sync(0xffffffff, value, step);
  __syncthreads();
  if (threadIdx.x % 32 == 0) scratch[threadIdx.x / 32] = value;
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < kThreads / 32; ++k) sum += scratch[k];
  return sum;
}

// `atoms` are x, y, z in [0, 1) of the cell, and scattering power.
__global__ void __launch_bounds__(kThreads)
    structure_factors(const float4* __restrict__ atoms, float2* __restrict__ factors, int count,
                      int across) {
  __shared__ float scratch[kThreads / 32];
  int h = blockIdx.x % across, k = blockIdx.x / across;
  float2 sums[kWaves] = {};
  for (int i = threadIdx.x; i < count; i += kThreads) {
    float4 atom = atoms[i];
    float turns = h * atom.x + k * atom.y;
#pragma unroll
    for (int l = 0; l < kWaves; ++l) {
      float2 phase = wave(turns + (l + 1) * atom.z);
      sums[l].x += atom.w * phase.x;
      sums[l].y += atom.w * phase.y;
    }
  }
  float scale = rsqrtf(static_cast<float>(count));
#pragma unroll
  for (int l = 0; l < kWaves; ++l) {
    float re = block_sum(sums[l].x, scratch), im = block_sum(sums[l].y, scratch);
    if (threadIdx.x == 0) {
      factors[blockIdx.x * kWaves + l] = make_float2(scale * re, scale * im);
    }
  }
}
