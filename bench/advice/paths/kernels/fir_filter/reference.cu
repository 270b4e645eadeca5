// Hand-written. A block filters 2048 samples from shared memory. A thread computes eight neighbouring outputs: for
// eight taps it needs 15 samples, of which seven are already in registers from the taps before.
#include <cuda_runtime.h>

#include <cstdio>

namespace {
constexpr int kThreads = 256;
constexpr int kPer = 8;         // outputs of a thread
constexpr int kMaxTaps = 128;   // a multiple of kPer
constexpr int kTile = kThreads * kPer;

// One float of padding after every 8: the lanes of a warp read every eighth sample.
__device__ int padded(int i) { return i + i / 8; }

__global__ void __launch_bounds__(kThreads)
    filter(const float *__restrict__ in, const float *__restrict__ taps, float *__restrict__ out, int n, int num_taps) {
  __shared__ float samples[kMaxTaps + kTile + (kMaxTaps + kTile) / 8];
  __shared__ float weights[kMaxTaps];
  const int first = blockIdx.x * kTile;
  for (int k = threadIdx.x; k < num_taps; k += kThreads) weights[k] = taps[k];
  for (int i = threadIdx.x; i < num_taps + kTile; i += kThreads) {
    const int at = first + i - num_taps;
    samples[padded(i)] = at >= 0 && at < n ? in[at] : 0.0f;
  }
  __syncthreads();

  // samples[padded(own + j)] is the newest sample that output j uses.
  const int own = num_taps + threadIdx.x * kPer;
  float window[2 * kPer], sum[kPer] = {};
#pragma unroll
  for (int j = 0; j < kPer; ++j) window[kPer + j] = samples[padded(own + j)];
  for (int k = 0; k < num_taps; k += kPer) {
#pragma unroll
    for (int j = 0; j < kPer; ++j) window[j] = samples[padded(own - k - kPer + j)];
#pragma unroll
    for (int t = 0; t < kPer; ++t) {
      const float weight = weights[k + t];
#pragma unroll
      for (int j = 0; j < kPer; ++j) sum[j] += weight * window[kPer + j - t];
    }
#pragma unroll
    for (int j = 0; j < kPer; ++j) window[kPer + j] = window[j];
  }

  __syncthreads();
#pragma unroll
  for (int j = 0; j < kPer; ++j) samples[padded(threadIdx.x * kPer + j)] = sum[j];
  __syncthreads();
  for (int i = threadIdx.x; i < kTile && first + i < n; i += kThreads) __stcs(&out[first + i], samples[padded(i)]);
}
}  // namespace

extern "C" void launch(void **arguments, cudaStream_t stream) {
  const float *in = *(const float **)arguments[0], *taps = *(const float **)arguments[1];
  float *out = *(float **)arguments[2];
  const int n = *(int *)arguments[3], num_taps = *(int *)arguments[4];
  if (num_taps > kMaxTaps || num_taps % kPer != 0) {
    std::fprintf(stderr, "written for up to %d taps, a multiple of %d\n", kMaxTaps, kPer);
    return;
  }
  filter<<<(n + kTile - 1) / kTile, kThreads, 0, stream>>>(in, taps, out, n, num_taps);
}
