// Hand-written: one warp per system of 128 unknowns, 4 consecutive unknowns per lane (float4 loads and stores, each
// array is touched once). A lane eliminates its first three unknowns; the remaining system of 32 is solved by parallel
// cyclic reduction with shuffles.
#include <cuda_runtime.h>

namespace {
__global__ void __launch_bounds__(256)
    solve(const float4 *__restrict__ lower, const float4 *__restrict__ upper, const float4 *__restrict__ rhs,
          float4 *__restrict__ x, int systems) {
  const int system = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (system >= systems) return;
  const size_t at = (size_t)system * 32 + lane;
  const float4 l = __ldcs(&lower[at]), u = __ldcs(&upper[at]), d = __ldcs(&rhs[at]);
  const float a0 = lane == 0 ? 0.0f : -l.x, a1 = -l.y, a2 = -l.z, a3 = -l.w;
  const float c0 = -u.x, c1 = -u.y, c2 = -u.z, c3 = lane == 31 ? 0.0f : -u.w;
  const float b0 = 1 + l.x + u.x, b1 = 1 + l.y + u.y, b2 = 1 + l.z + u.z, b3 = 1 + l.w + u.w;

  // x_k = p_k - q_k · (last unknown of the previous lane) - r_k · (last unknown of this lane), k = 0, 1, 2
  float inverse = __fdividef(1.0f, b0);
  float p0 = d.x * inverse, q0 = a0 * inverse;
  const float e0 = c0 * inverse;
  inverse = __fdividef(1.0f, b1 - a1 * e0);
  float p1 = (d.y - a1 * p0) * inverse, q1 = -a1 * q0 * inverse;
  const float e1 = c1 * inverse;
  inverse = __fdividef(1.0f, b2 - a2 * e1);
  const float p2 = (d.z - a2 * p1) * inverse, q2 = -a2 * q1 * inverse, r2 = c2 * inverse;
  p1 -= e1 * p2, q1 -= e1 * q2;
  const float r1 = -e1 * r2;
  p0 -= e0 * p1, q0 -= e0 * q1;
  const float r0 = -e0 * r1;

  // The equations of the last unknowns, one per lane, with diagonal 1. c3 is 0 in the last lane.
  const float next_p = __shfl_down_sync(~0u, p0, 1), next_q = __shfl_down_sync(~0u, q0, 1);
  const float next_r = __shfl_down_sync(~0u, r0, 1);
  inverse = __fdividef(1.0f, b3 - a3 * r2 - c3 * next_q);
  float a = -a3 * q2 * inverse, c = -c3 * next_r * inverse;
  float y = (d.w - a3 * p2 - c3 * next_p) * inverse;
#pragma unroll
  for (int step = 1; step < 32; step *= 2) {  // a is 0 in the first `step` lanes, c in the last
    const float a_up = __shfl_up_sync(~0u, a, step), a_down = __shfl_down_sync(~0u, a, step);
    const float c_up = __shfl_up_sync(~0u, c, step), c_down = __shfl_down_sync(~0u, c, step);
    const float y_up = __shfl_up_sync(~0u, y, step), y_down = __shfl_down_sync(~0u, y, step);
    inverse = __fdividef(1.0f, 1.0f - a * c_up - c * a_down);
    y = (y - a * y_up - c * y_down) * inverse;
    a = -a * a_up * inverse;
    c = -c * c_down * inverse;
  }
  const float before = __shfl_up_sync(~0u, y, 1);  // multiplied by q = 0 in the first lane
  __stcs(&x[at], make_float4(p0 - q0 * before - r0 * y, p1 - q1 * before - r1 * y, p2 - q2 * before - r2 * y, y));
}
}  // namespace

extern "C" void launch(void **arguments, cudaStream_t stream) {
  const float4 *lower = *(const float4 **)arguments[0], *upper = *(const float4 **)arguments[1];
  const float4 *rhs = *(const float4 **)arguments[2];
  float4 *x = *(float4 **)arguments[4];
  const int systems = *(int *)arguments[5];  // of 128 unknowns
  solve<<<(systems + 7) / 8, 256, 0, stream>>>(lower, upper, rhs, x, systems);
}
