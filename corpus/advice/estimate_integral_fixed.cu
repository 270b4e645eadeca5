// A Monte Carlo estimate: how much of a cube lies between two spheres, and the mean radius there.

__device__ __forceinline__ unsigned next_random(unsigned state) {
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return state;
}

__device__ __forceinline__ float unit(unsigned state) {
  return static_cast<float>(state >> 8) * (1.0f / 16777216.0f);
}

__global__ void estimate_integral(int* __restrict__ hits, float* __restrict__ radii, unsigned seed,
                                  int samples) {
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned state = (seed + thread) * 0x9e3779b9u | 1u;
  int inside = 0;
  float radius = 0;

  for (int warm_up = 0; warm_up < 8; ++warm_up) state = next_random(state);
  for (int sample = 0; sample < samples; ++sample) {
    state = next_random(state);
    float x = unit(state);
    state = next_random(state);
    float y = unit(state);
    state = next_random(state);
    float z = unit(state);

    float squared = x * x + y * y + z * z;
    bool between = squared > 0.25f && squared < 1.0f;
    inside += between;
    float counted = between ? squared : 0.0f;
    radius += counted;
  }

  float mean = 0;
  if (inside > 0) {
    mean = radius / static_cast<float>(inside);
  }
  hits[thread] = inside;
  radii[thread] = mean;
}
