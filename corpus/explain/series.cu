// The matrix product a = c·b of the two series: a thread per column makes `factor` rows of a, a
// block keeps as many rows of c, each p long, in shared memory. Elements of b come from the L2
// cache, once per `factor` rows: more rows mean fewer loads, but also fewer blocks on an SM.

template <int factor>
__device__ void product_rows(const float* __restrict__ b, const float* __restrict__ c,
                             float* __restrict__ a, int n, int p) {
  extern __shared__ float rows[];
  int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * factor;
  for (int k = threadIdx.x; k < factor * p; k += blockDim.x) rows[k] = c[row * p + k];
  __syncthreads();
  float sum[factor] = {};
#pragma unroll 4
  for (int k = 0; k < p; ++k) {
    float x = b[k * n + column];
#pragma unroll
    for (int f = 0; f < factor; ++f) sum[f] = fmaf(x, rows[f * p + k], sum[f]);
  }
#pragma unroll
  for (int f = 0; f < factor; ++f) a[(row + f) * n + column] = sum[f];
}

#define PRODUCT(factor)                                                                         \
  __global__ void product_by_##factor(const float* __restrict__ b, const float* __restrict__ c, \
                                      float* __restrict__ a, int n, int p) {                    \
    product_rows<factor>(b, c, a, n, p);                                                        \
  }

PRODUCT(1)
PRODUCT(2)
PRODUCT(4)
PRODUCT(8)
PRODUCT(16)
PRODUCT(32)
