// Asynchronous copies from global to shared memory (cp.async: LDGSTS) and matrix loads (ldmatrix).

#include <cuda_fp16.h>

__device__ unsigned shared_address(const void* pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

template <int kBytes>
__device__ void copy_async(void* to, const void* from, int valid = kBytes) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(shared_address(to)), "l"(from),
               "n"(kBytes), "r"(valid)
               : "memory");
}
__device__ void commit() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}
template <int kPending>
__device__ void wait() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kPending) : "memory");
}

// A running sum over columns with four stages in flight, 16 bytes per thread and stage; columns
// beyond the end arrive as zeros (the zero-fill form).
__global__ void column_sums(const float4* __restrict__ in, float4* __restrict__ out, int rows) {
  constexpr int kStages = 4, kBlock = 64;
  __shared__ float4 stage[kStages][kBlock];
  int width = gridDim.x * kBlock, column = blockIdx.x * kBlock + threadIdx.x;
  for (int s = 0; s < kStages - 1; ++s) {
    copy_async<16>(&stage[s][threadIdx.x], in + min(s, rows - 1) * width + column,
                   s < rows ? 16 : 0);
    commit();
  }
  float4 sum = make_float4(0, 0, 0, 0);
  for (int row = 0; row < rows; ++row) {
    int ahead = row + kStages - 1;
    copy_async<16>(&stage[ahead % kStages][threadIdx.x], in + min(ahead, rows - 1) * width + column,
                   ahead < rows ? 16 : 0);
    commit();
    wait<kStages - 1>();
    float4 v = stage[row % kStages][threadIdx.x];  // the thread's own copy: no barrier needed
    sum = make_float4(sum.x + v.x, sum.y + v.y, sum.z + v.z, sum.w + v.w);
    out[row * width + column] = sum;
  }
}

// A tiled float product with two buffers: the next tiles arrive while these are multiplied. 4-byte
// copies, zero-filled beyond the edges; blocks of 16×16.
__global__ void product_pipelined(const float* __restrict__ a, const float* __restrict__ b,
                                  float* __restrict__ c, int m, int n, int k) {
  constexpr int kTile = 16;
  __shared__ float tile_a[2][kTile][kTile];
  __shared__ float tile_b[2][kTile][kTile + 1];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * kTile + ty, column = blockIdx.x * kTile + tx;
  auto fetch = [&](int buffer, int base) {
    bool in_a = row < m && base + tx < k, in_b = column < n && base + ty < k;
    copy_async<4>(&tile_a[buffer][ty][tx], in_a ? a + row * k + base + tx : a, in_a ? 4 : 0);
    copy_async<4>(&tile_b[buffer][ty][tx], in_b ? b + (base + ty) * n + column : b, in_b ? 4 : 0);
    commit();
  };
  fetch(0, 0);
  float sum = 0;
  for (int base = 0, now = 0; base < k; base += kTile, now ^= 1) {
    if (base + kTile < k) fetch(now ^ 1, base + kTile);
    if (base + kTile < k) {
      wait<1>();
    } else {
      wait<0>();
    }
    __syncthreads();
    for (int i = 0; i < kTile; ++i) sum += tile_a[now][ty][i] * tile_b[now][i][tx];
    __syncthreads();
  }
  if (row < m && column < n) c[row * n + column] = sum;
}

// A half-precision product as libraries write it: 64×64 tiles by 4 warps, cp.async of 16 bytes past
// L1, ldmatrix plain and transposed from swizzled shared memory, mma m16n8k16. Sizes are multiples
// of 64 (m, n) and 32 (k).
__global__ void __launch_bounds__(128)
    product_ldmatrix(const __half* __restrict__ a, const __half* __restrict__ b,
                     float* __restrict__ c, int m, int n, int k) {
  constexpr int kDepth = 32;
  __shared__ __align__(16) __half tile_a[2][64][kDepth];
  __shared__ __align__(16) __half tile_b[2][kDepth][64];
  int thread = threadIdx.x, lane = thread % 32, warp = thread / 32;
  int row0 = blockIdx.y * 64, column0 = blockIdx.x * 64;
  int warp_row = warp / 2 * 32, warp_column = warp % 2 * 32;
  // Columns are moved in groups of eight halves, exchanged so that eight rows hit eight bank
  // groups.
  auto fetch = [&](int buffer, int base) {
    for (int e = thread; e < 256; e += 128) {
      int r = e / 4, g = e % 4;
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                       shared_address(&tile_a[buffer][r][(g ^ (r / 2 & 3)) * 8])),
                   "l"(a + (row0 + r) * k + base + g * 8)
                   : "memory");
      r = e / 8, g = e % 8;
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                       shared_address(&tile_b[buffer][r][(g ^ (r & 7)) * 8])),
                   "l"(b + (base + r) * n + column0 + g * 8)
                   : "memory");
    }
    commit();
  };
  float sum[2][4][4] = {};
  fetch(0, 0);
  for (int base = 0, now = 0; base < k; base += kDepth, now ^= 1) {
    wait<0>();
    __syncthreads();
    if (base + kDepth < k) fetch(now ^ 1, base + kDepth);
    for (int step = 0; step < kDepth; step += 16) {
      unsigned left[2][4], right[4][2];
      for (int i = 0; i < 2; ++i) {
        int r = warp_row + i * 16 + lane % 16, g = step / 8 + lane / 16;
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                     : "=r"(left[i][0]), "=r"(left[i][1]), "=r"(left[i][2]), "=r"(left[i][3])
                     : "r"(shared_address(&tile_a[now][r][(g ^ (r / 2 & 3)) * 8]))
                     : "memory");
      }
      for (int j = 0; j < 4; j += 2) {
        int r = step + lane % 16, g = warp_column / 8 + j + lane / 16;
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                     : "=r"(right[j][0]), "=r"(right[j][1]), "=r"(right[j + 1][0]),
                       "=r"(right[j + 1][1])
                     : "r"(shared_address(&tile_b[now][r][(g ^ (r & 7)) * 8]))
                     : "memory");
      }
      for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 4; ++j) {
          float* d = sum[i][j];
          asm volatile(
              "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
              "{%8,%9}, {%0,%1,%2,%3};"
              : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
              : "r"(left[i][0]), "r"(left[i][1]), "r"(left[i][2]), "r"(left[i][3]),
                "r"(right[j][0]), "r"(right[j][1]));
        }
      }
    }
  }
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 4; ++j) {
      int row = row0 + warp_row + i * 16 + lane / 4;
      int column = column0 + warp_column + j * 8 + lane % 4 * 2;
      *reinterpret_cast<float2*>(&c[row * n + column]) = make_float2(sum[i][j][0], sum[i][j][1]);
      *reinterpret_cast<float2*>(&c[(row + 8) * n + column]) =
          make_float2(sum[i][j][2], sum[i][j][3]);
    }
  }
}

// A transpose of 8×8 tiles of halves by ldmatrix and movmatrix: a warp per 64×8 strip.
__global__ void transpose_fragments(const __half* __restrict__ in, unsigned* __restrict__ out) {
  __shared__ __align__(16) __half strip[4][64][8];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int index = blockIdx.x * 4 + warp;
  const uint4* from = reinterpret_cast<const uint4*>(in) + index * 64;
  for (int r = lane; r < 64; r += 32) *reinterpret_cast<uint4*>(strip[warp][r]) = from[r];
  __syncwarp();
  for (int half = 0; half < 2; ++half) {
    unsigned v[4];
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3])
                 : "r"(shared_address(&strip[warp][half * 32 + lane][0]))
                 : "memory");
    for (int k = 0; k < 4; ++k) {
      unsigned flipped;
      asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(flipped) : "r"(v[k]));
      out[(index * 8 + half * 4 + k) * 32 + lane] = flipped;
    }
  }
}
