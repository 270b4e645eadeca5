// Hand-written: a block of 16 x 8 threads marches along z with a tile of 64 x 8 points, four in x per thread (float4).
// The nine planes around the current one are in registers; the current plane with its halo is in shared memory (two
// buffers, so one barrier per plane). What the next plane needs is loaded before the current one is computed.
#include <cuda_runtime.h>

namespace {
constexpr int kX = 16, kY = 8, kR = 4;  // kX in float4

__device__ __forceinline__ float4 operator+(float4 a, float4 b) {
  return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}
__device__ __forceinline__ void add(float4 &sum, float c, float4 v) {
  sum.x += c * v.x;
  sum.y += c * v.y;
  sum.z += c * v.z;
  sum.w += c * v.w;
}

// nx is counted in float4.
__global__ void __launch_bounds__(kX *kY, 5)
    step(const float4 *__restrict__ u, const float4 *__restrict__ previous, float4 *__restrict__ next,
         const float *__restrict__ coefficients, int nx, int ny, int nz, int planes_per_block, float factor) {
  __shared__ float4 tile[2][kY + 2 * kR][kX + 2];
  const int tx = threadIdx.x, ty = threadIdx.y, t = ty * kX + tx;
  const int x = 1 + blockIdx.x * kX + tx, y = kR + blockIdx.y * kY + ty;
  const int z_begin = kR + blockIdx.z * planes_per_block, z_end = min(z_begin + planes_per_block, nz - kR);
  if (z_begin >= z_end) return;
  const int plane = nx * ny;
  // Points outside of the grid are replaced by ones at its border; nothing that is stored depends on them.
  const auto offset = [&](int column, int row) { return min(row, ny - 1) * nx + min(column, nx - 1); };
  const bool inside = x < nx - 1 && y < ny - kR;
  const int mine = offset(x, y);
  // One halo element in y for each thread, and one in x for each of the first 16.
  const int halo_row = ty < kR ? ty : ty + kY;  // of the tile
  const int halo_y = offset(x, kR + (int)blockIdx.y * kY - kR + halo_row);
  const bool has_x = t < 2 * kY;
  const int side_row = kR + t / 2, side_column = t % 2 * (kX + 1);  // of the tile
  const int halo_x = offset((int)blockIdx.x * kX + side_column, (int)blockIdx.y * kY + side_row);

  float c[kR + 1];
  for (int r = 0; r <= kR; ++r) c[r] = factor * coefficients[r];
  c[0] = 3 * c[0] + 2;

  const float4 *at = u + (size_t)z_begin * plane;
  float4 queue[2 * kR + 1];
#pragma unroll
  for (int i = 0; i < 2 * kR; ++i) queue[i] = __ldg(at + (i - kR) * plane + mine);
  float4 ahead = __ldg(at + kR * plane + mine), side_y = __ldg(at + halo_y);
  float4 side_x = has_x ? __ldg(at + halo_x) : make_float4(0, 0, 0, 0);
  float4 old = __ldcs(previous + (size_t)z_begin * plane + mine);

  int buffer = 0;
  for (int z = z_begin; z < z_end; ++z, buffer ^= 1) {
    queue[2 * kR] = ahead;
    tile[buffer][ty + kR][tx + 1] = queue[kR];
    tile[buffer][halo_row][tx + 1] = side_y;
    if (has_x) tile[buffer][side_row][side_column] = side_x;
    __syncthreads();

    const float4 before = old;
    at += plane;
    if (z + 1 < z_end) {
      ahead = __ldg(at + kR * plane + mine);
      side_y = __ldg(at + halo_y);
      if (has_x) side_x = __ldg(at + halo_x);
      old = __ldcs(previous + (size_t)(z + 1) * plane + mine);
    }

    const float4 m = queue[kR], l = tile[buffer][ty + kR][tx], r = tile[buffer][ty + kR][tx + 2];
    const float row[12] = {l.x, l.y, l.z, l.w, m.x, m.y, m.z, m.w, r.x, r.y, r.z, r.w};
    float4 sum = make_float4(-before.x, -before.y, -before.z, -before.w);
    add(sum, c[0], m);
#pragma unroll
    for (int k = 1; k <= kR; ++k) {
      const float4 in_y = tile[buffer][ty + kR - k][tx + 1] + tile[buffer][ty + kR + k][tx + 1];
      const float4 in_x = make_float4(row[4 - k] + row[4 + k], row[5 - k] + row[5 + k], row[6 - k] + row[6 + k],
                                      row[7 - k] + row[7 + k]);
      add(sum, c[k], (in_y + in_x) + (queue[kR - k] + queue[kR + k]));
    }
    if (inside) __stcs(next + (size_t)z * plane + mine, sum);
#pragma unroll
    for (int i = 0; i < 2 * kR; ++i) queue[i] = queue[i + 1];
  }
}
}  // namespace

extern "C" void launch(void **arguments, cudaStream_t stream) {
  const float4 *u = *(const float4 **)arguments[0], *previous = *(const float4 **)arguments[1];
  float4 *next = *(float4 **)arguments[2];
  const float *coefficients = *(const float **)arguments[3];
  const int nx = *(int *)arguments[4], ny = *(int *)arguments[5], nz = *(int *)arguments[6];  // nx: a multiple of 4
  const float factor = *(float *)arguments[7];
  const int blocks_x = (nx / 4 - 2 + kX - 1) / kX, blocks_y = (ny - 2 * kR + kY - 1) / kY;
  int parts = 132 * 5 / (blocks_x * blocks_y);  // all blocks at once
  if (parts < 1) parts = 1;
  const int planes = (nz - 2 * kR + parts - 1) / parts;
  step<<<dim3(blocks_x, blocks_y, parts), dim3(kX, kY), 0, stream>>>(u, previous, next, coefficients, nx / 4, ny, nz,
                                                                    planes, factor);
}
