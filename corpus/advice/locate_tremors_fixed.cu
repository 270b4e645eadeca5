// Where in the ground a tremor began: for each place of a map at some depth, what all geophones
// recorded at the times when a wave from there would have reached them. Where the records agree
// (the semblance is high), there the tremor was.

__device__ __forceinline__ float distance_to(float2 phone, float x, float y, float depth,
                                             float extent) {
  float dx = phone.x * extent - x, dy = phone.y * extent - y;
  float square = dx * dx + dy * dy + depth * depth;
  return square * rsqrtf(square);
}

__global__ void locate_tremors(const float2* __restrict__ phones, const float* __restrict__ records,
                               float* __restrict__ semblances, int phone_count, int samples,
                               int width, int height, float depth, float slowness) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y;
  if (column >= width || row >= height) return;
  float x = column, y = row, extent = width;

  float sum = 0.0f, power = 0.0f;
#pragma unroll 8
  for (int k = 0; k < phone_count; ++k) {
    float travel = slowness * distance_to(phones[k], x, y, depth, extent);
    int sample = min(static_cast<int>(travel), samples - 1);
    float heard = records[k * samples + sample];
    sum += heard;
    power += heard * heard;
  }

  // The records are raw: their middle is at a half.
  float count = phone_count;
  float centred = sum - 0.5f * count;
  float spread = power - sum + 0.25f * count;
  semblances[row * width + column] = __fdividef(centred * centred, count * spread);
}
