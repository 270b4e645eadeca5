// A step of Gaussian elimination with many right-hand sides: subtracts multiples of the pivot's row
// from all rows below it, and the same multiples from the right-hand sides. A thread takes four
// rows of one column.

constexpr int kRows = 4;  // per thread

__global__ void eliminate_rows(const float* __restrict__ multipliers,
                               const float* __restrict__ pivot_row, float* __restrict__ matrix,
                               float* __restrict__ right, int size, int sides, int step) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  int first = (blockIdx.y * blockDim.y + threadIdx.y) * kRows;
  if (column >= size + sides) return;
  bool is_side = column >= size;
  if (!is_side && column < step) return;
  float* target = is_side ? right + column - size : matrix + column;
  int pitch = is_side ? sides : size;
  float pivot = pivot_row[column];
#pragma unroll
  for (int k = 0; k < kRows; ++k) {
    int row = first + k;
    if (row > step && row < size) {
      float* place = target + static_cast<size_t>(row) * pitch;
      *place -= multipliers[row] * pivot;
    }
  }
}
