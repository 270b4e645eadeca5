// The density of atoms on a slice of a grid, for the surface of a molecule: each atom is a soft
// ball of finite reach (Wendland's kernel). Atoms go through shared memory by chunks.

constexpr int kWide = 32, kHigh = 4, kThreads = kWide * kHigh;

// By the squared distance, in units of the reach.
__device__ __forceinline__ float ball(float squared) {
  float inside = fmaxf(1.0f - squared, 0.0f);
  return inside * inside * inside;
}

__global__ void __launch_bounds__(kThreads)
    grid_density(const float4* __restrict__ atoms, float* __restrict__ density, int count,
                 int width, float spacing, float z, float sharpness) {
  __shared__ float4 chunk[kThreads];
  int thread = threadIdx.y * kWide + threadIdx.x;
  int column = blockIdx.x * kWide + threadIdx.x;
  int row = blockIdx.y * kHigh + threadIdx.y;
  float x = spacing * static_cast<float>(column);
  float y = spacing * static_cast<float>(row);

  float sum = 0;
  for (int first = 0; first < count; first += kThreads) {
    chunk[thread] = atoms[first + thread];
    __syncthreads();
#pragma unroll 8
    for (int k = 0; k < kThreads; ++k) {
      float4 atom = chunk[k];
      float dy = atom.y - y, dz = atom.z - z;
      float off_axis = sharpness * (dy * dy + dz * dz);
      float dx = atom.x - x;
      sum += atom.w * ball(off_axis + sharpness * dx * dx);
    }
    __syncthreads();
  }
  density[row * width + column] = sum;
}
