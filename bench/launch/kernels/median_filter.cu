// The median of 3 × 3 pixels.
__device__ void sort_pair(float& a, float& b) {
  const float low = fminf(a, b);
  b = fmaxf(a, b);
  a = low;
}

__global__ void median_filter(const float* in, float* out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) return;
  float v[9];
#pragma unroll
  for (int i = 0; i < 9; ++i) v[i] = in[(y + i / 3 - 1) * width + x + i % 3 - 1];
  // Five passes of a bubble sort leave the median in place.
#pragma unroll
  for (int pass = 0; pass < 5; ++pass) {
#pragma unroll
    for (int i = 0; i + 1 < 9 - pass; ++i) sort_pair(v[i], v[i + 1]);
  }
  out[y * width + x] = v[4];
}
