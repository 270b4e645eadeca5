// Rows of up to 2048 values against a profile: each warp sums its share of the row at a shift of
// its own. A block takes `each` rows in turn, through shared memory.

__global__ void scaled_sums(const float* __restrict__ rows, const float* __restrict__ profile,
                            float* __restrict__ sums, int columns, int each) {
  __shared__ float stage[2048];
  int lane = threadIdx.x % 32;
  int warp = threadIdx.x / 32;
  int warps = blockDim.x / 32;

  for (int number = 0; number < each; ++number) {
    int row = blockIdx.x * each + number;
    size_t first = static_cast<size_t>(row) * columns;
    if (warp == 0) {
      for (int k = lane; k < columns; k += 32) {
        stage[k] = rows[first + k];
      }
    }
    __syncthreads();

    float sum = 0;
    for (int k = lane; k < columns; k += 32) {
      int shifted = (k + 32 * warp) & 2047;
      sum += stage[k] * profile[shifted];
    }
    for (int step = 16; step > 0; step /= 2) {
      sum += __shfl_down_sync(0xffffffff, sum, step);
    }
    if (lane == 0) {
      sums[row * warps + warp] = sum;
    }
    __syncthreads();
  }
}
