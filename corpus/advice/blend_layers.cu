// Two grey pictures blended by a mask, with the result's contrast stretched about a level.

__device__ __forceinline__ int stretched(int value, int level) {
  int moved = level + (value - level) * 5 / 4;
  return min(max(moved, 0), 255);
}

__global__ void blend_layers(const unsigned char* __restrict__ lower,
                             const unsigned char* __restrict__ upper,
                             const unsigned char* __restrict__ masks,
                             unsigned char* __restrict__ out, int pixels, int level) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= pixels) return;
  int mask = masks[i];
  int below = lower[i];
  int above = upper[i];

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
  out[i] = static_cast<unsigned char>(final_value);
}
