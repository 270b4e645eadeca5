// Tables of the tides: the height of the water at each station (a row of blocks) for every few
// minutes of a year, as a sum of the waves that the sun and the moon raise there.

struct Wave {
  float speed;   // turns in an hour
  float height;  // metres
  float phase;   // turns
};

__device__ __forceinline__ Wave wave_of(float4 constants) {
  return Wave{0.12f * constants.x, 0.06f * constants.y, constants.z};
}

__device__ __forceinline__ float water_at(Wave wave, float hours) {
  float turns = wave.speed * hours + wave.phase;
  turns -= rintf(turns);
  return wave.height * cosf(6.2831853f * turns);
}

__global__ void tide_tables(const float4* __restrict__ constants, float* __restrict__ heights,
                            int waves, int times, float hours_between, float mean_level) {
  int time = blockIdx.x * blockDim.x + threadIdx.x;
  int station = blockIdx.y;
  if (time >= times) return;
  float hours = time * hours_between;

  float level = mean_level;
  for (int k = 0; k < waves; ++k) {
    level += water_at(wave_of(constants[station * waves + k]), hours);
  }
  heights[station * times + time] = level;
}
