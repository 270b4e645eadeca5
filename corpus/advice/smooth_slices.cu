// Diffusion within the slices of a stack, where a block goes through all slices at its place: tiles
// of 32×32 and four pixels around go through shared memory.

#include <cuda_pipeline_primitives.h>

constexpr int kTile = 32, kReach = 4, kWide = kTile + 2 * kReach, kRows = 8;

__global__ void __launch_bounds__(kTile* kRows)
    smooth_slices(const float* __restrict__ stack, float* __restrict__ smoothed, int width,
                  int height, int slices, float strength) {
  __shared__ float tile[kWide][kWide];
  constexpr float kWeights[kReach + 1] = {-2.84722f, 1.6f, -0.2f, 0.0253968f, -0.00178571f};
  int left = blockIdx.x * kTile - kReach;
  int top = blockIdx.y * kTile - kReach;
  int thread = threadIdx.y * kTile + threadIdx.x;
  size_t area = static_cast<size_t>(width) * height;

  for (int slice = 0; slice < slices; ++slice) {
    const float* from = stack + slice * area;
    for (int k = thread; k < kWide * kWide; k += kTile * kRows) {
      int x = min(max(left + k % kWide, 0), width - 1);
      int y = min(max(top + k / kWide, 0), height - 1);
      tile[k / kWide][k % kWide] = from[y * width + x];
    }
    __syncthreads();

    for (int row = threadIdx.y; row < kTile; row += kRows) {
      int tx = threadIdx.x + kReach;
      int ty = row + kReach;
      float centre = tile[ty][tx];
      float curvature = 2.0f * kWeights[0] * centre;
#pragma unroll
      for (int k = 1; k <= kReach; ++k) {
        float around = tile[ty][tx - k] + tile[ty][tx + k] + tile[ty - k][tx] + tile[ty + k][tx];
        curvature += kWeights[k] * around;
      }
      size_t place = slice * area + static_cast<size_t>(top + ty) * width + left + tx;
      smoothed[place] = centre + strength * curvature;
    }
    __syncthreads();
  }
}
