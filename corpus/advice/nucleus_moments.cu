// The moments of the stain in the nuclei of a tissue section, up to the third order in x and in y.
// A block belongs to a nucleus: a patch of 64 by 64 pixels around it. The moments are relative to
// the whole mass of stain.

constexpr int side = 64, orders = 4;

__device__ __forceinline__ float raised(float value, int power) {
  float odd = power & 1 ? value : 1.0f;
  return power & 2 ? odd * value * value : odd;
}

// The moment of a patch; the lanes of one warp add it up together.
__device__ __forceinline__ float moment_of(const float* stain, int in_x, int in_y, int lane) {
  float sum = 0.0f;
  for (int i = lane; i < side * side; i += 32) {
    float x = (i % side) * (2.0f / side) - 1.0f, y = (i / side) * (2.0f / side) - 1.0f;
    sum += stain[i] * raised(x, in_x) * raised(y, in_y);
  }
  for (int distance = 16; distance > 0; distance /= 2) {
    sum += __shfl_xor_sync(0xffffffffu, sum, distance);
  }
  return sum;
}

__global__ void nucleus_moments(const float* __restrict__ patches, float* __restrict__ moments,
                                int wanted, float clear) {
  __shared__ float stain[side * side];
  __shared__ float totals[orders * orders];
  const float* patch = patches + static_cast<size_t>(blockIdx.x) * side * side;
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;

  for (int i = threadIdx.x; i < side * side; i += blockDim.x) {
    stain[i] = fmaxf(patch[i] - clear, 0.0f);
  }
  __syncthreads();

  if (warp == 0) {
    for (int m = 0; m < wanted; ++m) {
      float total = moment_of(stain, m % orders, m / orders, lane);
      if (lane == 0) totals[m] = total;
    }
  }
  __syncthreads();

  if (threadIdx.x < wanted) {
    float mass = fmaxf(totals[0], 1e-6f);
    moments[blockIdx.x * wanted + threadIdx.x] = __fdividef(totals[threadIdx.x], mass);
  }
}
