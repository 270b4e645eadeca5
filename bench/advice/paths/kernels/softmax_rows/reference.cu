// Hand-written: one block per row, which keeps the row in registers (float4 loads), so memory is read and written once.
#include <cuda_runtime.h>

namespace {
constexpr int kThreads = 256;
constexpr int kQuads = 4;  // per thread: rows of up to 4096 elements

template <typename Combine>
__device__ float across_block(float value, Combine combine) {
  __shared__ float partial[kThreads / 32];
  for (int step = 16; step > 0; step /= 2) value = combine(value, __shfl_xor_sync(~0u, value, step));
  __syncthreads();
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = value;
  __syncthreads();
  value = partial[0];
  for (int warp = 1; warp < kThreads / 32; ++warp) value = combine(value, partial[warp]);
  return value;
}

__global__ void __launch_bounds__(kThreads)
    softmax(const float4 *__restrict__ in, float4 *__restrict__ out, int quads) {
  in += (size_t)blockIdx.x * quads;
  out += (size_t)blockIdx.x * quads;
  float4 mine[kQuads];
  float largest = -INFINITY;
#pragma unroll
  for (int j = 0; j < kQuads; ++j) {
    const int i = j * kThreads + threadIdx.x;
    if (i < quads) {
      mine[j] = __ldcs(&in[i]);
      largest = fmaxf(fmaxf(fmaxf(largest, mine[j].x), fmaxf(mine[j].y, mine[j].z)), mine[j].w);
    }
  }
  largest = across_block(largest, [](float a, float b) { return fmaxf(a, b); });
  float sum = 0;
#pragma unroll
  for (int j = 0; j < kQuads; ++j) {
    if (j * kThreads + threadIdx.x < quads) {
      mine[j].x = __expf(mine[j].x - largest);
      mine[j].y = __expf(mine[j].y - largest);
      mine[j].z = __expf(mine[j].z - largest);
      mine[j].w = __expf(mine[j].w - largest);
      sum += mine[j].x + mine[j].y + mine[j].z + mine[j].w;
    }
  }
  const float scale = 1.0f / across_block(sum, [](float a, float b) { return a + b; });
#pragma unroll
  for (int j = 0; j < kQuads; ++j) {
    const int i = j * kThreads + threadIdx.x;
    if (i < quads) {
      __stcs(&out[i], make_float4(mine[j].x * scale, mine[j].y * scale, mine[j].z * scale, mine[j].w * scale));
    }
  }
}
}  // namespace

extern "C" void launch(void **arguments, cudaStream_t stream) {
  const float4 *in = *(const float4 **)arguments[0];
  float4 *out = *(float4 **)arguments[1];
  const int rows = *(int *)arguments[2], cols = *(int *)arguments[3];
  softmax<<<rows, kThreads, 0, stream>>>(in, out, cols / 4);
}
