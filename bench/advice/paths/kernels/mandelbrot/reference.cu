// Hand-written. Pixels inside the main cardioid and the disc to its left never leave and are not iterated. The others
// are checked once in eight iterations; the group in which one left is repeated step by step. Blocks of 8 × 4 pixels
// per warp keep neighbours, which leave at similar times, together.
#include <cuda_runtime.h>

namespace {
__device__ void step(float &x, float &y, float cx, float cy) {
  const float t = fmaf(x, x, fmaf(-y, y, cx));
  y = fmaf(x + x, y, cy);
  x = t;
}

__global__ void __launch_bounds__(128)
    iterate(int *__restrict__ out, int width, int height, float x_min, float y_min, float x_max, float y_max,
            int max_iterations) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int px = blockIdx.x * 16 + warp % 2 * 8 + lane % 8;
  const int py = blockIdx.y * 8 + warp / 2 * 4 + lane / 8;
  if (px >= width || py >= height) return;
  const float cx = x_min + (x_max - x_min) * px / width, cy = y_min + (y_max - y_min) * py / height;
  int n = 0;
  const float p = cx - 0.25f, q = p * p + cy * cy;
  const bool never_leaves =
      q * (q + p) < 0.25f * cy * cy || (cx + 1.0f) * (cx + 1.0f) + cy * cy < 0.0625f;
  if (never_leaves) {
    n = max_iterations;
  } else {
    float x = 0, y = 0;
    while (n + 8 <= max_iterations) {
      const float old_x = x, old_y = y;
#pragma unroll
      for (int k = 0; k < 8; ++k) step(x, y, cx, cy);
      if (!(x * x + y * y <= 4.0f)) {  // also when it has become infinite or NaN
        x = old_x, y = old_y;
        break;
      }
      n += 8;
    }
    while (n < max_iterations && x * x + y * y <= 4.0f) {
      step(x, y, cx, cy);
      ++n;
    }
  }
  out[(size_t)py * width + px] = n;
}
}  // namespace

extern "C" void launch(void **arguments, cudaStream_t stream) {
  const int width = *(int *)arguments[1], height = *(int *)arguments[2];
  const dim3 grid((width + 15) / 16, (height + 7) / 8);
  iterate<<<grid, 128, 0, stream>>>(*(int **)arguments[0], width, height, *(float *)arguments[3],
                                    *(float *)arguments[4], *(float *)arguments[5], *(float *)arguments[6],
                                    *(int *)arguments[7]);
}
