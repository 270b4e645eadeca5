// Multipole expansion of charges: each thread sums, for one cell of a tree, the moments of the
// charges up to the third order, 20 in all. Charges come through shared memory, those of a group of
// cells for all of them, weighted by how near they are to the cell.

constexpr int kThreads = 256, kMoments = 20;

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
  float m[kMoments] = {};
  for (int base = 0; base < count; base += kThreads) {
    __syncthreads();
    chunk[threadIdx.x] = charges[base + threadIdx.x];
    __syncthreads();
#pragma unroll 2
    for (int k = 0; k < kThreads; ++k) {
      Charge c = seen_from(chunk[k], x, y, z, width);
      float qx = c.q * c.x, qy = c.q * c.y, qz = c.q * c.z;
      float qxx = qx * c.x, qyy = qy * c.y, qzz = qz * c.z;
      m[0] += c.q;
      m[1] += qx;
      m[2] += qy;
      m[3] += qz;
      m[4] += qxx;
      m[5] += qyy;
      m[6] += qzz;
      m[7] += qx * c.y;
      m[8] += qy * c.z;
      m[9] += qz * c.x;
      m[10] += qxx * c.x;
      m[11] += qyy * c.y;
      m[12] += qzz * c.z;
      m[13] += qxx * c.y;
      m[14] += qxx * c.z;
      m[15] += qyy * c.x;
      m[16] += qyy * c.z;
      m[17] += qzz * c.x;
      m[18] += qzz * c.y;
      m[19] += qx * c.y * c.z;
    }
  }
#pragma unroll
  for (int k = 0; k < kMoments; ++k) moments[static_cast<size_t>(k) * cells + cell] = m[k];
}
