// Checks the recorded poses of a robot against its map: from each pose, the beams of its laser
// scanner are followed through the map to the first occupied cell, and the distances compared with
// the recorded ones. The map has two bits per cell, 3 is occupied; its edges wrap around.

constexpr int kWidth = 512, kHeight = 256, kThreads = 128;
constexpr int kWords = kWidth * kHeight / 16;

struct Scanner {
  float turn_cos, turn_sin;  // rotation from beam to beam
  int farthest;              // range, in cells
  float noise;               // inverse of the error of a range
};

__device__ __forceinline__ bool occupied(const unsigned* map, float x, float y) {
  int column = __float2int_rd(x) & (kWidth - 1), row = __float2int_rd(y) & (kHeight - 1);
  int cell = row * kWidth + column;
  return (map[cell >> 4] >> (2 * (cell & 15)) & 3) == 3;
}

// `poses` are x, y and the sine of half the heading, in [0, 1); `ranges` has a row per beam, with a
// range per pose, in [0, 1) of the farthest.
__global__ void __launch_bounds__(kThreads)
    check_scans(const unsigned* __restrict__ cells, const float* __restrict__ poses,
                const float* __restrict__ ranges, float* __restrict__ misfits, int count,
                int beams, Scanner scanner) {
  __shared__ unsigned map[kWords];
  for (int k = threadIdx.x; k < kWords; k += kThreads) map[k] = cells[k];
  __syncthreads();
  int pose = blockIdx.x * kThreads + threadIdx.x;
  if (pose >= count) return;

  float x = poses[pose] * kWidth, y = poses[count + pose] * kHeight;
  float half = poses[2 * count + pose];
  float dx = 1.0f - 2.0f * half * half, dy = 2.0f * half * sqrtf(1.0f - half * half);
  float misfit = 0;
  for (int beam = 0; beam < beams; ++beam) {
    float measured = ranges[static_cast<size_t>(beam) * count + pose];
    int steps = 1;
    float at_x = x + dx, at_y = y + dy;
    while (steps < scanner.farthest && !occupied(map, at_x, at_y)) {
      at_x += dx;
      at_y += dy;
      ++steps;
    }
    float error = scanner.noise * (steps - measured * scanner.farthest);
    misfit += fminf(error * error, 4.0f);
    float turned = dx * scanner.turn_cos - dy * scanner.turn_sin;
    dy = dx * scanner.turn_sin + dy * scanner.turn_cos;
    dx = turned;
  }
  misfits[pose] = misfit;
}
