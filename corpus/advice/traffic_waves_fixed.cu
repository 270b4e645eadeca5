// Traffic on ring roads (Lighthill, Whitham and Richards): the density of cars in the cells of each
// road is stepped by Godunov's method of second order. A block per road, a thread per cell.

constexpr int kCells = 256;

// The slope of the density in a cell, by van Leer's limiter.
__device__ __forceinline__ float limited_slope(float before, float here, float after) {
  float left = here - before;
  float right = after - here;
  float product = left * right;
  return product > 0 ? __fdividef(2.0f * product, left + right) : 0.0f;
}

// Cars that pass a border: no more than come, and no more than find room.
__device__ __forceinline__ float passing(float upstream, float downstream, float speed) {
  float sending = fminf(upstream, 0.5f);
  float receiving = fmaxf(downstream, 0.5f);
  return speed * fminf(sending * (1.0f - sending), receiving * (1.0f - receiving));
}

__global__ void __launch_bounds__(kCells)
    traffic_waves(const float* __restrict__ densities, const float* __restrict__ speeds,
                  float* __restrict__ results, int steps, float ratio) {
  __shared__ float density[kCells];
  __shared__ float lower[kCells];
  __shared__ float flow[kCells];
  const int cell = threadIdx.x;
  const int before = (cell + kCells - 1) % kCells;
  const int after = (cell + 1) % kCells;
  const int place = blockIdx.x * kCells + cell;
  float here = densities[place];
  const float speed = 0.5f + 0.5f * speeds[place];
  density[cell] = here;
  __syncthreads();

  for (int step = 0; step < steps; ++step) {
    float slope = limited_slope(density[before], here, density[after]);
    float half = 0.5f * (1.0f - ratio * speed) * slope;
    lower[cell] = here - half;
    __syncthreads();
    float out = passing(here + half, lower[after], speed);
    flow[cell] = out;
    __syncthreads();
    here += ratio * (flow[before] - out);
    here = fminf(fmaxf(here, 0.0f), 1.0f);
    density[cell] = here;
    __syncthreads();
  }
  results[place] = here;
}
