// Sums of 8192 elements each: one for each block.
__global__ void reduce(const int* values, int* sums) {
  __shared__ int partial[block_size_x];
  const int* mine = values + (size_t)blockIdx.x * 8192;
  int sum = 0;
  for (int i = threadIdx.x; i < 8192; i += block_size_x) {
    sum += mine[i];
  }
  partial[threadIdx.x] = sum;
  __syncthreads();
  for (int half = block_size_x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = partial[0];
}
