// The median of the nine pixels around each, by sorting them; beyond the edge the nearest pixel
// counts.

__global__ void window_medians(const float* __restrict__ in, float* __restrict__ out, int width,
                               int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;

  float window[9];
  int count = 0;
#pragma unroll
  for (int dy = -1; dy <= 1; ++dy) {
    int row = min(max(y + dy, 0), height - 1);
#pragma unroll
    for (int dx = -1; dx <= 1; ++dx) {
      int column = min(max(x + dx, 0), width - 1);
      window[count++] = in[row * width + column];
    }
  }

#pragma unroll
  for (int k = 1; k < 9; ++k) {
    float value = window[k];
    int place = k;
    while (place > 0 && window[place - 1] > value) {
      window[place] = window[place - 1];
      --place;
    }
    window[place] = value;
  }

  float median = window[4];
  out[y * width + x] = median;
}
