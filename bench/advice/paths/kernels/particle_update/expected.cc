#include <cstddef>

extern "C" void expected(void** arguments) {
  float* particles = *(float**)arguments[0];
  const size_t n = *(int*)arguments[1];
  const float dt = *(float*)arguments[2], gravity = *(float*)arguments[3];
#pragma omp parallel for
  for (size_t i = 0; i < n; ++i) {
    float *position = particles + 8 * i, *velocity = position + 3;
    velocity[2] -= gravity * dt;
    for (int axis = 0; axis < 3; ++axis) {
      position[axis] += velocity[axis] * dt;
      if (position[axis] < 0 || position[axis] > 1) velocity[axis] = -velocity[axis];
    }
  }
}
