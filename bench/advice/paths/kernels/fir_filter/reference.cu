// Hand-written. A block filters 2048 samples from shared memory. A thread computes eight neighbouring outputs: for
// eight taps it needs 15 samples, of which seven are in registers from the taps before. All accesses are float4s.
#include <cuda_runtime.h>

#include <cstdio>

namespace {
constexpr int kThreads = 256;
constexpr int kPer = 8;        // outputs of a thread
constexpr int kMaxTaps = 128;  // a multiple of 2 · kPer
constexpr int kTile = kThreads * kPer;

// Four floats of padding after every 32: eight lanes that read a float4 each, 8 floats apart, use all banks.
__device__ int padded(int i) { return i + i / 32 * 4; }

__device__ float4 &quad_at(float *memory, int i) { return *reinterpret_cast<float4 *>(&memory[i]); }

// Adds taps k to k + 7. `recent` holds the samples own − k to own − k + 7; `older` is filled with the eight before.
__device__ void add_taps(float (&sum)[kPer], const float (&recent)[kPer], float (&older)[kPer], float *samples,
                         float *weights, int own, int k) {
  quad_at(older, 0) = quad_at(samples, padded(own - k - 8));
  quad_at(older, 4) = quad_at(samples, padded(own - k - 4));
  float weight[kPer];
  quad_at(weight, 0) = quad_at(weights, k);
  quad_at(weight, 4) = quad_at(weights, k + 4);
#pragma unroll
  for (int t = 0; t < kPer; ++t) {
#pragma unroll
    for (int j = 0; j < kPer; ++j) sum[j] += weight[t] * (j >= t ? recent[j - t] : older[kPer + j - t]);
  }
}

__global__ void __launch_bounds__(kThreads)
    filter(const float *__restrict__ in, const float *__restrict__ taps, float *__restrict__ out, int n, int num_taps) {
  __shared__ __align__(16) float samples[(kMaxTaps + kTile) / 32 * 36];
  __shared__ __align__(16) float weights[kMaxTaps];
  const int first = blockIdx.x * kTile;
  for (int k = threadIdx.x; k < num_taps; k += kThreads) weights[k] = taps[k];
  for (int i = 4 * threadIdx.x; i < num_taps + kTile; i += 4 * kThreads) {
    const int at = first + i - num_taps;  // n is a multiple of 4
    quad_at(samples, padded(i)) =
        at >= 0 && at < n ? *reinterpret_cast<const float4 *>(&in[at]) : make_float4(0, 0, 0, 0);
  }
  __syncthreads();

  const int own = num_taps + threadIdx.x * kPer;
  __align__(16) float a[kPer], b[kPer], sum[kPer] = {};
  quad_at(a, 0) = quad_at(samples, padded(own));
  quad_at(a, 4) = quad_at(samples, padded(own + 4));
  for (int k = 0; k < num_taps; k += 2 * kPer) {
    add_taps(sum, a, b, samples, weights, own, k);
    add_taps(sum, b, a, samples, weights, own, k + kPer);
  }

  __syncthreads();
  quad_at(samples, padded(threadIdx.x * kPer)) = quad_at(sum, 0);
  quad_at(samples, padded(threadIdx.x * kPer + 4)) = quad_at(sum, 4);
  __syncthreads();
  for (int i = 4 * threadIdx.x; i < kTile && first + i < n; i += 4 * kThreads) {
    __stcs(reinterpret_cast<float4 *>(&out[first + i]), quad_at(samples, padded(i)));
  }
}
}  // namespace

extern "C" void launch(void **arguments, cudaStream_t stream) {
  const float *in = *(const float **)arguments[0], *taps = *(const float **)arguments[1];
  float *out = *(float **)arguments[2];
  const int n = *(int *)arguments[3], num_taps = *(int *)arguments[4];
  if (num_taps > kMaxTaps || num_taps % (2 * kPer) != 0 || n % 4 != 0) {
    std::fprintf(stderr, "written for up to %d taps, a multiple of %d\n", kMaxTaps, 2 * kPer);
    return;
  }
  filter<<<(n + kTile - 1) / kTile, kThreads, 0, stream>>>(in, taps, out, n, num_taps);
}
