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
  float snow_here = snow[cell], soil_here = soil[cell], seeped_here = seeped[cell];
  for (int day = 0; day < days; ++day) {
    size_t place = static_cast<size_t>(day) * cells + cell;
    float degrees = 20.0f * warmth[place] - colder;
    float fallen = 30.0f * rain[place];
    float water = 0;
    if (degrees < 0) {
      snow_here += fallen;
    } else {
      float melted = fminf(snow_here, climate.melt * degrees);
      snow_here -= melted;
      water = fallen + melted;
    }
    float used = fminf(soil_here, 0.2f * fmaxf(degrees, 0.0f));
    soil_here += water - used;
    float seeping = climate.drain * soil_here;
    soil_here -= seeping;
    seeped_here += seeping;
    float over = fmaxf(soil_here - climate.capacity, 0.0f);
    soil_here -= over;
    runoff[place] = over;
  }
  snow[cell] = snow_here;
  soil[cell] = soil_here;
  seeped[cell] = seeped_here;
}
