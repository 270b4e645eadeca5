// C = Aᵀ·B: a block makes 64×128 elements of C, a thread 8×8 of them in registers.

constexpr int kRows = 64, kColumns = 128, kDepth = 8, kEach = 8;

__global__ void __launch_bounds__(128)
    product_tiles(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c,
                  int m, int n, int depth) {
  __shared__ float rows[kDepth][kRows];
  __shared__ float columns[kDepth][kColumns];
  int row = blockIdx.y * kRows, column = blockIdx.x * kColumns;
  int ty = threadIdx.x / 16, tx = threadIdx.x % 16;
  float sums[kEach][kEach] = {};

  for (int base = 0; base < depth; base += kDepth) {
    for (int k = threadIdx.x; k < kDepth * kRows; k += 128) {
      rows[k / kRows][k % kRows] = a[(base + k / kRows) * m + row + k % kRows];
    }
    for (int k = threadIdx.x; k < kDepth * kColumns; k += 128) {
      columns[k / kColumns][k % kColumns] = b[(base + k / kColumns) * n + column + k % kColumns];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kDepth; ++k) {
      float left[kEach], right[kEach];
#pragma unroll
      for (int i = 0; i < kEach; ++i) left[i] = rows[k][ty * kEach + i];
#pragma unroll
      for (int j = 0; j < kEach; ++j) right[j] = columns[k][tx + 16 * j];
#pragma unroll
      for (int i = 0; i < kEach; ++i) {
#pragma unroll
        for (int j = 0; j < kEach; ++j) {
          sums[i][j] += left[i] * right[j];
        }
      }
    }
    __syncthreads();
  }

#pragma unroll
  for (int i = 0; i < kEach; ++i) {
#pragma unroll
    for (int j = 0; j < kEach; ++j) {
      c[(row + ty * kEach + i) * n + column + tx + 16 * j] = sums[i][j];
    }
  }
}
