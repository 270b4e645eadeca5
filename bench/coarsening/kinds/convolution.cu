// A filter of 5 by 5 over an image; pixels outside count as zero.
__global__ void convolution(const float* image, const float* filter, float* result, int n) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= n || y >= n) return;
  float sum = 0;
  for (int j = 0; j < 5; ++j) {
    for (int i = 0; i < 5; ++i) {
      const int column = x + i - 2;
      const int row = y + j - 2;
      if (column >= 0 && column < n && row >= 0 && row < n) sum += filter[j * 5 + i] * image[row * n + column];
    }
  }
  result[y * n + x] = sum;
}
