// Dense linear algebra on row-major matrices of any size.

#include <cuda_fp16.h>

constexpr unsigned kAll = 0xffffffff;

// y = A·x with a warp per row: strided loads and a shuffle reduction.
__global__ void matrix_vector(const float* __restrict__ a, const float* __restrict__ x,
                              float* __restrict__ y, int rows, int columns) {
  int lane = threadIdx.x % 32;
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (row >= rows) return;
  float sum = 0;
  for (int j = lane; j < columns; j += 32) sum += a[row * columns + j] * x[j];
  for (int delta = 16; delta > 0; delta /= 2) sum += __shfl_down_sync(kAll, sum, delta);
  if (lane == 0) y[row] = sum;
}

// C = A·B with 16×16 tiles in shared memory and zeros beyond the edges; blocks of 16×16 threads.
template <typename T>
__device__ void product_tiled(const T* __restrict__ a, const T* __restrict__ b, T* __restrict__ c,
                              int m, int n, int k) {
  constexpr int kTile = 16;
  __shared__ T tile_a[kTile][kTile];
  __shared__ T tile_b[kTile][kTile];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * kTile + ty;
  int column = blockIdx.x * kTile + tx;
  T sum = 0;
  for (int base = 0; base < k; base += kTile) {
    tile_a[ty][tx] = row < m && base + tx < k ? a[row * k + base + tx] : T(0);
    tile_b[ty][tx] = column < n && base + ty < k ? b[(base + ty) * n + column] : T(0);
    __syncthreads();
    for (int i = 0; i < kTile; ++i) sum += tile_a[ty][i] * tile_b[i][tx];
    __syncthreads();
  }
  if (row < m && column < n) c[row * n + column] = sum;
}

__global__ void product_f32(const float* a, const float* b, float* c, int m, int n, int k) {
  product_tiled(a, b, c, m, n, k);
}

__global__ void product_f64(const double* a, const double* b, double* c, int m, int n, int k) {
  product_tiled(a, b, c, m, n, k);
}

// C = A·B with 64×64 tiles and 4×4 results in the registers of each thread; blocks of 16×16.
__global__ void __launch_bounds__(256)
    product_registers(const float* __restrict__ a, const float* __restrict__ b,
                      float* __restrict__ c, int m, int n, int k) {
  constexpr int kTile = 64, kDepth = 8, kEach = 4;
  __shared__ __align__(16) float tile_a[kDepth][kTile + 4];  // columns of A, padded by a float4
  __shared__ __align__(16) float tile_b[kDepth][kTile];
  int tx = threadIdx.x, ty = threadIdx.y;
  int thread = ty * 16 + tx;
  int row0 = blockIdx.y * kTile, column0 = blockIdx.x * kTile;
  float sum[kEach][kEach] = {};
  for (int base = 0; base < k; base += kDepth) {
    for (int e = thread; e < kTile * kDepth; e += 256) {
      int r = e / kDepth, d = e % kDepth;
      tile_a[d][r] = row0 + r < m && base + d < k ? a[(row0 + r) * k + base + d] : 0.0f;
    }
    for (int e = thread; e < kTile * kDepth; e += 256) {
      int d = e / kTile, col = e % kTile;
      tile_b[d][col] = column0 + col < n && base + d < k ? b[(base + d) * n + column0 + col] : 0.0f;
    }
    __syncthreads();
#pragma unroll
    for (int d = 0; d < kDepth; ++d) {
      float4 u = *reinterpret_cast<const float4*>(&tile_a[d][ty * kEach]);
      float4 v = *reinterpret_cast<const float4*>(&tile_b[d][tx * kEach]);
      float left[kEach] = {u.x, u.y, u.z, u.w};
      float right[kEach] = {v.x, v.y, v.z, v.w};
#pragma unroll
      for (int i = 0; i < kEach; ++i) {
#pragma unroll
        for (int j = 0; j < kEach; ++j) sum[i][j] += left[i] * right[j];
      }
    }
    __syncthreads();
  }
  for (int i = 0; i < kEach; ++i) {
    for (int j = 0; j < kEach; ++j) {
      int row = row0 + ty * kEach + i, column = column0 + tx * kEach + j;
      if (row < m && column < n) c[row * n + column] = sum[i][j];
    }
  }
}

// C = A·B in packed halves: each thread makes two neighbouring columns with HFMA2; n is even.
__global__ void product_half2(const __half* __restrict__ a, const __half2* __restrict__ b,
                              __half2* __restrict__ c, int m, int n, int k) {
  int pairs = n / 2;
  int pair = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (pair >= pairs || row >= m) return;
  __half2 sum = __float2half2_rn(0.0f);
  for (int i = 0; i < k; ++i) {
    sum = __hfma2(__half2half2(a[row * k + i]), b[i * pairs + pair], sum);
  }
  c[row * pairs + pair] = sum;
}

// y = A·x with A symmetric and only its lower half stored: triangular index arithmetic in 64 bits.
__global__ void symmetric_vector(const double* __restrict__ lower, const double* __restrict__ x,
                                 double* __restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double sum = 0;
  for (int j = 0; j < n; ++j) {
    long long high = i > j ? i : j, low = i > j ? j : i;
    sum += lower[high * (high + 1) / 2 + low] * x[j];
  }
  y[i] = sum;
}
