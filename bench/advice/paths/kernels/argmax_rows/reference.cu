// Hand-written: one warp per row, float4 loads, all eight of a lane in flight. A lane keeps its best value and index; the
// warp's largest value is found with redux (in an integer form with the same order), then the smallest index that has it.
#include <cuda_runtime.h>

namespace {
constexpr int kLoads = 8;  // rows of up to 8 x 32 x 4 elements at a time

__device__ __forceinline__ unsigned ordered(float value) {
  const unsigned bits = __float_as_uint(value + 0.0f);  // -0 becomes 0
  return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

__global__ void __launch_bounds__(256)
    argmax(const float4 *__restrict__ scores, int *__restrict__ best_class, int rows, int quads) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  scores += (size_t)row * quads;
  float best = __int_as_float(0xff800000);  // -infinity
  int index = 4 * lane;
  for (int first = lane; first < quads; first += 32 * kLoads) {
    float4 v[kLoads];
#pragma unroll
    for (int i = 0; i < kLoads; ++i)
      if (first + 32 * i < quads) v[i] = __ldcs(&scores[first + 32 * i]);
#pragma unroll
    for (int i = 0; i < kLoads; ++i)
      if (first + 32 * i < quads) {
        const int at = 4 * (first + 32 * i);
        if (v[i].x > best) best = v[i].x, index = at;
        if (v[i].y > best) best = v[i].y, index = at + 1;
        if (v[i].z > best) best = v[i].z, index = at + 2;
        if (v[i].w > best) best = v[i].w, index = at + 3;
      }
  }
  const unsigned mine = ordered(best), largest = __reduce_max_sync(~0u, mine);
  const unsigned winner = __reduce_min_sync(~0u, mine == largest ? (unsigned)index : ~0u);
  if (lane == 0) best_class[row] = (int)winner;
}
}  // namespace

extern "C" void launch(void **arguments, cudaStream_t stream) {
  const float4 *scores = *(const float4 **)arguments[0];
  int *best_class = *(int **)arguments[1];
  const int rows = *(int *)arguments[2], classes = *(int *)arguments[3];  // a multiple of 4
  argmax<<<(rows + 7) / 8, 256, 0, stream>>>(scores, best_class, rows, classes / 4);
}
