// Snow and water of a catchment, one cell of its grid per thread: day by day, precipitation falls
// as snow or rain, warm days melt snow by degrees, the soil takes up the water, loses some to the
// plants and lets the rest run off. Amounts in millimetres.

struct Climate {
  float melt;      // per degree and day
  float capacity;  // of the soil
  float drain;     // share of the soil's water that seeps through, per day
  float lapse;     // degrees colder per unit of height
};

// `rain` and `warmth` have a row per day and a value per cell, between 0 and 1, as has `runoff`.
// `snow` and `soil` are the state of the cells, before and after, `seeped` is added to.
__global__ void __launch_bounds__(256)
    melt_snow(const float* __restrict__ rain, const float* __restrict__ warmth,
              const float* __restrict__ heights, float* snow, float* soil, float* seeped,
              float* runoff, int cells, int days, Climate climate) {
  int cell = blockIdx.x * blockDim.x + threadIdx.x;
  if (cell >= cells) return;
  float colder = climate.lapse * heights[cell];
  for (int day = 0; day < days; ++day) {
    size_t place = static_cast<size_t>(day) * cells + cell;
    float degrees = 20.0f * warmth[place] - colder;
    float fallen = 30.0f * rain[place];
    float water = 0;
    if (degrees < 0) {
      snow[cell] += fallen;
    } else {
      float melted = fminf(snow[cell], climate.melt * degrees);
      snow[cell] -= melted;
      water = fallen + melted;
    }
    float used = fminf(soil[cell], 0.2f * fmaxf(degrees, 0.0f));
    soil[cell] += water - used;
    float seeping = climate.drain * soil[cell];
    soil[cell] -= seeping;
    seeped[cell] += seeping;
    float over = fmaxf(soil[cell] - climate.capacity, 0.0f);
    soil[cell] -= over;
    runoff[place] = over;
  }
}
