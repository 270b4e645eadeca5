// Small-angle X-ray scattering of molecules by Debye's formula: the intensity at each angle is the sum
// over all pairs of beads of sin(qr) / qr, weighted with both form factors. A block per molecule.

constexpr int kBeads = 48;
constexpr int kPairs = kBeads * (kBeads - 1) / 2;

struct Pair {
  float distance;
  float weight;
};

__device__ __forceinline__ float interference(float q, const Pair& pair) {
  float x = q * pair.distance;
  return pair.weight * (sinf(x) / x);
}

__global__ void debye_scattering(const float4* __restrict__ beads, float* __restrict__ intensities,
                                 float size, float first_q, float q_step) {
  __shared__ float4 bead[kBeads];
  __shared__ Pair pairs[kPairs];
  if (threadIdx.x < kBeads) bead[threadIdx.x] = beads[blockIdx.x * kBeads + threadIdx.x];
  __syncthreads();

  // Row i of the triangle of pairs begins at i * (i - 1) / 2.
  for (int i = 1; i < kBeads; ++i) {
    for (int j = threadIdx.x; j < i; j += blockDim.x) {
      float4 a = bead[i], b = bead[j];
      float dx = a.x - b.x, dy = a.y - b.y, dz = a.z - b.z;
      float distance = size * sqrtf(dx * dx + dy * dy + dz * dz);
      pairs[i * (i - 1) / 2 + j] = {fmaxf(distance, 1e-3f), (1.0f + a.w) * (1.0f + b.w)};
    }
  }
  __syncthreads();

  float q = first_q + q_step * static_cast<float>(threadIdx.x);
  float sum = 0;
  for (int k = 0; k < kPairs; ++k) sum += interference(q, pairs[k]);
  float self = 0;
  for (int i = 0; i < kBeads; ++i) self += (1.0f + bead[i].w) * (1.0f + bead[i].w);
  intensities[blockIdx.x * blockDim.x + threadIdx.x] = self + 2.0f * sum;
}
