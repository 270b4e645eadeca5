// How hot the air feels (the heat index of Rothfusz) in each cell of a weather model, from the
// temperature and the relative humidity. Both come as fractions of their ranges.

struct Range {
  float low, high;
};

__device__ __forceinline__ float within(float fraction, Range range) {
  return range.low + fraction * (range.high - range.low);
}

// In degrees Fahrenheit and percent.
__device__ __forceinline__ float felt(float t, float h) {
  float linear = -42.379f + 2.04901523f * t + 10.14333127f * h;
  float mixed = -0.22475541f * t * h;
  float squares = -6.83783e-3f * t * t - 5.481717e-2f * h * h;
  float higher = t * h * (1.22874e-3f * t + 8.5282e-4f * h - 1.99e-6f * t * h);
  return linear + mixed + squares + higher;
}

__global__ void heat_indices(const float* __restrict__ temperatures,
                             const float* __restrict__ humidities, float* __restrict__ indices,
                             int cells) {
  int cell = blockIdx.x * blockDim.x + threadIdx.x;
  if (cell >= cells) return;

  float temperature = within(temperatures[cell], Range{60.0f, 110.0f});
  float humidity = within(humidities[cell], Range{20.0f, 95.0f});
  // Below 80 degrees the fit does not hold and a simple mean does.
  float simple = 0.5f * (temperature + 61.0f + (temperature - 68.0f) * 1.2f + humidity * 0.094f);
  float index = simple < 80.0f ? simple : felt(temperature, humidity);
  indices[cell] = (index - 32.0f) * 0.5555556f;
}
