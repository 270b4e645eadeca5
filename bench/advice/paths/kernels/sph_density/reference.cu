// Hand-written: a block computes four cells in a row, a warp each. It first copies their particles and those of the
// cells around (6 x 3 x 3) into shared memory, as float4 with positions relative to the block. A warp computes eight
// particles at a time, each with four lanes that share its neighbours: cells have 0 to 32 particles, 16 on average, so
// a lane per particle would leave half of the lanes idle. The cells x - 1, x, x + 1 of a row are one range of memory.
#include <cuda_runtime.h>

namespace {
constexpr int kCells = 4, kMost = 32;                 // per block; particles of a cell
constexpr int kAround = kCells + 2, kThreads = 32 * kCells;

__global__ void __launch_bounds__(kThreads)
    densities(const int *__restrict__ cell_start, const float *__restrict__ x, const float *__restrict__ y,
              const float *__restrict__ z, float *__restrict__ density, int cells_x, int cells_y, int cells_z,
              float h2) {
  __shared__ float4 particles[kAround * 9 * kMost];
  __shared__ int starts[9][kAround + 1];  // where the cells of a row begin in `particles`
  const int first = blockIdx.x * kCells, cy = blockIdx.y, cz = blockIdx.z;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;

  // Each warp copies some of the nine rows to fixed places; a row's cells follow each other without gaps.
  for (int row = warp; row < 9; row += kCells) {
    const int oy = row % 3 - 1, oz = row / 3 - 1, ny = cy + oy, nz = cz + oz;
    const bool exists = ny >= 0 && ny < cells_y && nz >= 0 && nz < cells_z;
    const int base = (nz * cells_y + ny) * cells_x;
    // Lane k has the start of the row's cell k - 1, limited to the grid.
    int bound = 0;
    if (exists && lane <= kAround) bound = cell_start[base + min(max(first - 1 + lane, 0), cells_x)];
    const int begin = __shfl_sync(~0u, bound, 0), place = row * kAround * kMost;
    if (lane <= kAround) starts[row][lane] = place + bound - begin;
#pragma unroll
    for (int k = 0; k < kAround; ++k) {
      const int from = __shfl_sync(~0u, bound, k), to = __shfl_sync(~0u, bound, k + 1);
      for (int j = from + lane; j < to; j += 32)
        particles[place + j - begin] = make_float4(x[j] + (k - 1), y[j] + oy, z[j] + oz, 0);
    }
  }
  __syncthreads();

  const int cx = first + warp;
  if (cx >= cells_x) return;
  const int cell = (cz * cells_y + cy) * cells_x + cx, to = cell_start[cell], count = cell_start[cell + 1] - to;
  const int mine = starts[4][warp + 1], part = lane % 4;
  for (int start = 0; start < count; start += 8) {
    const int i = start + lane / 4;
    const float4 p = particles[mine + min(i, count - 1)];
    float sum = 0;
    for (int row = 0; row < 9; ++row) {
      const int end = starts[row][warp + 3];
#pragma unroll 4
      for (int j = starts[row][warp] + part; j < end; j += 4) {
        const float4 q = particles[j];
        const float dx = q.x - p.x, dy = q.y - p.y, dz = q.z - p.z;
        const float d = fmaxf(h2 - dx * dx - dy * dy - dz * dz, 0.f);
        sum += d * d * d;
      }
    }
    sum += __shfl_xor_sync(~0u, sum, 1);
    sum += __shfl_xor_sync(~0u, sum, 2);
    if (part == 0 && i < count) density[to + i] = sum;
  }
}
}  // namespace

extern "C" void launch(void **arguments, cudaStream_t stream) {
  const int *cell_start = *(const int **)arguments[0];
  const float *x = *(const float **)arguments[1], *y = *(const float **)arguments[2], *z = *(const float **)arguments[3];
  float *density = *(float **)arguments[4];
  const int cells_x = *(int *)arguments[5], cells_y = *(int *)arguments[6], cells_z = *(int *)arguments[7];
  const float h = *(float *)arguments[8];
  const dim3 grid((cells_x + kCells - 1) / kCells, cells_y, cells_z);
  densities<<<grid, kThreads, 0, stream>>>(cell_start, x, y, z, density, cells_x, cells_y, cells_z, h * h);
}
