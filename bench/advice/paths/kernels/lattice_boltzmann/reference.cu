// Hand-written: a block computes 64 x 8 cells. It reads them with the cells around them into shared memory, whole rows
// of floats one after the other, and writes the results from there as float4. Nine is odd, so lanes that read the
// distributions of neighbouring cells use different banks.
#include <cuda_runtime.h>

namespace {
constexpr int kWidth = 64, kHeight = 8, kThreads = 256;
constexpr int kFloats = (kWidth + 2) * 9;  // of a row

__global__ void __launch_bounds__(kThreads)
    step(const float *__restrict__ in, float *__restrict__ out, int width, int height, float omega) {
  constexpr int ex[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
  constexpr int ey[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
  __shared__ alignas(16) float cells[(kHeight + 2) * kFloats];
  const int first_x = blockIdx.x * kWidth, first_y = blockIdx.y * kHeight;
  const int row_floats = width * 9;
#pragma unroll
  for (int row = 0; row < kHeight + 2; ++row) {
    int y = first_y + row - 1;
    y = y < 0 ? height - 1 : y == height ? 0 : y;
    const float *from = in + (size_t)y * row_floats;
#pragma unroll
    for (int start = 0; start < kFloats; start += kThreads) {
      const int i = start + threadIdx.x;
      int at = (first_x - 1) * 9 + i;
      at = at < 0 ? at + row_floats : at >= row_floats ? at - row_floats : at;
      if (i < kFloats) cells[row * kFloats + i] = __ldg(&from[at]);
    }
  }
  __syncthreads();

  const int x = threadIdx.x % kWidth, top = threadIdx.x / kWidth;  // cells (x, top) and (x, top + 4)
  float f[2][9];
#pragma unroll
  for (int j = 0; j < 2; ++j) {
    float density = 0, ux = 0, uy = 0;
#pragma unroll
    for (int k = 0; k < 9; ++k) {
      f[j][k] = cells[(top + 4 * j + 1 - ey[k]) * kFloats + (x + 1 - ex[k]) * 9 + k];
      density += f[j][k];
      ux += ex[k] * f[j][k];
      uy += ey[k] * f[j][k];
    }
    const float inverse = 1 / density;
    ux *= inverse, uy *= inverse;
    const float rest = 1 - 1.5f * (ux * ux + uy * uy);
#pragma unroll
    for (int k = 0; k < 9; ++k) {
      const float weight = k == 0 ? 4.f / 9 : k < 5 ? 1.f / 9 : 1.f / 36;
      const float along = ex[k] * ux + ey[k] * uy;
      const float equilibrium = weight * density * (rest + along * (3 + 4.5f * along));
      f[j][k] += omega * (equilibrium - f[j][k]);
    }
  }
  __syncthreads();
#pragma unroll
  for (int j = 0; j < 2; ++j) {
#pragma unroll
    for (int k = 0; k < 9; ++k) cells[((top + 4 * j) * kWidth + x) * 9 + k] = f[j][k];
  }
  __syncthreads();
  constexpr int kQuads = kWidth * 9 / 4;  // of a row
  for (int i = threadIdx.x; i < kHeight * kQuads; i += kThreads) {
    const int row = i / kQuads, quad = i % kQuads;
    float4 *to = (float4 *)(out + ((size_t)(first_y + row) * width + first_x) * 9);
    __stcs(&to[quad], ((const float4 *)cells)[i]);
  }
}
}  // namespace

extern "C" void launch(void **arguments, cudaStream_t stream) {
  const float *in = *(const float **)arguments[0];
  float *out = *(float **)arguments[1];
  const int width = *(int *)arguments[2], height = *(int *)arguments[3];  // multiples of 64 and 8
  step<<<dim3(width / kWidth, height / kHeight), kThreads, 0, stream>>>(in, out, width, height, *(float *)arguments[4]);
}
