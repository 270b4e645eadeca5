// How much of the sky a place in a landscape sees: along eight directions the steepest slope up to
// the horizon, and the mean of what is left above it. A search ends where not even the highest of
// the mountains could rise above the horizon found so far.

constexpr int kDirections = 8, kReach = 96;  // steps

// The landscape goes on for kReach beyond the places that are asked for.
__global__ void sky_view(const float* __restrict__ heights, float* __restrict__ views, int width,
                         int height, int pitch, float highest) {
  __shared__ float inverses[kReach + 1];
  int thread = threadIdx.y * blockDim.x + threadIdx.x;
  if (thread <= kReach) inverses[thread] = 1.0f / static_cast<float>(max(thread, 1));
  __syncthreads();
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const float* here = heights + static_cast<size_t>(y + kReach) * pitch + x + kReach;
  float ground = *here;
  const int ways[kDirections] = {1, pitch + 1, pitch, pitch - 1, -1, -pitch - 1, -pitch, 1 - pitch};

  float open = 0;
#pragma unroll
  for (int direction = 0; direction < kDirections; ++direction) {
    const float* place = here;
    float length = direction % 2 == 0 ? 1.0f : 0.7071068f;
    float steepest = 0;
    for (int k = 1; k <= kReach; ++k) {
      place += ways[direction];
      float slope = length * (*place - ground) * inverses[k];
      steepest = fmaxf(steepest, slope);
      if (steepest > length * (highest - ground) * inverses[k]) break;
    }
    open += rsqrtf(1.0f + steepest * steepest);
  }
  views[y * width + x] = open / static_cast<float>(kDirections);
}
