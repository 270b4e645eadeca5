// Yield tables of a forest: the volume of wood in many stands at the end of a plan. A stand is a
// block of 16 rows of 32 trees; a row is planted every few years, the first at the beginning of
// the plan. A warp grows two rows, month by month.

constexpr int kRows = 16, kTreesPerRow = 32, kWarps = 8, kMostMonths = 2048;

struct Species {
  float pace;      // growth of a young tree in the best month
  float shading;   // how the growth slows down as the crown closes
  float form;      // wood per height and squared diameter
};

__device__ __forceinline__ float grown(float diameter, float vigour, float warmth,
                                       const Species& species) {
  float light = __expf(-species.shading * diameter);
  return diameter + species.pace * vigour * warmth * light;
}

__device__ __forceinline__ float volume_of(float diameter, const Species& species) {
  float height = 1.3f + 30.0f * (1.0f - __expf(-2.0f * diameter));
  return species.form * height * diameter * diameter;
}

__global__ void __launch_bounds__(kWarps * 32)
    grow_stands(const float* __restrict__ weather, const float* __restrict__ vigours,
                float* __restrict__ volumes, int months, int interval, Species species) {
  __shared__ float warmth[kMostMonths];
  __shared__ float parts[kWarps];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32, stand = blockIdx.x;
  for (int month = threadIdx.x; month < months; month += blockDim.x) {
    warmth[month] = weather[stand * months + month];
  }
  __syncthreads();

  float volume = 0.0f;
  for (int turn = 0; turn < 2; ++turn) {
    int row = turn * kWarps + warp;
    float vigour = 0.5f + vigours[(stand * kRows + row) * kTreesPerRow + lane];
    float diameter = 0.01f;
    for (int month = row * interval; month < months; ++month) {
      diameter = grown(diameter, vigour, warmth[month], species);
    }
    volume += volume_of(diameter, species);
  }

  for (int step = 16; step > 0; step /= 2) volume += __shfl_down_sync(~0u, volume, step);
  if (lane == 0) parts[warp] = volume;
  __syncthreads();
  if (threadIdx.x == 0) {
    float total = 0.0f;
    for (int k = 0; k < kWarps; ++k) total += parts[k];
    volumes[stand] = total;
  }
}
