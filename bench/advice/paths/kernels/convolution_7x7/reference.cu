// Hand-written. A block of 32 × 8 threads computes 128 × 32 pixels from a tile in shared memory. A thread computes
// four neighbouring pixels of four rows: it reads ten values of a row as float4s and uses them for up to four rows.
#include <cuda_runtime.h>

namespace {
constexpr int kColumns = 128, kRows = 32;      // pixels of a block
constexpr int kPitch = kColumns + 8;           // from x − 4 to x + 131: whole float4s
constexpr int kPerThread = 4;                  // rows of a thread

__global__ void __launch_bounds__(256)
    convolve(const float *__restrict__ image, const float *__restrict__ filter, float *__restrict__ out,
             int width, int height) {
  __shared__ __align__(16) float tile[kRows + 6][kPitch];
  __shared__ float weights[49];
  const int x0 = blockIdx.x * kColumns, y0 = blockIdx.y * kRows;
  const int thread = threadIdx.y * 32 + threadIdx.x;
  if (thread < 49) weights[thread] = filter[thread];
  for (int i = thread; i < (kRows + 6) * (kPitch / 4); i += 256) {
    const int row = i / (kPitch / 4), quad = i % (kPitch / 4);
    const int y = y0 + row - 3, x = x0 + 4 * quad - 4;
    float4 value = {};
    if (y >= 0 && y < height && x >= 0 && x < width) {  // the width is a multiple of 4
      value = *reinterpret_cast<const float4 *>(&image[(size_t)y * width + x]);
    }
    *reinterpret_cast<float4 *>(&tile[row][4 * quad]) = value;
  }
  __syncthreads();

  const int first = threadIdx.y * kPerThread;
  float sum[kPerThread][4] = {};
#pragma unroll
  for (int row = 0; row < kPerThread + 6; ++row) {
    float value[12];
#pragma unroll
    for (int quad = 0; quad < 3; ++quad) {
      *reinterpret_cast<float4 *>(&value[4 * quad]) =
          *reinterpret_cast<const float4 *>(&tile[first + row][4 * (threadIdx.x + quad)]);
    }
#pragma unroll
    for (int j = 0; j < kPerThread; ++j) {
      const int v = row - j;
      if (v < 0 || v > 6) continue;
#pragma unroll
      for (int u = 0; u < 7; ++u) {
        const float weight = weights[v * 7 + u];
#pragma unroll
        for (int i = 0; i < 4; ++i) sum[j][i] += value[i + u + 1] * weight;
      }
    }
  }
  const int x = x0 + 4 * threadIdx.x;
  if (x >= width) return;
#pragma unroll
  for (int j = 0; j < kPerThread; ++j) {
    const int y = y0 + first + j;
    if (y < height) {
      *reinterpret_cast<float4 *>(&out[(size_t)y * width + x]) =
          make_float4(sum[j][0], sum[j][1], sum[j][2], sum[j][3]);
    }
  }
}
}  // namespace

extern "C" void launch(void **arguments, cudaStream_t stream) {
  const float *image = *(const float **)arguments[0], *filter = *(const float **)arguments[1];
  float *out = *(float **)arguments[2];
  const int width = *(int *)arguments[3], height = *(int *)arguments[4];
  const dim3 grid((width + kColumns - 1) / kColumns, (height + kRows - 1) / kRows);
  convolve<<<grid, dim3(32, 8), 0, stream>>>(image, filter, out, width, height);
}
