// Indices of a climate simulation for every cell of its grid, from the minimum and the maximum of
// the temperature and the rain of each day of a season: days with frost, how warm it was for
// plants above a base temperature, and the longest spell without rain.

struct Limits {
  float frost;  // below this minimum a day has frost
  float base;   // above this mean plants grow
  float wet;    // from this amount of rain a day is wet
};

__device__ __forceinline__ float warmth_of(float coldest, float warmest, const Limits& limits) {
  float mean = 0.5f * (coldest + fminf(warmest, 0.95f));
  return fmaxf(mean - limits.base, 0.0f);
}

// The values of all cells on one day lie side by side.
__global__ void __launch_bounds__(256)
    climate_extremes(const float* minima, const float* maxima, const float* rain, int* frosts,
                     float* warmth, int* driest, int cells, int days, Limits limits) {
  int cell = blockIdx.x * blockDim.x + threadIdx.x;
  if (cell >= cells) return;
  frosts[cell] = 0;
  warmth[cell] = 0.0f;
  driest[cell] = 0;
  int spell = 0;
  for (int day = 0; day < days; ++day) {
    int place = day * cells + cell;
    float coldest = minima[place], warmest = maxima[place];
    frosts[cell] += coldest < limits.frost;
    warmth[cell] += warmth_of(coldest, warmest, limits);
    spell = rain[place] < limits.wet ? spell + 1 : 0;
    driest[cell] = max(driest[cell], spell);
  }
}
