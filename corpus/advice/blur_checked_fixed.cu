// A filter of 7×7 weights on a picture that is larger than the result by more than the filter
// reaches; weights that fall outside of it are left out.

constexpr int kReach = 3;

__global__ void blur_checked(const float* __restrict__ in, const float* __restrict__ weights,
                             float* __restrict__ out, int width, int height, int in_width,
                             int in_height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  int middle_x = x + 16;
  int middle_y = y + 16;

  float sum = 0;
  float total = 0;
  for (int dy = -kReach; dy <= kReach; ++dy) {
    for (int dx = -kReach; dx <= kReach; ++dx) {
      int column = middle_x + dx;
      int row = middle_y + dy;
      float weight = weights[(dy + kReach) * (2 * kReach + 1) + dx + kReach];
      sum += weight * in[row * in_width + column];
      total += weight;
    }
  }

  float mean = 0;
  if (total > 0) {
    mean = sum / total;
  }
  float clipped = fminf(fmaxf(mean, 0.0f), 1.0f);
  out[y * width + x] = clipped;
}
