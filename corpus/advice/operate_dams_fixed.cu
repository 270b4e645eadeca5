// The levels of many reservoirs, each of which is run by a plan: day by day rivers flow in, towns
// take what they need, and the rest goes over a weir, which lets the more through the higher the
// water stands above it. The level at the end of a day fulfils an equation that Newton's method
// solves. The values of all reservoirs on one day lie side by side.

constexpr int kRounds = 4;

struct Weir {
  float crest;     // height of its edge
  float capacity;  // what it lets through in a day at a height of one
};

// The water above the edge that is left of `water` after a day.
__device__ __forceinline__ float above_edge(float water, float guess, const Weir& weir) {
  float height = guess;
#pragma unroll
  for (int round = 0; round < kRounds; ++round) {
    float root = height * rsqrtf(height);
    float over = height + weir.capacity * height * root - water;
    float slope = 1.0f + 1.5f * weir.capacity * root;
    height = fmaxf(height - __fdividef(over, slope), 1e-6f);
  }
  return height;
}

__global__ void __launch_bounds__(128)
    operate_dams(const float* inflows, const float* needs, float* levels, int dams, int days,
                 float start, Weir weir) {
  int dam = blockIdx.x * blockDim.x + threadIdx.x;
  if (dam >= dams) return;
  float level = start;
  int place = dam;
  float next_inflow = inflows[place], next_need = needs[place];
  for (int day = 0; day < days; ++day) {
    float inflow = next_inflow, need = next_need;
    if (day + 1 < days) {
      next_inflow = inflows[place + dams];
      next_need = needs[place + dams];
    }
    float taken = fminf(0.8f * need, level);
    float water = level + inflow - taken - weir.crest;
    level = weir.crest + (water > 0.0f ? above_edge(water, 0.5f * water + 0.1f, weir) : water);
    levels[place] = level;
    place += dams;
  }
}
