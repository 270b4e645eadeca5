// Multipole expansion of charges: each thread sums, for one cell of a tree, the moments of the
// charges up to the third order, 20 in all. Charges come through shared memory, those of a group of
// cells for all of them, weighted by how near they are to the cell.

constexpr int kThreads = 256;

struct Charge {
  float x, y, z, q;
};

__device__ __forceinline__ Charge seen_from(const Charge& c, float x, float y, float z,
                                            float width) {
  float dx = c.x - x, dy = c.y - y, dz = c.z - z;
  float weight = c.q * __fdividef(width, width + dx * dx + dy * dy + dz * dz);
  return {dx, dy, dz, weight};
}

// Cells lie on a cubic grid of 2^bits cells along each side.
__global__ void __launch_bounds__(kThreads, 8)
    expand_fields(const Charge* __restrict__ charges, float* __restrict__ moments, int count,
                  int bits, float width) {
  __shared__ Charge chunk[kThreads];
  int cell = blockIdx.x * kThreads + threadIdx.x, cells = gridDim.x * kThreads;
  int mask = (1 << bits) - 1;
  float size = 1.0f / (1 << bits);
  float x = (cell & mask) * size, y = (cell >> bits & mask) * size, z = (cell >> 2 * bits) * size;
  // The third powers in a loop of their own: fewer sums are live at a time.
  float low[10] = {};
  for (int base = 0; base < count; base += kThreads) {
    __syncthreads();
    chunk[threadIdx.x] = charges[base + threadIdx.x];
    __syncthreads();
#pragma unroll 2
    for (int k = 0; k < kThreads; ++k) {
      Charge c = seen_from(chunk[k], x, y, z, width);
      float qx = c.q * c.x, qy = c.q * c.y, qz = c.q * c.z;
      low[0] += c.q;
      low[1] += qx;
      low[2] += qy;
      low[3] += qz;
      low[4] += qx * c.x;
      low[5] += qy * c.y;
      low[6] += qz * c.z;
      low[7] += qx * c.y;
      low[8] += qy * c.z;
      low[9] += qz * c.x;
    }
  }
#pragma unroll
  for (int k = 0; k < 10; ++k) moments[static_cast<size_t>(k) * cells + cell] = low[k];
  float high[10] = {};
  for (int base = 0; base < count; base += kThreads) {
    __syncthreads();
    chunk[threadIdx.x] = charges[base + threadIdx.x];
    __syncthreads();
#pragma unroll 2
    for (int k = 0; k < kThreads; ++k) {
      Charge c = seen_from(chunk[k], x, y, z, width);
      float qx = c.q * c.x, qy = c.q * c.y, qz = c.q * c.z;
      float qxx = qx * c.x, qyy = qy * c.y, qzz = qz * c.z;
      high[0] += qxx * c.x;
      high[1] += qyy * c.y;
      high[2] += qzz * c.z;
      high[3] += qxx * c.y;
      high[4] += qxx * c.z;
      high[5] += qyy * c.x;
      high[6] += qyy * c.z;
      high[7] += qzz * c.x;
      high[8] += qzz * c.y;
      high[9] += qx * c.y * c.z;
    }
  }
#pragma unroll
  for (int k = 0; k < 10; ++k) moments[static_cast<size_t>(k + 10) * cells + cell] = high[k];
}
