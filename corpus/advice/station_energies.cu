// The mean energy and the peak of the ground motion that each station of a seismic network
// recorded. A column of blocks belongs to a station and shares its record; the results start as
// zeros.

template <typename Operation>
__device__ float over_warp(float value, Operation operation) {
  for (int distance = 16; distance > 0; distance /= 2) {
    value = operation(value, __shfl_xor_sync(0xffffffffu, value, distance));
  }
  return value;
}

__global__ void station_energies(const float* __restrict__ records,
                                 const float* __restrict__ offsets, float* energies, float* peaks,
                                 int samples) {
  __shared__ float sums[32], tops[32];
  const float* record = records + static_cast<size_t>(blockIdx.x) * samples;
  float offset = offsets[blockIdx.x];
  auto add = [](float a, float b) { return a + b; };
  auto larger = [](float a, float b) { return fmaxf(a, b); };

  float sum = 0.0f, top = 0.0f;
  for (int i = blockIdx.y * blockDim.x + threadIdx.x; i < samples; i += gridDim.y * blockDim.x) {
    float motion = record[i] - offset;
    sum += motion * motion;
    top = fmaxf(top, fabsf(motion));
  }

  sum = over_warp(sum, add);
  top = over_warp(top, larger);
  if (threadIdx.x % 32 == 0) {
    sums[threadIdx.x / 32] = sum;
    tops[threadIdx.x / 32] = top;
  }
  __syncthreads();
  if (threadIdx.x < 32) {
    bool filled = threadIdx.x < blockDim.x / 32;
    sum = over_warp(filled ? sums[threadIdx.x] : 0.0f, add);
    top = over_warp(filled ? tops[threadIdx.x] : 0.0f, larger);
    if (threadIdx.x == 0) {
      atomicAdd(&energies[blockIdx.x], sum / samples);
      // Floats that are not negative have the order of their bits.
      atomicMax(reinterpret_cast<int*>(&peaks[blockIdx.x]), __float_as_int(top));
    }
  }
}
