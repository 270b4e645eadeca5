// Measurements of 32 channels, ordered by time, summed and counted over intervals of time (a GROUP
// BY of a time-series database): a warp takes some rows in turn, a lane per channel.

constexpr int kChannels = 32, kRows = 64;

__device__ __forceinline__ float calibrated(float value, float2 line) {
  return fmaf(line.x, value, line.y);
}

// Measurements below `missing` were none.
__global__ void downsample_series(const int* __restrict__ stamps, const float* __restrict__ values,
                                  const float2* __restrict__ calibration, float* __restrict__ sums,
                                  int* __restrict__ counts, int rows, int start, int shift,
                                  float missing) {
  int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  int channel = threadIdx.x % 32;
  int first = warp * kRows;
  if (first >= rows) return;
  int last = min(first + kRows, rows);
  float2 line = calibration[channel];

#pragma unroll 8
  for (int row = first; row < last; ++row) {
    int interval = (stamps[row] - start) >> shift;
    float value = values[static_cast<size_t>(row) * kChannels + channel];
    if (value >= missing) {
      atomicAdd(&sums[interval * kChannels + channel], calibrated(value, line));
      atomicAdd(&counts[interval * kChannels + channel], 1);
    }
  }
}
