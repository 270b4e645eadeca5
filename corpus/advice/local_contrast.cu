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
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  size_t place = static_cast<size_t>(y) * width + x;
  bool inside = x < width - 2 * kReach && y < height - 2 * kReach;
  if (!inside) {
    out[place] = 0;
    return;
  }

  float sum = 0;
  float squares = 0;
  float greatest = 0;
#pragma unroll
  for (int dy = 0; dy <= 2 * kReach; ++dy) {
#pragma unroll
    for (int dx = 0; dx <= 2 * kReach; ++dx) {
      float value = in[place + dy * width + dx];
      sum += value;
      squares += value * value;
    }
  }

  float centre = in[place + kReach * width + kReach];
  float result = contrast(centre, sum, squares);
  if (result < greatest) {
    result *= 0.5f;
  }
  out[place] = result;
}
