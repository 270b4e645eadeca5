// Maps what covers the land (water, forest, fields, towns, ...) from the four bands of a satellite
// picture: a pixel gets the kind whose typical colours are nearest. The areas of the kinds are
// counted in pixels; they start as zeros.

constexpr int kinds = 8;

__device__ __forceinline__ float apart(float4 a, float4 b) {
  float red = a.x - b.x, green = a.y - b.y, blue = a.z - b.z, infrared = a.w - b.w;
  return red * red + green * green + blue * blue + infrared * infrared;
}

__device__ __forceinline__ int nearest_kind(float4 pixel, const float4* typical) {
  int best = 0;
  float least = apart(pixel, typical[0]);
#pragma unroll
  for (int kind = 1; kind < kinds; ++kind) {
    float distance = apart(pixel, typical[kind]);
    if (distance < least) {
      least = distance;
      best = kind;
    }
  }
  return best;
}

__global__ void land_cover_areas(const float4* __restrict__ picture,
                                 const float4* __restrict__ typical,
                                 unsigned char* __restrict__ cover, int* __restrict__ areas,
                                 int pixels) {
  int stride = gridDim.x * blockDim.x;
  for (int p = blockIdx.x * blockDim.x + threadIdx.x; p < pixels; p += stride) {
    int kind = nearest_kind(picture[p], typical);
    cover[p] = kind;
    atomicAdd(&areas[kind], 1);
  }
}
