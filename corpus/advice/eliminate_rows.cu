// A step of Gaussian elimination with many right-hand sides: subtracts multiples of the pivot's row
// from all rows below it, and the same multiples from the right-hand sides. What is left of an
// element after cancellation, below the drop tolerance, is noise and becomes zero. A thread takes
// four rows of one column.

constexpr int kRows = 4;  // per thread

struct System {
  int size, sides;  // of the matrix, and right-hand sides
  int step;         // the pivot's row and column
  float drop;
};

__device__ __forceinline__ float reduced(float value, float multiplier, float pivot, float drop) {
  float rest = value - multiplier * pivot;
  return fabsf(rest) < drop ? 0.0f : rest;
}

__global__ void eliminate_rows(const float* __restrict__ multipliers,
                               const float* __restrict__ pivot_row, float* __restrict__ matrix,
                               float* __restrict__ right, System system) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  int first = (blockIdx.y * blockDim.y + threadIdx.y) * kRows;
  if (column >= system.size + system.sides) return;
  bool is_side = column >= system.size;
  if (!is_side && column < system.step) return;
  float* target = is_side ? right + column - system.size : matrix + column;
  int pitch = is_side ? system.sides : system.size;
  float pivot = pivot_row[column];
#pragma unroll
  for (int k = 0; k < kRows; ++k) {
    int row = first + k;
    if (row > system.step && row < system.size) {
      float* place = target + static_cast<size_t>(row) * pitch;
      *place = reduced(*place, multipliers[row], pivot, system.drop);
    }
  }
}
