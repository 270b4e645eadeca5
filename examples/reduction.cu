// Sums a vector: each thread over a stride, each warp by shuffles, each block through shared
// memory, the grid by one atomic per block. `total` must be zero before the launch.
constexpr int kBlock = 256;
constexpr int kWarp = 32;

__device__ float warp_sum(float value) {
  for (int delta = kWarp / 2; delta > 0; delta /= 2) {
    value += __shfl_down_sync(0xffffffff, value, delta);
  }
  return value;
}

extern "C" __global__ void __launch_bounds__(kBlock)
    reduction(const float* values, float* total, int n) {
  __shared__ float partial[kBlock / kWarp];

  float sum = 0;
  for (int i = blockIdx.x * kBlock + threadIdx.x; i < n; i += gridDim.x * kBlock) {
    sum += values[i];
  }
  sum = warp_sum(sum);

  int warp = threadIdx.x / kWarp;
  int lane = threadIdx.x % kWarp;
  if (lane == 0) partial[warp] = sum;
  __syncthreads();

  if (warp == 0) {
    sum = warp_sum(lane < kBlock / kWarp ? partial[lane] : 0.0f);
    if (lane == 0) atomicAdd(total, sum);
  }
}
