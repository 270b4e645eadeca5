// The mass balance of a glacier, cell by cell: every day snow falls on the ice and warm air melts
// some of it. What is left at the end of the season, and how much water ran off.

struct Season {
  float start;      // metres of ice at the beginning
  float threshold;  // the temperature at which ice begins to melt
  float melting;    // metres in a day for each degree above it
};

__device__ __forceinline__ float could_melt(float temperature, const Season& season) {
  return season.melting * fmaxf(temperature - season.threshold, 0.0f);
}

// What falls as snow and not as rain.
__device__ __forceinline__ float snow_of(float fall, float temperature, const Season& season) {
  return fall * __saturatef(1.0f - 2.0f * (temperature - season.threshold));
}

__global__ void glacier_balances(const float* falls, const float* temperatures, float* ice,
                                 float* runoff, int cells, int days, float start, float threshold,
                                 float melting) {
  int cell = blockIdx.x * blockDim.x + threadIdx.x;
  if (cell >= cells) return;
  Season season{start, threshold, melting};

  ice[cell] = season.start;
  runoff[cell] = 0.0f;
  for (int day = 0; day < days; ++day) {
    float fall = falls[day * cells + cell], temperature = temperatures[day * cells + cell];
    ice[cell] += 0.01f * snow_of(fall, temperature, season);
    float melted = fminf(ice[cell], could_melt(temperature, season));
    ice[cell] -= melted;
    runoff[cell] += melted;
  }
}
