// Thresholds that part each tile of a picture into ink and paper (Ridler and Calvard): the middle
// between the means of both sides, found again and again from the threshold before. Tiles lie one
// after the other; a block takes tile after tile.

constexpr int kThreads = 128, kPixels = 12288;

struct Sums {
  float paper, pixels, all;  // of the pixels above the threshold, how many they are, of all
};

__device__ __forceinline__ float warp_sum(float value) {
  for (int away = 16; away > 0; away /= 2) value += __shfl_xor_sync(~0u, value, away);
  return value;
}

__device__ __forceinline__ Sums block_sums(Sums own, Sums* scratch) {
  own = {warp_sum(own.paper), warp_sum(own.pixels), warp_sum(own.all)};
  if (threadIdx.x % 32 == 0) scratch[threadIdx.x / 32] = own;
  __syncthreads();
  Sums sums = {0, 0, 0};
#pragma unroll
  for (int warp = 0; warp < kThreads / 32; ++warp) {
    sums.paper += scratch[warp].paper;
    sums.pixels += scratch[warp].pixels;
    sums.all += scratch[warp].all;
  }
  __syncthreads();
  return sums;
}

__global__ void __launch_bounds__(kThreads)
    tile_thresholds(const float4* __restrict__ tiles, float* __restrict__ thresholds, int count,
                    int rounds) {
  __shared__ Sums scratch[kThreads / 32];
  for (int tile = blockIdx.x; tile < count; tile += gridDim.x) {
    const float4* pixels = tiles + static_cast<size_t>(tile) * (kPixels / 4);
    float threshold = 0.3f;
    for (int round = 0; round < rounds; ++round) {
      Sums sums = {0, 0, 0};
#pragma unroll 4
      for (int k = threadIdx.x; k < kPixels / 4; k += kThreads) {
        float4 four = pixels[k];
        for (float value : {four.x, four.y, four.z, four.w}) {
          sums.all += value;
          sums.paper += value > threshold ? value : 0.0f;
          sums.pixels += value > threshold ? 1.0f : 0.0f;
        }
      }
      sums = block_sums(sums, scratch);
      float ink = __fdividef(sums.all - sums.paper, fmaxf(kPixels - sums.pixels, 1.0f));
      float paper = __fdividef(sums.paper, fmaxf(sums.pixels, 1.0f));
      threshold = 0.5f * (ink + paper);
    }
    if (threadIdx.x == 0) thresholds[tile] = threshold;
  }
}
