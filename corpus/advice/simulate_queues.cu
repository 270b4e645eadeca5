// How long customers wait at a counter, for many rates at which they come: simulated, customer by
// customer, by Lindley's recursion. Each thread has a rate and a stream of random numbers of its
// own, and keeps the mean wait, the longest and how often nobody waited.
#include <cstdint>

struct Counter {
  float mean_service;  // seconds
  float least_load, load_step;
  int rates;
};

struct Waits {
  float mean, longest;
  int none;
};

__device__ __forceinline__ uint32_t next(uint32_t& state) {
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return state;
}

__device__ __forceinline__ float exponential(uint32_t& state, float mean) {
  float uniform = ((next(state) >> 8) + 1) * 5.9604645e-8f;
  return -mean * __logf(uniform);
}

__global__ void __launch_bounds__(1024)
    simulate_queues(Waits* __restrict__ waits, Counter counter, int customers, uint32_t seed) {
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  float load = counter.least_load + counter.load_step * (thread % counter.rates);
  float mean_gap = counter.mean_service / load;
  uint32_t state = (thread + 1) * 2654435761u ^ seed;
  if (state == 0) state = seed;

  float wait = 0, sum = 0, longest = 0;
  int none = 0;
  for (int k = 0; k < customers; ++k) {
    float service = exponential(state, counter.mean_service);
    float gap = exponential(state, mean_gap);
    wait = fmaxf(wait + service - gap, 0.0f);
    sum += wait;
    longest = fmaxf(longest, wait);
    none += wait == 0.0f;
  }
  waits[thread] = {sum / customers, longest, none};
}
