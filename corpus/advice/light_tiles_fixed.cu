// Lighting of a picture by many small lamps, tile by tile: a block lists the lamps that can reach
// its tile of pixels, then lights each pixel by the lamps of the list. Lamps and pixels are placed
// in the unit cube, the depth of a pixel is its third coordinate.

constexpr int kTile = 32, kMost = 256;

struct View {
  int width, height, lamps;
  float reach;  // radius of the strongest lamp
};

// Whether a lamp (position and strength) reaches the rectangle.
__device__ __forceinline__ bool reaches(float4 lamp, float4 rectangle, float reach) {
  float dx = lamp.x - fminf(fmaxf(lamp.x, rectangle.x), rectangle.z);
  float dy = lamp.y - fminf(fmaxf(lamp.y, rectangle.y), rectangle.w);
  float radius = reach * lamp.w;
  return dx * dx + dy * dy < radius * radius;
}

__device__ __forceinline__ float light_from(float4 lamp, float x, float y, float z, float reach) {
  float dx = lamp.x - x, dy = lamp.y - y, dz = lamp.z - z;
  float radius = reach * lamp.w;
  float left = radius * radius - (dx * dx + dy * dy + dz * dz);
  return left > 0 ? left * lamp.w : 0.0f;
}

__global__ void __launch_bounds__(kTile* kTile)
    light_tiles(const float4* __restrict__ lamps, const float* __restrict__ depths,
                float* __restrict__ picture, View view) {
  __shared__ float4 listed[kMost];
  __shared__ int count;
  float across = 1.0f / view.width, down = 1.0f / view.height;
  int left = blockIdx.x * kTile, top = blockIdx.y * kTile;
  float4 rectangle = make_float4(left * across, top * down, (left + kTile) * across,
                                 (top + kTile) * down);
  int thread = threadIdx.y * kTile + threadIdx.x;
  if (thread == 0) count = 0;
  __syncthreads();
  for (int i = thread; i < view.lamps; i += kTile * kTile) {
    float4 lamp = lamps[i];
    if (reaches(lamp, rectangle, view.reach)) {
      int place = atomicAdd(&count, 1);
      if (place < kMost) listed[place] = lamp;
    }
  }
  __syncthreads();
  int x = left + threadIdx.x, y = top + threadIdx.y;
  if (x >= view.width || y >= view.height) return;
  float depth = depths[y * view.width + x], light = 0.001f;
  int used = min(count, kMost);
  for (int k = 0; k < used; ++k) {
    light += light_from(listed[k], x * across, y * down, depth, view.reach);
  }
  picture[y * view.width + x] = sqrtf(1000.0f * light);
}
