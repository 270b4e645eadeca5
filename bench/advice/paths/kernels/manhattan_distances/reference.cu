// Hand-written: tiled like a matrix product (which this cannot be turned into). Tiles of 128 × 128 distances, 8 × 8 per
// thread; 8 coordinates at a time, transposed into double-buffered shared memory.
#include <cuda_runtime.h>

namespace {
constexpr int kTile = 128, kStep = 8, kPitch = kTile + 4;

__global__ void __launch_bounds__(256, 2)
    distance_tile(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ out, int m, int dim) {
  __shared__ __align__(16) float as[2][kStep][kPitch], bs[2][kStep][kPitch];
  const int thread = threadIdx.x, tx = thread % 16, ty = thread / 16;
  const int first_row = blockIdx.y * kTile, first_col = blockIdx.x * kTile;
  // Each thread loads a quad of coordinates of a row of each tile.
  const int load_row = thread / 2, load_k = thread % 2 * 4;
  const float *from_a = a + (size_t)(first_row + load_row) * dim + load_k;
  const float *from_b = b + (size_t)(first_col + load_row) * dim + load_k;
  const auto store = [&](int buffer, float4 of_a, float4 of_b) {
    as[buffer][load_k][load_row] = of_a.x, as[buffer][load_k + 1][load_row] = of_a.y;
    as[buffer][load_k + 2][load_row] = of_a.z, as[buffer][load_k + 3][load_row] = of_a.w;
    bs[buffer][load_k][load_row] = of_b.x, bs[buffer][load_k + 1][load_row] = of_b.y;
    bs[buffer][load_k + 2][load_row] = of_b.z, bs[buffer][load_k + 3][load_row] = of_b.w;
  };
  store(0, *(const float4 *)from_a, *(const float4 *)from_b);
  __syncthreads();
  float sums[8][8] = {};
  int buffer = 0;
  for (int k0 = 0; k0 < dim; k0 += kStep) {
    const bool more = k0 + kStep < dim;
    float4 next_a, next_b;
    if (more) {
      next_a = *(const float4 *)(from_a + k0 + kStep);
      next_b = *(const float4 *)(from_b + k0 + kStep);
    }
#pragma unroll
    for (int k = 0; k < kStep; ++k) {
      float x[8], y[8];
      *(float4 *)&x[0] = *(const float4 *)&as[buffer][k][ty * 4];
      *(float4 *)&x[4] = *(const float4 *)&as[buffer][k][64 + ty * 4];
      *(float4 *)&y[0] = *(const float4 *)&bs[buffer][k][tx * 4];
      *(float4 *)&y[4] = *(const float4 *)&bs[buffer][k][64 + tx * 4];
#pragma unroll
      for (int i = 0; i < 8; ++i)
#pragma unroll
        for (int j = 0; j < 8; ++j) sums[i][j] += fabsf(x[i] - y[j]);
    }
    buffer ^= 1;
    if (more) store(buffer, next_a, next_b);
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const int row = first_row + i / 4 * 64 + ty * 4 + i % 4;
    float *to = out + (size_t)row * m + first_col + tx * 4;
    __stcs((float4 *)to, make_float4(sums[i][0], sums[i][1], sums[i][2], sums[i][3]));
    __stcs((float4 *)(to + 64), make_float4(sums[i][4], sums[i][5], sums[i][6], sums[i][7]));
  }
}
}  // namespace

// n and m are multiples of 128, dim of 8.
extern "C" void launch(void **arguments, cudaStream_t stream) {
  const float *a = *(const float **)arguments[0], *b = *(const float **)arguments[1];
  float *out = *(float **)arguments[2];
  const int n = *(int *)arguments[3], m = *(int *)arguments[4], dim = *(int *)arguments[5];
  distance_tile<<<dim3(m / kTile, n / kTile), 256, 0, stream>>>(a, b, out, m, dim);
}
