// Kernels for the tests of advice: each has one thing to say about it, or to keep silent about.

// An array that registers cannot hold, for its own elements say how far the inner loop runs.
extern "C" __global__ void sorts(const float *in, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float window[9];
  for (int k = 0; k < 9; ++k) window[k] = in[9 * i + k];
  for (int k = 1; k < 9; ++k) {
    float value = window[k];
    int j = k - 1;
    while (j >= 0 && window[j] > value) {
      window[j + 1] = window[j];
      --j;
    }
    window[j + 1] = value;
  }
  out[i] = window[4];
}

// More values than the 32 registers that its launch bounds leave.
extern "C" __global__ void __launch_bounds__(1024, 2) spills(const float *in, float *out, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float values[48];
#pragma unroll
  for (int k = 0; k < 48; ++k) values[k] = in[48 * i + k];
#pragma unroll 1
  for (int r = 0; r < rounds; ++r) {
#pragma unroll
    for (int k = 0; k < 48; ++k) values[k] = values[k] * values[(k + 7) % 48] + 0.5f;
  }
#pragma unroll
  for (int k = 0; k < 48; ++k) out[48 * i + k] = values[k];
}

// Neighbours weighed by their distance: an exponential for each pair of result and element.
extern "C" __global__ void weighs(const float *in, float *out, int width, int height, int radius, float scale) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0;
  for (int dy = -radius; dy <= radius; ++dy) {
    for (int dx = -radius; dx <= radius; ++dx) {
      int at = min(max(y + dy, 0), height - 1) * width + min(max(x + dx, 0), width - 1);
      sum += __expf(scale * dx * dx) * __expf(scale * dy) * __expf(scale * dx * dy) * in[at];
    }
  }
  out[y * width + x] = sum;
}

// Rows of loaded lengths: lanes leave the loop one by one.
extern "C" __global__ void adds_rows(const int *length, const float *in, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  int n = length[i];
  for (int k = 0; k < n; ++k) {
    float v = in[(k * 4096 + i) & 0xfffff];
    sum += sqrtf(v * v + 1.0f) / (v + 3.0f);
  }
  out[i] = sum;
}

// Tiles through one buffer with two barriers, and through two buffers with one.
extern "C" __global__ void one_buffer(const float *in, float *out, int tiles) {
  __shared__ float tile[256];
  float sum = 0;
  for (int t = 0; t < tiles; ++t) {
    tile[threadIdx.x] = in[(t * gridDim.x + blockIdx.x) * 256 + threadIdx.x];
    __syncthreads();
    for (int k = 0; k < 8; ++k) sum += tile[(threadIdx.x * 5 + k) & 255];
    __syncthreads();
  }
  out[blockIdx.x * 256 + threadIdx.x] = sum;
}
extern "C" __global__ void two_buffers(const float *in, float *out, int tiles) {
  __shared__ float tile[2][256];
  float sum = 0;
  for (int t = 0; t < tiles; ++t) {
    tile[t & 1][threadIdx.x] = in[(t * gridDim.x + blockIdx.x) * 256 + threadIdx.x];
    __syncthreads();
    for (int k = 0; k < 8; ++k) sum += tile[t & 1][(threadIdx.x * 5 + k) & 255];
  }
  out[blockIdx.x * 256 + threadIdx.x] = sum;
}

// All threads go through the block's list, whose length is loaded.
extern "C" __global__ void adds_list(const int *length, const float *list, float *out) {
  float sum = 0;
  int n = length[blockIdx.x];
  for (int k = 0; k < n; ++k) sum += list[blockIdx.x * 256 + k] * (threadIdx.x + k);
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
