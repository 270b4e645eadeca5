// Norm and greatest magnitude of segments of different lengths, a warp for each.

__global__ void segment_norms(const int* __restrict__ starts, const float* __restrict__ values,
                              float* __restrict__ norms, float* __restrict__ largest,
                              int segments) {
  int segment = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  int lane = threadIdx.x % 32;
  if (segment >= segments) return;
  int begin = starts[segment];
  int end = starts[segment + 1];

  float sum = 0;
  float greatest = 0;
  for (int i = begin + lane; i < end; i += 32) {
    float value = values[i];
    sum += value * value;
    greatest = fmaxf(greatest, fabsf(value));
  }

#pragma unroll
  for (int step = 16; step > 0; step /= 2) {
    float other_sum = __shfl_down_sync(0xffffffff, sum, step);
    float other_greatest = __shfl_down_sync(0xffffffff, greatest, step);
    sum += other_sum;
    greatest = fmaxf(greatest, other_greatest);
  }

  if (lane == 0) {
    float norm = begin < end ? sqrtf(sum) : 0.0f;
    norms[segment] = norm;
    largest[segment] = greatest;
  }
}
