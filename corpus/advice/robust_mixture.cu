// Expectation step for a mixture of Student's t distributions in three dimensions, which outliers
// disturb less than Gaussians: for each point the share of the most probable component in the
// density, and the logarithm of the density.

constexpr int kMost = 32;

struct alignas(16) Component {
  float x, y, z, weight;
  float xx, yy, zz, freedom;  // inverse variances, degrees of freedom
  float xy, xz, yz, unused;   // inverse covariances
};

// Components are stored as numbers in [0, 1).
__device__ __forceinline__ Component scaled(Component c) {
  c.xx = 1.0f + 8.0f * c.xx;
  c.yy = 1.0f + 8.0f * c.yy;
  c.zz = 1.0f + 8.0f * c.zz;
  c.xy -= 0.5f;
  c.xz -= 0.5f;
  c.yz -= 0.5f;
  c.freedom = 1.0f + 8.0f * c.freedom;
  return c;
}

__device__ __forceinline__ float density(const Component& c, float x, float y, float z) {
  float dx = x - c.x, dy = y - c.y, dz = z - c.z;
  float square = dx * (c.xx * dx + c.xy * dy + c.xz * dz) + dy * (c.yy * dy + c.yz * dz) +
                 c.zz * dz * dz;
  return c.weight * powf(1.0f + square / c.freedom, -0.5f * (c.freedom + 3.0f));
}

__global__ void __launch_bounds__(256)
    robust_mixture(const Component* __restrict__ mixture, const float* __restrict__ points,
                   float* __restrict__ shares, float* __restrict__ logs, int count,
                   int components) {
  __shared__ Component shared[kMost];
  if (threadIdx.x < components) shared[threadIdx.x] = scaled(mixture[threadIdx.x]);
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  float x = points[i], y = points[count + i], z = points[2 * count + i];
  float total = 1e-20f, most = 0;
  for (int k = 0; k < components; ++k) {
    float value = density(shared[k], x, y, z);
    total += value;
    most = fmaxf(most, value);
  }
  shares[i] = most / total;
  logs[i] = logf(total);
}
