// How dangerous the catalogued debris in orbit is to some satellites: for each satellite the
// nearest pass of any object within the next minutes, at some moments. A column of blocks belongs
// to a satellite; its threads share the catalogue. Motions are relative to the middle of the
// region, with a constant acceleration.

constexpr int kMoments = 8;

struct Motion {
  float x, y, z, u, v, w;
};

// Six arrays, one for each component.
__device__ __forceinline__ Motion motion_of(const float* table, int count, int i) {
  return {table[i],
          table[count + i],
          table[2 * count + i],
          table[3 * count + i] - 0.5f,
          table[4 * count + i] - 0.5f,
          table[5 * count + i] - 0.5f};
}

__device__ __forceinline__ float nearest_square(const Motion& a, const Motion& b, float step) {
  float nearest = 1e30f;
#pragma unroll
  for (int k = 0; k < kMoments; ++k) {
    float time = k * step, bend = 0.5f * time * time;
    float x = a.x - b.x + time * (a.u - b.u) - bend * (a.x - b.x);
    float y = a.y - b.y + time * (a.v - b.v) - bend * (a.y - b.y);
    float z = a.z - b.z + time * (a.w - b.w) - bend * (a.z - b.z);
    nearest = fminf(nearest, x * x + y * y + z * z);
  }
  return nearest;
}

// The danger is one at no distance, and falls to zero far away.
__global__ void __launch_bounds__(512)
    closest_passes(const float* __restrict__ satellites, const float* __restrict__ catalogue,
                   int* __restrict__ dangers, int count, float step) {
  Motion own = motion_of(satellites, gridDim.x, blockIdx.x);
  float nearest = 1e30f;
  int stride = gridDim.y * blockDim.x;
  for (int i = blockIdx.y * blockDim.x + threadIdx.x; i < count; i += stride) {
    nearest = fminf(nearest, nearest_square(own, motion_of(catalogue, count, i), step));
  }
  for (int lane = 16; lane > 0; lane /= 2) {
    nearest = fminf(nearest, __shfl_xor_sync(~0u, nearest, lane));
  }
  if (threadIdx.x % 32 == 0) {
    atomicMax(&dangers[blockIdx.x], __float_as_int(__fdividef(1.0f, 1.0f + nearest)));
  }
}
