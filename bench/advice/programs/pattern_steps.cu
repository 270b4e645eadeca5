// launch-overhead: two reacting substances on a ring of 1024 places, 200 steps. The slow sequence launches
// each step, which takes a fraction of what a launch does; the fixed one takes all steps in one launch.

#include "sequence.h"

constexpr int kPlaces = 1024;
constexpr int kSteps = 200;

__device__ void step(const float* u, const float* v, float* next_u, float* next_v, int i) {
  int left = i > 0 ? i - 1 : kPlaces - 1;
  int right = i + 1 < kPlaces ? i + 1 : 0;
  float a = u[i];
  float b = v[i];
  float spread_a = u[left] + u[right] - 2.0f * a;
  float spread_b = v[left] + v[right] - 2.0f * b;
  float reaction = a * b * b;
  float feed = 0.035f * (1.0f - a);
  float kill = (0.035f + 0.065f) * b;
  next_u[i] = a + 0.16f * spread_a - reaction + feed;
  next_v[i] = b + 0.08f * spread_b + reaction - kill;
}

// Both substances stand in one buffer, those before the step in one half of it.
__global__ void pattern_step(float* fields, int from) {
  const float* u = fields + 2 * kPlaces * from;
  const float* v = u + kPlaces;
  float* next_u = fields + 2 * kPlaces * (1 - from);
  float* next_v = next_u + kPlaces;
  step(u, v, next_u, next_v, threadIdx.x);
}

__global__ void pattern_steps(float* fields, int steps) {
  for (int k = 0; k < steps; ++k) {
    int from = k % 2;
    float* u = fields + 2 * kPlaces * from;
    float* next_u = fields + 2 * kPlaces * (1 - from);
    step(u, u + kPlaces, next_u, next_u + kPlaces, threadIdx.x);
    __syncthreads();
  }
}

int main(int argc, char** argv) {
  float* original = filled(4 * kPlaces, 7);
  float* fields = filled(4 * kPlaces, 7);
  auto prepare = [&] {
    size_t bytes = 4 * kPlaces * sizeof(float);
    check(cudaMemcpy(fields, original, bytes, cudaMemcpyDeviceToDevice));
  };
  auto slow = [&] {
    for (int k = 0; k < kSteps; ++k) pattern_step<<<1, kPlaces>>>(fields, k % 2);
  };
  auto fixed = [&] { pattern_steps<<<1, kPlaces>>>(fields, kSteps); };
  return run_sequences(argc, argv, prepare, slow, fixed, fields, 4 * kPlaces);
}
