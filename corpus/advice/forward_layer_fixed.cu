// Forward pass of a fully connected layer. Each output is a bias plus the weighted sum of the
// inputs' activations, passed through a sigmoid. A block computes 32 outputs of one sample: eight
// warps share the inputs of a tile, whose activations are kept in shared memory.

constexpr int kOutputs = 32, kSlices = 8, kTile = 256;

__device__ __forceinline__ float sigmoid(float x) {
  return 1.0f / (1.0f + expf(-x));
}

// `sums` holds the previous layer's sums, a row per sample; `weights` has a row per input and is
// scaled as a whole.
__global__ void __launch_bounds__(kOutputs* kSlices)
    forward_layer(const float* __restrict__ sums, const float* __restrict__ weights,
                  const float* __restrict__ biases, float* __restrict__ activations, int inputs,
                  int outputs, float scale) {
  __shared__ float tile[kTile];
  __shared__ float partial[kSlices][kOutputs];
  int column = blockIdx.x * kOutputs + threadIdx.x;
  const float* sample = sums + static_cast<size_t>(blockIdx.y) * inputs;
  float sum = 0;
  for (int base = 0; base < inputs; base += kTile) {
    for (int k = threadIdx.y * kOutputs + threadIdx.x; k < kTile; k += kOutputs * kSlices) {
      tile[k] = sigmoid(sample[base + k]);
    }
    __syncthreads();
    const float* row = weights + static_cast<size_t>(base) * outputs + column;
#pragma unroll 8
    for (int k = threadIdx.y; k < kTile; k += kSlices) {
      sum += tile[k] * row[static_cast<size_t>(k) * outputs];
    }
    __syncthreads();
  }
  partial[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.y == 0) {
    float total = 0;
    for (int slice = 0; slice < kSlices; ++slice) total += partial[slice][threadIdx.x];
    total = biases[column] + scale * total;
    activations[static_cast<size_t>(blockIdx.y) * outputs + column] = sigmoid(total);
  }
}
