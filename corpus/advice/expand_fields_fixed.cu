// Multipole expansion of charges: each thread sums, for one cell of a tree, the moments of the
// charges up to the fourth order, 35 in all. Charges come through shared memory, those of a group
// of cells for all of them, weighted by how near they are to the cell.

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
__global__ void __launch_bounds__(kThreads, 6)
    expand_fields(const Charge* __restrict__ charges, float* __restrict__ moments, int count,
                  int bits, float width) {
  __shared__ Charge chunk[kThreads];
  int cell = blockIdx.x * kThreads + threadIdx.x, cells = gridDim.x * kThreads;
  int mask = (1 << bits) - 1;
  float size = 1.0f / (1 << bits);
  float x = (cell & mask) * size, y = (cell >> bits & mask) * size, z = (cell >> 2 * bits) * size;
  // One order or two at a time: fewer sums are live.
  {
    float m[10] = {};
    for (int base = 0; base < count; base += kThreads) {
      __syncthreads();
      chunk[threadIdx.x] = charges[base + threadIdx.x];
      __syncthreads();
#pragma unroll 2
      for (int k = 0; k < kThreads; ++k) {
        Charge c = seen_from(chunk[k], x, y, z, width);
        float qx = c.q * c.x, qy = c.q * c.y, qz = c.q * c.z;
        m[0] += c.q;
        m[1] += qx;
        m[2] += qy;
        m[3] += qz;
        m[4] += qx * c.x;
        m[5] += qy * c.y;
        m[6] += qz * c.z;
        m[7] += qx * c.y;
        m[8] += qy * c.z;
        m[9] += qz * c.x;
      }
    }
#pragma unroll
    for (int k = 0; k < 10; ++k) moments[static_cast<size_t>(k + 0) * cells + cell] = m[k];
  }
  {
    float m[10] = {};
    for (int base = 0; base < count; base += kThreads) {
      __syncthreads();
      chunk[threadIdx.x] = charges[base + threadIdx.x];
      __syncthreads();
#pragma unroll 2
      for (int k = 0; k < kThreads; ++k) {
        Charge c = seen_from(chunk[k], x, y, z, width);
        float qx = c.q * c.x, qy = c.q * c.y, qz = c.q * c.z;
        float qxx = qx * c.x, qyy = qy * c.y, qzz = qz * c.z;
        m[0] += qxx * c.x;
        m[1] += qyy * c.y;
        m[2] += qzz * c.z;
        m[3] += qxx * c.y;
        m[4] += qxx * c.z;
        m[5] += qyy * c.x;
        m[6] += qyy * c.z;
        m[7] += qzz * c.x;
        m[8] += qzz * c.y;
        m[9] += qx * c.y * c.z;
      }
    }
#pragma unroll
    for (int k = 0; k < 10; ++k) moments[static_cast<size_t>(k + 10) * cells + cell] = m[k];
  }
  {
    float m[15] = {};
    for (int base = 0; base < count; base += kThreads) {
      __syncthreads();
      chunk[threadIdx.x] = charges[base + threadIdx.x];
      __syncthreads();
#pragma unroll 2
      for (int k = 0; k < kThreads; ++k) {
        Charge c = seen_from(chunk[k], x, y, z, width);
        float qx = c.q * c.x, qy = c.q * c.y, qz = c.q * c.z;
        float qxx = qx * c.x, qyy = qy * c.y, qzz = qz * c.z;
        m[0] += qxx * c.x * c.x;
        m[1] += qyy * c.y * c.y;
        m[2] += qzz * c.z * c.z;
        m[3] += qxx * c.x * c.y;
        m[4] += qxx * c.x * c.z;
        m[5] += qyy * c.y * c.x;
        m[6] += qyy * c.y * c.z;
        m[7] += qzz * c.z * c.x;
        m[8] += qzz * c.z * c.y;
        m[9] += qxx * c.y * c.y;
        m[10] += qyy * c.z * c.z;
        m[11] += qzz * c.x * c.x;
        m[12] += qxx * c.y * c.z;
        m[13] += qyy * c.x * c.z;
        m[14] += qzz * c.x * c.y;
      }
    }
#pragma unroll
    for (int k = 0; k < 15; ++k) moments[static_cast<size_t>(k + 20) * cells + cell] = m[k];
  }
}
