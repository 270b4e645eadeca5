// Causal mixing along a sequence: each position becomes the weighted mean of itself and those
// before it, channel after channel, a sequence per block.

__global__ void causal_means(const float* __restrict__ scores, const float* __restrict__ in,
                             float* __restrict__ out, int length, int channels) {
  __shared__ float values[1024];
  __shared__ float means[1024];
  int warp = threadIdx.x / 32;
  int lane = threadIdx.x % 32;
  int warps = blockDim.x / 32;
  int rows_each = length / warps;
  size_t sequence = static_cast<size_t>(blockIdx.x) * length * channels;

  for (int channel = 0; channel < channels; ++channel) {
    size_t first = sequence + static_cast<size_t>(channel) * length;
    for (int i = threadIdx.x; i < length; i += blockDim.x) values[i] = in[first + i];
    __syncthreads();

    for (int k = 0; k < rows_each; ++k) {
      int row = k * warps + warp;
      float sum = 0, weight = 0;
      for (int column = lane; column <= row; column += 32) {
        float score = scores[row * length + column];
        sum += score * values[column];
        weight += score;
      }
      for (int step = 16; step > 0; step /= 2) {
        sum += __shfl_down_sync(0xffffffff, sum, step);
        weight += __shfl_down_sync(0xffffffff, weight, step);
      }
      if (lane == 0) means[row] = sum / (weight + 1e-6f);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < length; i += blockDim.x) out[first + i] = means[i];
  }
}
