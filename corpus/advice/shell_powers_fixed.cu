// Power spectrum of the matter in a cosmological simulation: the squared amplitudes of its Fourier
// modes are summed over spherical shells of wave numbers. A thread goes through the modes of one
// column, and adds what it has whenever it comes to the next shell.

constexpr int kShells = 16;

struct Cube {
  int width, depth;  // modes in x and y, which are centred on zero, and in z
  float shell;       // inverse of the thickness of a shell
  float weight;      // of a mode
};

__device__ __forceinline__ int shell_of(const Cube& cube, float flat, int z) {
  return min(static_cast<int>(cube.shell * __fsqrt_rn(flat + static_cast<float>(z * z))),
             kShells - 1);
}

// The blocks cover the cube exactly.
__global__ void __launch_bounds__(256)
    shell_powers(const float2* __restrict__ modes, float* __restrict__ powers, Cube cube) {
  __shared__ float block_powers[kShells];
  int thread = threadIdx.y * blockDim.x + threadIdx.x;
  if (thread < kShells) block_powers[thread] = 0;
  __syncthreads();
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  int kx = x - cube.width / 2, ky = y - cube.width / 2;
  float flat = kx * kx + ky * ky;
  const float2* mode = modes + y * cube.width + x;
  int shell = shell_of(cube, flat, 0);
  float sum = 0;
  for (int z = 0; z < cube.depth; ++z) {
    float2 amplitude = mode[static_cast<size_t>(z) * cube.width * cube.width];
    int here = shell_of(cube, flat, z);
    if (here != shell) {
      atomicAdd(&block_powers[shell], cube.weight * sum);
      shell = here;
      sum = 0;
    }
    sum += amplitude.x * amplitude.x + amplitude.y * amplitude.y;
  }
  atomicAdd(&block_powers[shell], cube.weight * sum);
  __syncthreads();
  if (thread < kShells) atomicAdd(&powers[thread], block_powers[thread]);
}
