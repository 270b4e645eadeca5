// How well a compressed picture keeps the structure of the original, at six scales (a part of
// MS-SSIM): both pictures come with their pyramids, each level half as wide and high as the one
// before. A block takes a tile of 128×128 pixels and what lies over it on the coarser levels.

constexpr int kLevels = 6;
constexpr int kTileBits = 7;
constexpr int kWarps = kLevels;

struct Moments {
  float a, b, aa, bb, ab;
};

__device__ __forceinline__ float warp_sum(float value) {
  for (int offset = 16; offset > 0; offset /= 2) {
    value += __shfl_down_sync(0xffffffffu, value, offset);
  }
  return value;
}

__device__ __forceinline__ Moments warp_sum(Moments m) {
  return {warp_sum(m.a), warp_sum(m.b), warp_sum(m.aa), warp_sum(m.bb), warp_sum(m.ab)};
}

// Sums over every step-th pixel of the block's tile on a level of the pyramids.
__device__ __forceinline__ Moments tile_moments(const float* __restrict__ original,
                                                const float* __restrict__ compressed, int width,
                                                int height, int level, int first, int step) {
  size_t start = 0;  // of the level
  for (int k = 0; k < level; ++k) start += static_cast<size_t>(width >> k) * (height >> k);
  int bits = kTileBits - level, row = width >> level;
  start += (static_cast<size_t>(blockIdx.y) * row + blockIdx.x) << bits;
  Moments m = {};
  for (int pixel = first; pixel < 1 << (2 * bits); pixel += step) {
    size_t place = start + (pixel >> bits) * row + (pixel & ((1 << bits) - 1));
    float a = original[place] - 0.5f, b = compressed[place] - 0.5f;
    m.a += a;
    m.b += b;
    m.aa += a * a;
    m.bb += b * b;
    m.ab += a * b;
  }
  return m;
}

__device__ __forceinline__ float structure(Moments m, int pixels) {
  float scale = 1.0f / pixels;
  float a = m.a * scale, b = m.b * scale;
  float variances = (m.aa + m.bb) * scale - a * a - b * b;
  return (2.0f * (m.ab * scale - a * b) + 0.0009f) / (variances + 0.0009f);
}

__global__ void __launch_bounds__(32 * kWarps)
    picture_quality(const float* __restrict__ original, const float* __restrict__ compressed,
                    float* __restrict__ structures, int width, int height) {
  int tile = blockIdx.y * gridDim.x + blockIdx.x;
  int level = threadIdx.x / 32, lane = threadIdx.x % 32;
  Moments m = warp_sum(tile_moments(original, compressed, width, height, level, lane, 32));
  if (lane == 0) {
    structures[tile * kLevels + level] = structure(m, 1 << (2 * (kTileBits - level)));
  }
}
