// Options that are void once the price has fallen below a barrier, by simulation: each thread
// follows some random paths of the price, and their mirror images.

__device__ __forceinline__ unsigned next_word(unsigned& state) {
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return state;
}

__device__ __forceinline__ float unit(unsigned word) {
  return static_cast<float>((word >> 8) + 1) * (1.0f / 16777217.0f);
}

__global__ void barrier_options(float* __restrict__ payoffs, int* __restrict__ survivors,
                                unsigned seed, float strike, float barrier, float drift,
                                float deviation, int paths, int steps) {
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned state = (thread + 1) * 0x9e3779b9u ^ seed;
  float sum = 0;
  int alive = 0;

  for (int path = 0; path < paths; ++path) {
    float up = 0, down = 0;
    float lowest_up = 0, lowest_down = 0;
    for (int step = 0; step < steps; step += 2) {
      float radius = deviation * sqrtf(-2.0f * __logf(unit(next_word(state))));
      float angle = 6.2831853f * unit(next_word(state));
      float first = radius * __cosf(angle), second = radius * __sinf(angle);
      up += drift + first;
      down += drift - first;
      lowest_up = fminf(lowest_up, up);
      lowest_down = fminf(lowest_down, down);
      up += drift + second;
      down += drift - second;
      lowest_up = fminf(lowest_up, up);
      lowest_down = fminf(lowest_down, down);
    }
    if (lowest_up > barrier) {
      sum += fmaxf(__expf(up) - strike, 0.0f);
      ++alive;
    }
    if (lowest_down > barrier) {
      sum += fmaxf(__expf(down) - strike, 0.0f);
      ++alive;
    }
  }
  payoffs[thread] = 0.5f * sum / static_cast<float>(paths);
  survivors[thread] = alive;
}
