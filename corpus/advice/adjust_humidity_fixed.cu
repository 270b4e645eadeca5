// Clouds in a model of the weather: where air holds more water than it can, some condenses and
// warms it, found by Newton's method. The globe has rows of latitude, of 20 places at the poles and
// four more in each row towards the equator, one row after the other; layers lie above each other.
// A block takes `each` rows.

struct Air {
  float temperature, vapour;  // kelvins above freezing; kilograms per kilogram
};

struct Globe {
  int rows, each, layers, places;  // places of a layer
};

// Where a row begins, counted from its pole.
__device__ __forceinline__ int before(int row) {
  return 20 * row + 2 * row * (row - 1);
}

__device__ __forceinline__ Air adjusted(Air air, float pressure) {
  constexpr float kWarms = 2501.0f;  // kelvins for all the air to condense
  float condensed = 0;
  for (int round = 0; round < 6; ++round) {
    float t = air.temperature + kWarms * condensed;
    float inverse = __fdividef(1.0f, t + 243.5f);
    float saturated = __fdividef(3.8f * __expf(17.67f * t * inverse), pressure);
    float slope = saturated * 4302.6f * inverse * inverse;
    condensed += __fdividef(air.vapour - condensed - saturated, 1.0f + kWarms * slope);
    condensed = fmaxf(condensed, 0.0f);
  }
  return {air.temperature + kWarms * condensed, air.vapour - condensed};
}

__global__ void __launch_bounds__(512)
    adjust_humidity(const Air* __restrict__ airs, Air* __restrict__ results, Globe globe) {
  for (int k = 0; k < globe.each; ++k) {
    int row = k * gridDim.x + blockIdx.x;
    if (row >= globe.rows) return;
    int to_pole = min(row, globe.rows - 1 - row), length = 20 + 4 * to_pole;
    int first = row == to_pole ? before(row) : globe.places - before(to_pole + 1);
    for (int layer = threadIdx.y; layer < globe.layers; layer += blockDim.y) {
      size_t start = static_cast<size_t>(layer) * globe.places + first;
      float pressure = 1000.0f - 40.0f * layer;
      for (int x = threadIdx.x; x < length; x += blockDim.x) {
        Air air = airs[start + x];
        air = {40.0f * air.temperature - 20.0f, 0.02f * air.vapour};
        results[start + x] = adjusted(air, pressure);
      }
    }
  }
}
