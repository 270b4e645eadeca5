// Particles of two kinds in turn, an ion and an electron each: ions drift with friction, electrons
// gyrate.

__global__ void mixed_particles(const float* __restrict__ positions,
                                const float* __restrict__ velocities, float* __restrict__ moved,
                                int count, int steps) {
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  if (thread >= count) return;
  int half = count / 2;
  int i = thread < half ? 2 * thread : 2 * (thread - half) + 1;
  float x = positions[i];
  float v = velocities[i];
  float step = 0.01f;

  if (i % 2 == 0) {
    float drag = 0.05f;
    for (int k = 0; k < steps; ++k) {
      float force = 0.5f - x;
      drag = 0.05f + 0.01f * v * v;
      v += step * (force - drag * v);
      x += step * v;
      x = fminf(fmaxf(x, 0.0f), 1.0f);
    }
  } else {
    float swing = 0.9f;
    for (int k = 0; k < steps; ++k) {
      float turned = swing * v - 0.3f * x;
      swing = 0.9f + 0.05f * x;
      x = swing * x + 0.3f * turned;
      v = turned;
      x *= 0.999f;
    }
  }
  moved[i] = x + 0.125f * v;
}
