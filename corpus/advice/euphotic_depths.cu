// How deep light for photosynthesis reaches into the sea: in each column of water of an ocean model,
// the depth at which the optical depth, integrated downwards, passes a limit. Water and the
// chlorophyll in it absorb the light.

struct Water {
  float clear;            // absorption of clear water, per metre
  float per_chlorophyll;  // absorption by a unit of chlorophyll, per metre
  float limit;            // optical depth at the bottom of the lit zone
  int levels;
};

__global__ void euphotic_depths(const float* __restrict__ chlorophyll,
                                const float* __restrict__ thickness, float* __restrict__ depths,
                                int columns, Water water) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (column >= columns) return;

  float depth = 0.0f, optical = 0.0f;
  for (int level = 0; level < water.levels; ++level) {
    float absorption =
        water.clear + water.per_chlorophyll * chlorophyll[level * columns + column];
    float layer = absorption * thickness[level];
    if (optical + layer > water.limit) {
      depth += __fdividef(water.limit - optical, absorption);
      break;
    }
    optical += layer;
    depth += thickness[level];
  }
  depths[column] = depth;
}
