// Hand-written: a block goes down a strip of 512 columns and 32 rows. A thread keeps the sums over 15 rows of four
// columns: it adds the row that comes in and subtracts the one that leaves. The sums go to shared memory (two buffers,
// one barrier per row), where a thread makes four outputs from five float4: one sum of 15, then three steps to the right.
#include <cuda_runtime.h>

namespace {
constexpr int kRadius = 7, kWindow = 2 * kRadius + 1;
constexpr int kOutputs = 128, kHalo = 2;          // float4 of a row, and on each side of them
constexpr int kColumns = kOutputs + 2 * kHalo;    // float4 with sums
constexpr int kThreads = 160, kRows = 32;

__device__ __forceinline__ void add(float4 &sum, float4 v) {
  sum.x += v.x;
  sum.y += v.y;
  sum.z += v.z;
  sum.w += v.w;
}

__global__ void __launch_bounds__(kThreads)
    blur(const float4 *__restrict__ in, float4 *__restrict__ out, int quads, int height) {
  __shared__ float4 sums[2][kColumns];
  const int t = threadIdx.x, first = blockIdx.y * kRows;
  const int column = (int)blockIdx.x * kOutputs - kHalo + t;  // of the sums
  const bool has_column = t < kColumns && column >= 0 && column < quads;
  const int out_column = blockIdx.x * kOutputs + t;
  const bool has_output = t < kOutputs && out_column < quads;
  const auto read = [&](int row) {
    return has_column && row >= 0 && row < height ? __ldg(&in[(size_t)row * quads + column]) : make_float4(0, 0, 0, 0);
  };

  float4 sum = make_float4(0, 0, 0, 0);
#pragma unroll
  for (int row = -kRadius; row < kRadius; ++row) add(sum, read(first + row));

  float inverse_columns[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int x = 4 * out_column + i;
    inverse_columns[i] = 1.0f / (min(x + kRadius, 4 * quads - 1) - max(x - kRadius, 0) + 1);
  }

  float4 enters = read(first + kRadius), leaves = read(first - kRadius);
#pragma unroll 2
  for (int i = 0; i < kRows; ++i) {
    const int y = first + i;
    if (y >= height) return;  // the same for all threads
    add(sum, enters);
    if (t < kColumns) sums[i % 2][t] = sum;
    add(sum, make_float4(-leaves.x, -leaves.y, -leaves.z, -leaves.w));
    if (i + 1 < kRows) {
      enters = read(y + 1 + kRadius);
      leaves = read(y + 1 - kRadius);
    }
    __syncthreads();
    if (!has_output) continue;
    float s[20];
#pragma unroll
    for (int k = 0; k < 5; ++k) {
      const float4 v = sums[i % 2][t + k];
      s[4 * k] = v.x;
      s[4 * k + 1] = v.y;
      s[4 * k + 2] = v.z;
      s[4 * k + 3] = v.w;
    }
    // s[8] is the column of the first output.
    float window = 0;
#pragma unroll
    for (int k = 1; k <= kWindow; ++k) window += s[k];
    const float inverse_rows = 1.0f / (min(y + kRadius, height - 1) - max(y - kRadius, 0) + 1);
    float4 result;
    result.x = window * inverse_rows * inverse_columns[0];
    window += s[16] - s[1];
    result.y = window * inverse_rows * inverse_columns[1];
    window += s[17] - s[2];
    result.z = window * inverse_rows * inverse_columns[2];
    window += s[18] - s[3];
    result.w = window * inverse_rows * inverse_columns[3];
    __stcs(&out[(size_t)y * quads + out_column], result);
  }
}
}  // namespace

extern "C" void launch(void **arguments, cudaStream_t stream) {
  const float4 *in = *(const float4 **)arguments[0];
  float4 *out = *(float4 **)arguments[1];
  const int width = *(int *)arguments[2], height = *(int *)arguments[3];  // the radius is 7, the width a multiple of 4
  const int quads = width / 4;
  blur<<<dim3((quads + kOutputs - 1) / kOutputs, (height + kRows - 1) / kRows), kThreads, 0, stream>>>(in, out, quads,
                                                                                                      height);
}
