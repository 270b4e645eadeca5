// Two grey pictures blended by a mask, with the result's contrast stretched about a level.

__device__ __forceinline__ int stretched(int value, int level) {
  int moved = level + (value - level) * 5 / 4;
  return min(max(moved, 0), 255);
}

__device__ __forceinline__ unsigned char blend_pixel(int below, int above, int mask, int level) {
  int blended = below * (255 - mask);
  blended += above * mask;
  blended += 128;
  blended = (blended + (blended >> 8)) >> 8;

  int dark = min(below, above);
  int light = max(below, above);
  if (blended < dark) {
    blended = dark;
  }
  if (blended > light) {
    blended = light;
  }

  int final_value = stretched(blended, level);
  if (mask == 0) {
    final_value = below;
  }
  return static_cast<unsigned char>(final_value);
}

__global__ void blend_layers(const uchar4* __restrict__ lower, const uchar4* __restrict__ upper,
                             const uchar4* __restrict__ masks, uchar4* __restrict__ out, int pixels,
                             int level) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= pixels / 4) return;
  uchar4 mask = masks[i];
  uchar4 below = lower[i];
  uchar4 above = upper[i];
  uchar4 result;
  result.x = blend_pixel(below.x, above.x, mask.x, level);
  result.y = blend_pixel(below.y, above.y, mask.y, level);
  result.z = blend_pixel(below.z, above.z, mask.z, level);
  result.w = blend_pixel(below.w, above.w, mask.w, level);
  out[i] = result;
}
