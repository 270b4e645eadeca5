// Hand-written: a block computes 128 x 8 pixels from a tile in shared memory, four pixels beside each other per thread,
// which read a row of their windows as three float4. Both weights are one power of two: the spatial exponents are in
// registers, and the tile is scaled so that the other exponent is just the square of the difference.
#include <cuda_runtime.h>

namespace {
constexpr int kRadius = 4, kWidth = 128, kHeight = 8;

__device__ float power_of_two(float x) {
  float result;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
}

__global__ void __launch_bounds__(256)
    filter(const float *__restrict__ in, float *__restrict__ out, int width, int height, float space, float scale) {
  __shared__ float4 tile[kHeight + 2 * kRadius][(kWidth + 2 * kRadius) / 4];
  const int first_x = blockIdx.x * kWidth - kRadius, first_y = blockIdx.y * kHeight - kRadius;
  for (int row = threadIdx.y; row < kHeight + 2 * kRadius; row += 8) {
    const float *from = in + (size_t)min(max(first_y + row, 0), height - 1) * width;
    for (int i = threadIdx.x; i < kWidth + 2 * kRadius; i += 32)
      ((float *)tile[row])[i] = scale * __ldg(&from[min(max(first_x + i, 0), width - 1)]);
  }
  __syncthreads();

  float distance[kRadius + 1];  // exponents for 0 to 4 pixels
#pragma unroll
  for (int i = 0; i <= kRadius; ++i) distance[i] = space * (i * i);
  const float4 middle = tile[threadIdx.y + kRadius][threadIdx.x + 1];
  const float center[4] = {middle.x, middle.y, middle.z, middle.w};
  float sum[4] = {}, total[4] = {};
#pragma unroll
  for (int dy = -kRadius; dy <= kRadius; ++dy) {
    const float4 *row = &tile[threadIdx.y + kRadius + dy][threadIdx.x];
    const float4 a = row[0], b = row[1], c = row[2];
    const float value[12] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w, c.x, c.y, c.z, c.w};
#pragma unroll
    for (int dx = -kRadius; dx <= kRadius; ++dx) {
      const float exponent = distance[dy < 0 ? -dy : dy] + distance[dx < 0 ? -dx : dx];
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        const float v = value[k + kRadius + dx], difference = v - center[k];
        const float weight = power_of_two(exponent - difference * difference);
        sum[k] += weight * v;
        total[k] += weight;
      }
    }
  }
  const int x = blockIdx.x * kWidth + threadIdx.x * 4, y = blockIdx.y * kHeight + threadIdx.y;
  if (x < width && y < height) {
    float result[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) result[k] = sum[k] / (total[k] * scale);
    *(float4 *)&out[(size_t)y * width + x] = make_float4(result[0], result[1], result[2], result[3]);
  }
}
}  // namespace

extern "C" void launch(void **arguments, cudaStream_t stream) {
  const float *in = *(const float **)arguments[0];
  float *out = *(float **)arguments[1];
  const int width = *(int *)arguments[2], height = *(int *)arguments[3];  // the radius is 4
  const float sigma_space = *(float *)arguments[5], sigma_value = *(float *)arguments[6];
  const float log2_e = 1.44269504f;
  const dim3 grid((width + kWidth - 1) / kWidth, (height + kHeight - 1) / kHeight), block(32, 8);
  const float space = -log2_e / (2 * sigma_space * sigma_space), scale = sqrtf(log2_e / 2) / sigma_value;
  filter<<<grid, block, 0, stream>>>(in, out, width, height, space, scale);
}
