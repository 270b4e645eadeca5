// Where the clouds of a weather model end for a satellite: each column of air is followed from the
// top of the atmosphere down, until what it has absorbed reaches a limit. Out come the height of
// that place, between two levels, and how warm it looks from above.

constexpr int kThreads = 32;

struct Sounding {
  float thickness;  // of a layer, km
  float limit;      // of the optical depth
  float lapse;      // K/km
};

// Stefan and Boltzmann's law, W/m².
__device__ __forceinline__ float radiance(float kelvin) {
  float squared = kelvin * kelvin;
  return 5.670374e-8f * squared * squared;
}

// Extinction is stored level by level, the lowest first.
__global__ void __launch_bounds__(kThreads)
    cloud_tops(const float* __restrict__ extinction, const float* __restrict__ surface,
               float* __restrict__ heights, float* __restrict__ seen, int columns, int levels,
               Sounding sounding) {
  int column = blockIdx.x * kThreads + threadIdx.x;
  if (column >= columns) return;

  float depth = 0, layer = 0;
  int level = levels - 1;
  while (level >= 0) {
    layer = extinction[level * columns + column] * sounding.thickness;
    if (depth + layer >= sounding.limit) break;
    depth += layer;
    --level;
  }

  float ground = 270.0f + 40.0f * surface[column];
  float height = 0;
  float through = __expf(-depth);  // what the ground shines through a thin column
  if (level >= 0) {
    float within = __fdividef(sounding.limit - depth, layer);
    height = (static_cast<float>(level + 1) - within) * sounding.thickness;
    through = __expf(-sounding.limit);
  }
  float top = fmaxf(ground - sounding.lapse * height, 190.0f);
  heights[column] = height;
  seen[column] = (1.0f - through) * radiance(top) + through * radiance(ground);
}
