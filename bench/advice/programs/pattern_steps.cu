// launch-overhead: two reacting substances on a ring of 1024 places, 1600 steps. The slow sequence
// takes 16 steps in a launch, which are over almost as soon as they have begun; the fixed one takes
// all in one.

#include "sequence.h"

constexpr int kPlaces = 1024;
constexpr int kSteps = 1600;
constexpr int kAtOnce = 16;

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

// Both substances stand in one buffer, those before the step in one half of it; `steps` is even.
__global__ void pattern_steps(float* fields, int steps) {
  for (int k = 0; k < steps; ++k) {
    int from = k % 2;
    const float* u = fields + 2 * kPlaces * from;
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
    for (int k = 0; k < kSteps; k += kAtOnce) pattern_steps<<<1, kPlaces>>>(fields, kAtOnce);
  };
  auto fixed = [&] { pattern_steps<<<1, kPlaces>>>(fields, kSteps); };
  return run_sequences(argc, argv, prepare, slow, fixed, fields, 4 * kPlaces);
}
