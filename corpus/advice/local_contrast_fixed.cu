// Each pixel against mean and spread of the 13×13 pixels around it, in a bordered picture: the
// result is smaller by the border.

constexpr int kReach = 6;
constexpr float kScale = 1.0f / ((2 * kReach + 1) * (2 * kReach + 1));

__device__ __forceinline__ float contrast(float centre, float sum, float squares) {
  float mean = sum * kScale;
  float variance = squares * kScale - mean * mean;
  return (centre - mean) * rsqrtf(fmaxf(variance, 0.0f) + 1e-3f);
}

__global__ void local_contrast(const float* __restrict__ in, float* __restrict__ out, int width,
                               int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  constexpr int kEach = 4;
  int y = (blockIdx.y * blockDim.y + threadIdx.y) * kEach;
  if (x >= width || y >= height) return;
  size_t place = static_cast<size_t>(y) * width + x;
  float sums[kEach] = {};
  float squares[kEach] = {};
  float centres[kEach] = {};
#pragma unroll
  for (int dy = 0; dy < 2 * kReach + kEach; ++dy) {
    float row_sum = 0;
    float row_squares = 0;
#pragma unroll
    for (int dx = 0; dx <= 2 * kReach; ++dx) {
      bool there = x + dx < width && y + dy < height;
      float value = there ? in[place + dy * width + dx] : 0.0f;
      row_sum += value;
      row_squares += value * value;
      if (dx == kReach && dy >= kReach && dy < kReach + kEach) centres[dy - kReach] = value;
    }
#pragma unroll
    for (int e = 0; e < kEach; ++e) {
      if (dy >= e && dy <= e + 2 * kReach) {
        sums[e] += row_sum;
        squares[e] += row_squares;
      }
    }
  }
#pragma unroll
  for (int e = 0; e < kEach; ++e) {
    if (y + e >= height) break;
    bool inside = x < width - 2 * kReach && y + e < height - 2 * kReach;
    float result = contrast(centres[e], sums[e], squares[e]);
    if (result < 0) {
      result *= 0.5f;
    }
    out[place + e * width] = inside ? result : 0;
  }
}
