// How deep light for photosynthesis reaches into the sea: in each column of water of an ocean model,
// the depth at which the optical depth, integrated downwards, passes a limit. Water and the
// chlorophyll in it absorb the light.

constexpr int kUnrolled = 8;

struct Water {
  float clear;            // absorption of clear water, per metre
  float per_chlorophyll;  // absorption by a unit of chlorophyll, per metre
  float limit;            // optical depth at the bottom of the lit zone
  int levels;             // a multiple of 8
};

__global__ void euphotic_depths(const float* __restrict__ chlorophyll,
                                const float* __restrict__ thickness, float* __restrict__ depths,
                                int columns, Water water) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (column >= columns) return;

  float depth = 0.0f, optical = 0.0f;
  bool lit = true;
  for (int level = 0; level < water.levels && lit; level += kUnrolled) {
    float amounts[kUnrolled], heights[kUnrolled];
#pragma unroll
    for (int j = 0; j < kUnrolled; ++j) {
      amounts[j] = chlorophyll[(level + j) * columns + column];
      heights[j] = thickness[level + j];
    }
#pragma unroll
    for (int j = 0; j < kUnrolled; ++j) {
      float absorption = water.clear + water.per_chlorophyll * amounts[j];
      float layer = absorption * heights[j];
      if (lit && optical + layer > water.limit) {
        depth += __fdividef(water.limit - optical, absorption);
        lit = false;
      }
      if (lit) {
        optical += layer;
        depth += heights[j];
      }
    }
  }
  depths[column] = depth;
}
