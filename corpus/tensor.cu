// Tensor cores: matrix products by WMMA and by mma.sync, in every type of the architecture.

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

// C = A·B in halves with float sums by WMMA: a warp per 16×16 tile; sizes are multiples of 16.
__global__ void wmma_f16(const __half* __restrict__ a, const __half* __restrict__ b,
                         float* __restrict__ c, int m, int n, int k) {
  using namespace nvcuda::wmma;
  int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  int row = warp / (n / 16) * 16, column = warp % (n / 16) * 16;
  if (row >= m) return;
  fragment<matrix_a, 16, 16, 16, __half, row_major> left;
  fragment<matrix_b, 16, 16, 16, __half, row_major> right;
  fragment<accumulator, 16, 16, 16, float> sum;
  fill_fragment(sum, 0.0f);
  for (int base = 0; base < k; base += 16) {
    load_matrix_sync(left, a + row * k + base, k);
    load_matrix_sync(right, b + base * n + column, n);
    mma_sync(sum, left, right, sum);
  }
  store_matrix_sync(c + row * n + column, sum, n, mem_row_major);
}

// C = A·Bᵀ with sums in halves by WMMA, the fragments scaled in registers before the store.
__global__ void wmma_f16_sums(const __half* __restrict__ a, const __half* __restrict__ b,
                              __half* __restrict__ c, int m, int n, int k) {
  using namespace nvcuda::wmma;
  int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  int row = warp / (n / 16) * 16, column = warp % (n / 16) * 16;
  if (row >= m) return;
  fragment<matrix_a, 16, 16, 16, __half, row_major> left;
  fragment<matrix_b, 16, 16, 16, __half, col_major> right;
  fragment<accumulator, 16, 16, 16, __half> sum;
  fill_fragment(sum, __float2half(0.0f));
  for (int base = 0; base < k; base += 16) {
    load_matrix_sync(left, a + row * k + base, k);
    load_matrix_sync(right, b + column * k + base, k);
    mma_sync(sum, left, right, sum);
  }
  for (int e = 0; e < sum.num_elements; ++e) sum.x[e] = __hmul(sum.x[e], __float2half(0.25f));
  store_matrix_sync(c + row * n + column, sum, n, mem_row_major);
}

// In the kernels below a warp makes an m16n8 tile of C = A·Bᵀ, with A and B row-major and `k` long.
// Lane l holds rows l/4 and l/4+8 of A, column l/4 of C's Bᵀ, and columns 2·(l%4), +1 of C.
struct Tile {
  int group, member, row, column;
};

__device__ Tile tile_of_warp(int n, int width) {
  int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  return {lane / 4, lane % 4, warp / (n / width) * 16, warp % (n / width) * width};
}

__device__ unsigned word_at(const void* base, int byte) {
  return *reinterpret_cast<const unsigned*>(static_cast<const char*>(base) + byte);
}

// bfloat16 inputs, float sums: m16n8k16.
__global__ void mma_bf16(const float* __restrict__ a, const float* __restrict__ b,
                         float* __restrict__ c, int m, int n, int k) {
  Tile t = tile_of_warp(n, 8);
  if (t.row >= m) return;
  float d[4] = {};
  for (int base = 0; base < k; base += 16) {
    unsigned left[4], right[2];
    for (int r = 0; r < 4; ++r) {
      const float* p = a + (t.row + t.group + r % 2 * 8) * k + base + t.member * 2 + r / 2 * 8;
      __nv_bfloat162 pair = __floats2bfloat162_rn(p[0], p[1]);
      left[r] = *reinterpret_cast<unsigned*>(&pair);
    }
    for (int r = 0; r < 2; ++r) {
      const float* p = b + (t.column + t.group) * k + base + t.member * 2 + r * 8;
      __nv_bfloat162 pair = __floats2bfloat162_rn(p[0], p[1]);
      right[r] = *reinterpret_cast<unsigned*>(&pair);
    }
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
        "{%8,%9}, "
        "{%0,%1,%2,%3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "r"(right[0]), "r"(right[1]));
  }
  for (int r = 0; r < 4; ++r) {
    c[(t.row + t.group + r / 2 * 8) * n + t.column + t.member * 2 + r % 2] = d[r];
  }
}

// tf32 inputs: m16n8k8, with cvt.rna.tf32.
__global__ void mma_tf32(const float* __restrict__ a, const float* __restrict__ b,
                         float* __restrict__ c, int m, int n, int k) {
  Tile t = tile_of_warp(n, 8);
  if (t.row >= m) return;
  float d[4] = {};
  for (int base = 0; base < k; base += 8) {
    unsigned left[4], right[2];
    for (int r = 0; r < 4; ++r) {
      float x = a[(t.row + t.group + r % 2 * 8) * k + base + t.member + r / 2 * 4];
      asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(left[r]) : "f"(x));
    }
    for (int r = 0; r < 2; ++r) {
      float x = b[(t.column + t.group) * k + base + t.member + r * 4];
      asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(right[r]) : "f"(x));
    }
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
        "{%0,%1,%2,%3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "r"(right[0]), "r"(right[1]));
  }
  for (int r = 0; r < 4; ++r) {
    c[(t.row + t.group + r / 2 * 8) * n + t.column + t.member * 2 + r % 2] = d[r];
  }
}

// Signed bytes, 32-bit sums with saturation: m16n8k32.
__global__ void mma_s8(const signed char* __restrict__ a, const signed char* __restrict__ b,
                       int* __restrict__ c, int m, int n, int k) {
  Tile t = tile_of_warp(n, 8);
  if (t.row >= m) return;
  int d[4] = {};
  for (int base = 0; base < k; base += 32) {
    unsigned left[4], right[2];
    for (int r = 0; r < 4; ++r) {
      left[r] = word_at(a, (t.row + t.group + r % 2 * 8) * k + base + t.member * 4 + r / 2 * 16);
    }
    for (int r = 0; r < 2; ++r) {
      right[r] = word_at(b, (t.column + t.group) * k + base + t.member * 4 + r * 16);
    }
    asm("mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
        "{%8,%9}, {%0,%1,%2,%3};"
        : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
        : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "r"(right[0]), "r"(right[1]));
  }
  for (int r = 0; r < 4; ++r) {
    c[(t.row + t.group + r / 2 * 8) * n + t.column + t.member * 2 + r % 2] = d[r];
  }
}

// Double precision: m8n8k4, a warp per 8×8 tile.
__global__ void mma_f64(const double* __restrict__ a, const double* __restrict__ b,
                        double* __restrict__ c, int m, int n, int k) {
  int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  int row = warp / (n / 8) * 8, column = warp % (n / 8) * 8;
  if (row >= m) return;
  double d[2] = {};
  for (int base = 0; base < k; base += 4) {
    double left = a[(row + lane / 4) * k + base + lane % 4];
    double right = b[(column + lane / 4) * k + base + lane % 4];
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
        : "+d"(d[0]), "+d"(d[1])
        : "d"(left), "d"(right));
  }
  for (int r = 0; r < 2; ++r) c[(row + lane / 4) * n + column + lane % 4 * 2 + r] = d[r];
}

// Single bits, and-popcount: m16n8k256. Rows are k bits long.
__global__ void mma_b1(const unsigned* __restrict__ a, const unsigned* __restrict__ b,
                       int* __restrict__ c, int m, int n, int k) {
  Tile t = tile_of_warp(n, 8);
  if (t.row >= m) return;
  int d[4] = {}, words = k / 32;
  for (int base = 0; base < words; base += 8) {
    unsigned left[4], right[2];
    for (int r = 0; r < 4; ++r) {
      left[r] = a[(t.row + t.group + r % 2 * 8) * words + base + t.member + r / 2 * 4];
    }
    for (int r = 0; r < 2; ++r)
      right[r] = b[(t.column + t.group) * words + base + t.member + r * 4];
    asm("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
        "{%8,%9}, {%0,%1,%2,%3};"
        : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
        : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "r"(right[0]), "r"(right[1]));
  }
  for (int r = 0; r < 4; ++r) {
    c[(t.row + t.group + r / 2 * 8) * n + t.column + t.member * 2 + r % 2] = d[r];
  }
}
