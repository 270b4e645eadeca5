// Hand-written, for 8192 samples and 256 lags: one block per signal, which lies in shared memory, followed by zeros. A
// lane has 8 lags and works on 8 samples at a time with a sliding window in registers: 64 multiply-adds for four
// 16-byte loads. The warps share the samples and add up at the end. 4 floats of padding after every 32 avoid bank
// conflicts.
#include <cuda_runtime.h>

namespace {
constexpr int kSamples = 8192, kLags = 256, kWarps = 8, kPart = kSamples / kWarps;
constexpr int kStored = kSamples + kLags + 16;

__device__ constexpr int place(int i) { return i + i / 32 * 4; }

__device__ void load8(float *to, const float *shared, int i) {  // i is a multiple of 8
  const float4 *from = (const float4 *)&shared[place(i)];
  const float4 a = from[0], b = from[1];
  to[0] = a.x, to[1] = a.y, to[2] = a.z, to[3] = a.w;
  to[4] = b.x, to[5] = b.y, to[6] = b.z, to[7] = b.w;
}

__global__ void __launch_bounds__(32 * kWarps)
    correlate(const float4 *__restrict__ signals, float *__restrict__ out) {
  __shared__ __align__(16) float x[place(kStored)];
  __shared__ __align__(16) float partial[kWarps][kLags];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const float4 *signal = signals + (size_t)blockIdx.x * (kSamples / 4);
#pragma unroll
  for (int i = threadIdx.x; i < kSamples / 4; i += 32 * kWarps) *(float4 *)&x[place(4 * i)] = signal[i];
  for (int i = kSamples + threadIdx.x; i < kStored; i += 32 * kWarps) x[place(i)] = 0;
  __syncthreads();

  const int lag = 8 * lane;
  float sums[8] = {}, window[16];
  load8(window, x, warp * kPart + lag);
#pragma unroll 2
  for (int t = warp * kPart; t < (warp + 1) * kPart; t += 8) {
    float mine[8];
    load8(mine, x, t);
    load8(window + 8, x, t + lag + 8);
#pragma unroll
    for (int i = 0; i < 8; ++i) {
#pragma unroll
      for (int k = 0; k < 8; ++k) sums[k] += mine[i] * window[i + k];
    }
#pragma unroll
    for (int k = 0; k < 8; ++k) window[k] = window[k + 8];
  }
#pragma unroll
  for (int k = 0; k < 8; k += 4) {
    *(float4 *)&partial[warp][lag + k] = make_float4(sums[k], sums[k + 1], sums[k + 2], sums[k + 3]);
  }
  __syncthreads();

  float sum = 0;
#pragma unroll
  for (int w = 0; w < kWarps; ++w) sum += partial[w][threadIdx.x];
  out[blockIdx.x * kLags + threadIdx.x] = sum / (kSamples - (int)threadIdx.x);
}
}  // namespace

extern "C" void launch(void **arguments, cudaStream_t stream) {
  const float4 *signals = *(const float4 **)arguments[0];
  float *out = *(float **)arguments[1];
  correlate<<<256, 32 * kWarps, 0, stream>>>(signals, out);
}
