// Hand-written, for a number of points that is a multiple of 4 and up to 2048 vertices: each block makes lines out of
// the edges in shared memory (one division per edge, not per test), and a thread tests four points against each of
// them without branches. Whether the previous vertex was above is kept.
#include <cuda_runtime.h>

namespace {
constexpr int kThreads = 256, kMost = 2048;

struct __align__(16) Edge {
  float y, slope, offset, unused;  // its second vertex; crosses at slope · y + offset
};

__global__ void __launch_bounds__(kThreads)
    test(const float4 *__restrict__ px, const float4 *__restrict__ py, const float *__restrict__ vx,
         const float *__restrict__ vy, uchar4 *__restrict__ inside, int quads, int vertices) {
  __shared__ Edge edges[kMost];
  for (int i = threadIdx.x; i < vertices; i += kThreads) {
    const int j = i == 0 ? vertices - 1 : i - 1;
    const float rise = vy[j] - vy[i];
    const float slope = rise == 0 ? 0 : (vx[j] - vx[i]) / rise;
    edges[i] = {vy[i], slope, vx[i] - slope * vy[i], 0};
  }
  __syncthreads();

  const int quad = blockIdx.x * kThreads + threadIdx.x;
  if (quad >= quads) return;
  const float4 qx = px[quad], qy = py[quad];
  const float x[4] = {qx.x, qx.y, qx.z, qx.w}, y[4] = {qy.x, qy.y, qy.z, qy.w};
  bool in[4] = {}, above[4];
  const float last = edges[vertices - 1].y;
#pragma unroll
  for (int k = 0; k < 4; ++k) above[k] = last > y[k];
#pragma unroll 4
  for (int i = 0; i < vertices; ++i) {
    const Edge edge = edges[i];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const bool now = edge.y > y[k];
      in[k] ^= (now != above[k]) & (x[k] < edge.slope * y[k] + edge.offset);
      above[k] = now;
    }
  }
  inside[quad] = make_uchar4(in[0], in[1], in[2], in[3]);
}
}  // namespace

extern "C" void launch(void **arguments, cudaStream_t stream) {
  const float4 *px = *(const float4 **)arguments[0], *py = *(const float4 **)arguments[1];
  const float *vx = *(const float **)arguments[2], *vy = *(const float **)arguments[3];
  uchar4 *inside = *(uchar4 **)arguments[4];
  const int quads = *(int *)arguments[5] / 4, vertices = *(int *)arguments[6];
  test<<<(quads + kThreads - 1) / kThreads, kThreads, 0, stream>>>(px, py, vx, vy, inside, quads, vertices);
}
