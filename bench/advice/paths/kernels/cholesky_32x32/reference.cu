// Hand-written: one warp per matrix of 32 × 32, a row per lane in registers. Right-looking: the current column is passed
// to all lanes through shared memory, read back as float4. The matrix itself is loaded and stored coalesced, turned to
// rows per lane in padded shared memory.
#include <cuda_runtime.h>

namespace {
constexpr int kN = 32, kPitch = kN + 4, kWarps = 8;

__global__ void __launch_bounds__(kWarps * 32)
    factorise(const float4 *__restrict__ matrices, float4 *__restrict__ factors, int count, float shift) {
  __shared__ __align__(16) float tiles[kWarps][kN * kPitch];
  __shared__ __align__(16) float columns[kWarps][2][kN];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int matrix = blockIdx.x * kWarps + warp;
  if (matrix >= count) return;
  float *tile = tiles[warp];
  const size_t first = (size_t)matrix * (kN * kN / 4);
#pragma unroll
  for (int p = 0; p < 8; ++p) {  // four rows at a time
    const int row = p * 4 + lane / 8, quad = lane % 8;
    *(float4 *)&tile[row * kPitch + quad * 4] = __ldcs(&matrices[first + p * 32 + lane]);
  }
  __syncwarp();
  float row[kN];
#pragma unroll
  for (int j = 0; j < kN; j += 4) *(float4 *)&row[j] = *(const float4 *)&tile[lane * kPitch + j];
#pragma unroll
  for (int j = 0; j < kN; ++j) row[j] += j == lane ? shift : 0.0f;

  // What lies above the diagonal is never used.
#pragma unroll
  for (int j = 0; j < kN; ++j) {
    float *column = columns[warp][j % 2];
    column[lane] = row[j];
    __syncwarp();
    float theirs[kN];
#pragma unroll
    for (int k = j / 4 * 4; k < kN; k += 4) *(float4 *)&theirs[k] = *(const float4 *)&column[k];
    const float inverse = rsqrtf(theirs[j]);
    row[j] *= inverse;
    const float factor = row[j] * inverse;
#pragma unroll
    for (int k = j + 1; k < kN; ++k) row[k] -= factor * theirs[k];
  }

#pragma unroll
  for (int j = 0; j < kN; ++j) row[j] = j <= lane ? row[j] : 0.0f;
#pragma unroll
  for (int j = 0; j < kN; j += 4) *(float4 *)&tile[lane * kPitch + j] = *(const float4 *)&row[j];
  __syncwarp();
#pragma unroll
  for (int p = 0; p < 8; ++p) {
    const int from = p * 4 + lane / 8, quad = lane % 8;
    __stcs(&factors[first + p * 32 + lane], *(const float4 *)&tile[from * kPitch + quad * 4]);
  }
}
}  // namespace

// Matrices of 32 × 32.
extern "C" void launch(void **arguments, cudaStream_t stream) {
  const float4 *matrices = *(const float4 **)arguments[0];
  float4 *factors = *(float4 **)arguments[1];
  const int count = *(int *)arguments[2];
  const float shift = *(float *)arguments[4];
  factorise<<<(count + kWarps - 1) / kWarps, kWarps * 32, 0, stream>>>(matrices, factors, count, shift);
}
