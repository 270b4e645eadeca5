// The smoke that the chimneys of a region bring to each place of a map, by the model of Gaussian
// plumes. The wind blows along x; the map's unit is the kilometre. A chimney is its place (in units
// of the map), its height and the rate at which it emits.

struct Plume {
  float across, upward;
};

__device__ __forceinline__ Plume plume_at(float way) {
  return Plume{0.22f * __powf(way, 0.894f), 0.12f * __powf(way, 0.78f)};
}

__device__ __forceinline__ float share(Plume plume, float aside, float height) {
  float side = __fdividef(aside, plume.across);
  float above = __fdividef(height, plume.upward);
  return __fdividef(__expf(-0.5f * (side * side + above * above)), plume.across * plume.upward);
}

__global__ void stack_emissions(const float4* __restrict__ chimneys, float* __restrict__ smoke,
                                int chimney_count, int width, int height, float extent,
                                float background) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y;
  if (column >= width || row >= height) return;
  float x = extent * column / width, y = extent * row / height;

  float sum = background;
  for (int k = 0; k < chimney_count; ++k) {
    float4 chimney = chimneys[k];
    float way = fmaxf(x - extent * chimney.x, 0.02f);
    float aside = y - extent * chimney.y;
    sum += chimney.w * share(plume_at(way), aside, 0.05f + 0.25f * chimney.z);
  }
  smoke[row * width + column] = sum;
}
