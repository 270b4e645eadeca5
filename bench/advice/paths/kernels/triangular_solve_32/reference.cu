// Hand-written: one warp per system. Lane i computes x[i]. The matrix is loaded with float4 (only the sectors that hold
// elements of the triangle), and turned in shared memory in rows of 36 floats; then each lane has its row in registers,
// and x[j] goes round with a shuffle. Rows of 36 floats: float4 reads and writes without bank conflicts.
#include <cuda_runtime.h>

namespace {
constexpr int kN = 32, kWarps = 4, kRow = kN + 4;

__global__ void __launch_bounds__(kWarps * 32)
    solve(const float4 *__restrict__ l, const float *__restrict__ b, float *__restrict__ x, int systems, float shift) {
  __shared__ float4 turned[kWarps][kN * kRow / 4];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int system = blockIdx.x * kWarps + warp;
  if (system >= systems) return;  // a whole warp; there is no block barrier
  const float4 *from = l + (size_t)system * (kN * kN / 4);
  float4 loaded[8];
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const int row = i * 4 + lane / 8, column = lane % 8 * 4;
    loaded[i] = column / 8 * 8 <= row ? __ldcs(&from[i * 32 + lane]) : make_float4(0, 0, 0, 0);
  }
  float value = __ldcs(&b[(size_t)system * kN + lane]);
#pragma unroll
  for (int i = 0; i < 8; ++i) turned[warp][(i * 4 + lane / 8) * (kRow / 4) + lane % 8] = loaded[i];
  __syncwarp();
  float row[kN];
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const float4 v = turned[warp][lane * (kRow / 4) + i];
    row[4 * i] = v.x;
    row[4 * i + 1] = v.y;
    row[4 * i + 2] = v.z;
    row[4 * i + 3] = v.w;
  }
  const float inverse = 1.0f / (reinterpret_cast<const float *>(turned[warp])[lane * kRow + lane] + shift);
  // Lane j's value is complete before step j; later lanes subtract its part. What a lane subtracts from itself after its
  // own step does not matter, as its result is kept apart.
  float mine = 0;
#pragma unroll
  for (int j = 0; j < kN; ++j) {
    const float solved = __shfl_sync(~0u, value * inverse, j);
    if (lane == j) mine = solved;
    value -= row[j] * solved;
  }
  x[(size_t)system * kN + lane] = mine;
}
}  // namespace

extern "C" void launch(void **arguments, cudaStream_t stream) {
  const float4 *l = *(const float4 **)arguments[0];
  const float *b = *(const float **)arguments[1];
  float *x = *(float **)arguments[2];
  const int systems = *(int *)arguments[3];
  const float shift = *(float *)arguments[4];
  solve<<<(systems + kWarps - 1) / kWarps, kWarps * 32, 0, stream>>>(l, b, x, systems, shift);
}
