// Convolutions (kind convolution): constant masks, borders, tiles with a halo.

__constant__ float row_weights[9] = {0.05f, 0.09f, 0.12f, 0.15f, 0.18f, 0.15f, 0.12f, 0.09f, 0.05f};

// A line with its halo in dynamic shared memory; the first threads load the halo.
__global__ void convolution_line_shared(const float* __restrict__ in, float* __restrict__ out, int n) {
  extern __shared__ float line[];
  constexpr int kRadius = 4;
  int i = blockIdx.x * blockDim.x + threadIdx.x, at = threadIdx.x + kRadius;
  line[at] = i < n ? in[i] : 0.0f;
  if (threadIdx.x < kRadius) {
    line[threadIdx.x] = i >= kRadius ? in[i - kRadius] : 0.0f;
    int after = i + blockDim.x;
    line[at + blockDim.x] = after < n ? in[after] : 0.0f;
  }
  __syncthreads();
  if (i < n) {
    float sum = 0;
#pragma unroll 1
    for (int k = -kRadius; k <= kRadius; ++k) sum += row_weights[k + kRadius] * line[at + k];
    out[i] = sum;
  }
}
