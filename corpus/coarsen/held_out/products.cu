// Matrix products (kind sgemm).

// Tiles of 16×16 with zeros beyond the edges.
__global__ void sgemm_tiled(const float* __restrict__ a, const float* __restrict__ b,
                            float* __restrict__ c, int rows, int columns, int depth) {
  __shared__ float left[16][16], right[16][17];
  int tx = threadIdx.x, ty = threadIdx.y;
  int x = blockIdx.x * 16 + tx, y = blockIdx.y * 16 + ty;
  float sum = 0;
  for (int first = 0; first < depth; first += 16) {
    left[ty][tx] = y < rows && first + tx < depth ? a[y * depth + first + tx] : 0.0f;
    right[ty][tx] = first + ty < depth && x < columns ? b[(first + ty) * columns + x] : 0.0f;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; ++k) sum += left[ty][k] * right[k][tx];
    __syncthreads();
  }
  if (y < rows && x < columns) c[y * columns + x] = sum;
}

// Four rows per thread in registers, tiles of 16×16.
__global__ void sgemm_registers(const float* __restrict__ a, const float* __restrict__ b,
                                float* __restrict__ c, int n) {
  __shared__ float left[16][16], right[16][16];
  int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 16 + tx, y = blockIdx.y * 16 + ty;
  float sums[4] = {};
  for (int first = 0; first < n; first += 16) {
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      left[ty + 4 * j][tx] = a[(y + 4 * j) * n + first + tx];
      right[ty + 4 * j][tx] = b[(first + ty + 4 * j) * n + x];
    }
    __syncthreads();
    for (int k = 0; k < 16; ++k) {
      float value = right[k][tx];
#pragma unroll
      for (int j = 0; j < 4; ++j) sums[j] += left[ty + 4 * j][k] * value;
    }
    __syncthreads();
  }
#pragma unroll
  for (int j = 0; j < 4; ++j) c[(y + 4 * j) * n + x] = sums[j];
}

// A batch of small products, one per z.
__global__ void sgemm_batched(const float* __restrict__ a, const float* __restrict__ b,
                              float* __restrict__ c, int n) {
  __shared__ float left[8][8], right[8][8];
  int base = blockIdx.z * n * n, tx = threadIdx.x, ty = threadIdx.y;
  int x = blockIdx.x * 8 + tx, y = blockIdx.y * 8 + ty;
  float sum = 0;
  for (int first = 0; first < n; first += 8) {
    left[ty][tx] = a[base + y * n + first + tx];
    right[ty][tx] = b[base + (first + ty) * n + x];
    __syncthreads();
    for (int k = 0; k < 8; ++k) sum += left[ty][k] * right[k][tx];
    __syncthreads();
  }
  c[base + y * n + x] = sum;
}
