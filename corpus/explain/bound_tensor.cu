// Kernels that the tensor cores bound: products of fragments that stay in registers.

struct Fragment {
  float sum[4];
};

__device__ void multiply(Fragment& to, const unsigned (&a)[4], const unsigned (&b)[2]) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+f"(to.sum[0]), "+f"(to.sum[1]), "+f"(to.sum[2]), "+f"(to.sum[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// `count` products side by side, `rounds` times; the fragments come from `in`, six words a lane.
template <int count>
__device__ void products(const unsigned* __restrict__ in, float* __restrict__ out, int rounds) {
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned a[4], b[2];
#pragma unroll
  for (int k = 0; k < 4; ++k) a[k] = in[threadIdx.x * 6 + k] & 0x3bff3bffu;  // finite halves
#pragma unroll
  for (int k = 0; k < 2; ++k) b[k] = in[threadIdx.x * 6 + 4 + k] & 0x3bff3bffu;
  Fragment sums[count] = {};
#pragma unroll 4
  for (int round = 0; round < rounds; ++round) {
#pragma unroll
    for (int k = 0; k < count; ++k) multiply(sums[k], a, b);
  }
  float sum = 0;
#pragma unroll
  for (int k = 0; k < count; ++k)
    sum += sums[k].sum[0] + sums[k].sum[1] + sums[k].sum[2] + sums[k].sum[3];
  out[thread] = sum;
}

// tensor, throughput: four tiles a warp, several warps a scheduler.
__global__ void tile_products(const unsigned* __restrict__ in, float* __restrict__ out,
                              int rounds) {
  products<4>(in, out, rounds);
}

// tensor, latency: one tile a warp, one warp a scheduler; each product adds to the one before.
__global__ void tile_chain(const unsigned* __restrict__ in, float* __restrict__ out, int rounds) {
  products<1>(in, out, rounds);
}

// tensor, throughput in double precision: m8n8k4.
__global__ void tile_products_f64(const double* __restrict__ in, double* __restrict__ out,
                                  int rounds) {
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  double a = in[threadIdx.x], b = in[threadIdx.x + 1];
  double sums[4][2] = {};
#pragma unroll 4
  for (int round = 0; round < rounds; ++round) {
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
                   : "+d"(sums[k][0]), "+d"(sums[k][1])
                   : "d"(a), "d"(b));
    }
  }
  double sum = 0;
#pragma unroll
  for (int k = 0; k < 4; ++k) sum += sums[k][0] + sums[k][1];
  out[thread] = sum;
}
