// How different two pictures look, pixel by pixel: their colours in the space CIELAB, in which
// equal distances are seen as equally different (ΔE).

struct Lab {
  float l, a, b;
};

__device__ __forceinline__ float curve(float t) {
  return t > 0.008856f ? cbrtf(t) : 7.787f * t + 0.137931f;
}

__device__ __forceinline__ Lab to_lab(float red, float green, float blue) {
  float x = (0.412453f * red + 0.357580f * green + 0.180423f * blue) / 0.950456f;
  float y = 0.212671f * red + 0.715160f * green + 0.072169f * blue;
  float z = (0.019334f * red + 0.119193f * green + 0.950227f * blue) / 1.088754f;
  float fx = curve(x), fy = curve(y), fz = curve(z);
  return {116.0f * fy - 16.0f, 500.0f * (fx - fy), 200.0f * (fy - fz)};
}

// Pictures are planes of red, green and blue, one after the other.
__global__ void compare_colours(const float* __restrict__ left, const float* __restrict__ right,
                                float* __restrict__ differences, int pixels) {
  int pixel = blockIdx.x * blockDim.x + threadIdx.x;
  if (pixel >= pixels) return;
  Lab one = to_lab(left[pixel], left[pixel + pixels], left[pixel + 2 * pixels]);
  Lab other = to_lab(right[pixel], right[pixel + pixels], right[pixel + 2 * pixels]);
  float dl = one.l - other.l;
  float da = one.a - other.a;
  float db = one.b - other.b;
  differences[pixel] = sqrtf(dl * dl + da * da + db * db);
}
