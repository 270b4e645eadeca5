// The colours of a film graded by a table of 17×17×17 colours, between whose entries it goes
// straight (trilinear). Pixels are four halves each.

#include <cuda_fp16.h>

constexpr int kSide = 17;

struct Pixel {
  __half2 red_green, blue_alpha;
};

__device__ __forceinline__ float4 mixed(float4 a, float4 b, float t) {
  return {a.x + t * (b.x - a.x), a.y + t * (b.y - a.y), a.z + t * (b.z - a.z), a.w};
}

__device__ __forceinline__ float4 along_red(const float4* table, int entry, float t) {
  return mixed(__ldg(table + entry), __ldg(table + entry + 1), t);
}

// A channel's place in the table: the lower entry, and how far it is to the next.
__device__ __forceinline__ int split(float channel, float& rest) {
  float place = __saturatef(channel) * (kSide - 1);
  int lower = min(static_cast<int>(place), kSide - 2);
  rest = place - static_cast<float>(lower);
  return lower;
}

__global__ void grade_colours(const Pixel* __restrict__ film, const float4* __restrict__ table,
                              Pixel* __restrict__ graded, long long pixels, float exposure) {
  long long stride = static_cast<long long>(gridDim.x) * blockDim.x;
  long long first = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (long long pixel = first; pixel < pixels; pixel += stride) {
    Pixel from = film[pixel];
    float2 red_green = __half22float2(from.red_green);
    float2 blue_alpha = __half22float2(from.blue_alpha);
    float u, v, w;
    int red = split(exposure * red_green.x, u);
    int green = split(exposure * red_green.y, v);
    int blue = split(exposure * blue_alpha.x, w);
    int entry = (blue * kSide + green) * kSide + red;

    constexpr int kSlice = kSide * kSide;
    float4 front = mixed(along_red(table, entry, u), along_red(table, entry + kSide, u), v);
    float4 back =
        mixed(along_red(table, entry + kSlice, u), along_red(table, entry + kSlice + kSide, u), v);
    float4 colour = mixed(front, back, w);
    graded[pixel] = {__floats2half2_rn(colour.x, colour.y),
                     __floats2half2_rn(colour.z, blue_alpha.y)};
  }
}
