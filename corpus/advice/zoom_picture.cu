// A picture enlarged by any factor, with the cubic weights of Mitchell and Netravali.

// The weight of a pixel that is so far away.
__device__ __noinline__ float weight_at(float distance) {
  constexpr float b = 1.0f / 3.0f, c = 1.0f / 3.0f;
  float t = fabsf(distance);
  float tt = t * t;
  float near_by = (12.0f - 9.0f * b - 6.0f * c) * tt * t + (-18.0f + 12.0f * b + 6.0f * c) * tt;
  near_by += 6.0f - 2.0f * b;
  float further = (-b - 6.0f * c) * tt * t + (6.0f * b + 30.0f * c) * tt;
  further += (-12.0f * b - 48.0f * c) * t + 8.0f * b + 24.0f * c;
  float weight = t < 1.0f ? near_by : t < 2.0f ? further : 0.0f;
  return weight * (1.0f / 6.0f);
}

__global__ void zoom_picture(const float* __restrict__ in, float* __restrict__ out, int in_width,
                             int in_height, int width, int height, float step) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float fx = static_cast<float>(x) * step;
  float fy = static_cast<float>(y) * step;
  int left = static_cast<int>(fx) - 1;
  int top = static_cast<int>(fy) - 1;

  float sum = 0, total = 0;
  for (int dy = 0; dy < 4; ++dy) {
    int row = min(max(top + dy, 0), in_height - 1);
    float vertical = weight_at(fy - static_cast<float>(top + dy));
    for (int dx = 0; dx < 4; ++dx) {
      int column = min(max(left + dx, 0), in_width - 1);
      float weight = vertical * weight_at(fx - static_cast<float>(left + dx));
      sum += weight * in[row * in_width + column];
      total += weight;
    }
  }
  out[y * width + x] = __fdividef(sum, total);
}
