#pragma once

__device__ inline float smaller(float a, float b) {
  return a < b ? a : b;
}

__device__ inline float clamp_to(float x, float limit) {
  return smaller(smaller(x, limit), 6.0f);
}
