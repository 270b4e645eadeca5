// A second kernel of each of Hopper's kinds, beside those of the other files: see ../kinds.cu.
#include <cuda.h>

#include <cstdint>

__device__ std::uint32_t shared_address(const void* p) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(p));
}

__device__ void wait(std::uint32_t barrier, std::uint32_t parity) {
  asm volatile(
      "{\n.reg .pred done;\n"
      "again: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
      "@!done bra again;\n}" ::"r"(barrier),
      "r"(parity)
      : "memory");
}

__device__ void start_barrier(std::uint32_t barrier, std::uint32_t count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(count) : "memory");
}

__device__ void expect(std::uint32_t barrier, std::uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
               : "memory");
}

__device__ void load_tile(std::uint32_t to, const CUtensorMap& map, std::uint32_t barrier, int x,
                          int y) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], "
      "[%1, {%3, %4}], [%2];" ::"r"(to),
      "l"(&map), "r"(barrier), "r"(x), "r"(y)
      : "memory");
}

__device__ void store_tile(const CUtensorMap& map, std::uint32_t from, int x, int y) {
  asm volatile(
      "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%2, %3}], [%1];" ::"l"(
          &map),
      "r"(from), "r"(x), "r"(y)
      : "memory");
}

__device__ void end_stores() {
  asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
}

// Tiles of 64 by 8 loaded two at a time, scaled, and stored by TMA; blocks walk down a column.
__global__ void walk_tiles(const __grid_constant__ CUtensorMap in,
                            const __grid_constant__ CUtensorMap out, int tiles) {
  __shared__ alignas(128) float tile[2][8 * 64];
  __shared__ alignas(8) std::uint64_t full[2];
  const std::uint32_t barrier = shared_address(full);
  const int x = blockIdx.x * 64, first = blockIdx.y * tiles * 8;
  if (threadIdx.x == 0) {
    start_barrier(barrier, 1);
    start_barrier(barrier + 8, 1);
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    for (int t = 0; t < 2; ++t) {
      expect(barrier + 8 * t, sizeof(tile[0]));
      load_tile(shared_address(tile[t]), in, barrier + 8 * t, x, first + 8 * t);
    }
  }
  __syncthreads();
  for (int t = 0; t < tiles; ++t) {
    const int slot = t % 2;
    wait(barrier + 8 * slot, t / 2 % 2);
    for (int i = threadIdx.x; i < 8 * 64; i += blockDim.x) tile[slot][i] = 2 * tile[slot][i] + 1;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
      store_tile(out, shared_address(tile[slot]), x, first + 8 * t);
      end_stores();
      if (t + 2 < tiles) {
        expect(barrier + 8 * slot, sizeof(tile[0]));
        load_tile(shared_address(tile[slot]), in, barrier + 8 * slot, x, first + 8 * (t + 2));
      }
    }
  }
}

// One tile of 64 by 8 per block, there and back.
__global__ void one_tile(const __grid_constant__ CUtensorMap in,
                         const __grid_constant__ CUtensorMap out) {
  __shared__ alignas(128) float tile[8 * 64];
  __shared__ alignas(8) std::uint64_t full;
  const std::uint32_t barrier = shared_address(&full);
  const int x = blockIdx.x * 64, y = blockIdx.y * 8;
  if (threadIdx.x == 0) {
    start_barrier(barrier, 1);
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    expect(barrier, sizeof(tile));
    load_tile(shared_address(tile), in, barrier, x, y);
  }
  __syncthreads();
  wait(barrier, 0);
  for (int i = threadIdx.x; i < 8 * 64; i += blockDim.x) tile[i] = tile[i] * tile[i];
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    store_tile(out, shared_address(tile), x, y);
    end_stores();
  }
}

// Tiles of 32 by 8 added into one of as many rows by TMA's reduction.
__global__ void tiles_summed(const __grid_constant__ CUtensorMap in,
                          const __grid_constant__ CUtensorMap sums) {
  __shared__ alignas(128) std::uint32_t tile[8 * 32];
  __shared__ alignas(8) std::uint64_t full;
  const std::uint32_t barrier = shared_address(&full);
  if (threadIdx.x == 0) {
    start_barrier(barrier, 1);
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    expect(barrier, sizeof(tile));
    load_tile(shared_address(tile), in, barrier, blockIdx.x * 32,
              (blockIdx.z * gridDim.y + blockIdx.y) * 8);
  }
  __syncthreads();
  wait(barrier, 0);
  for (int i = threadIdx.x; i < 8 * 32; i += blockDim.x) tile[i] = tile[i] >> 3;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile(
        "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%0, {%2, %3}], "
        "[%1];" ::"l"(&sums),
        "r"(shared_address(tile)), "r"(blockIdx.x * 32), "r"(blockIdx.y * 8)
        : "memory");
    end_stores();
  }
}

// Threads hand tiles to each other through mbarriers alone: cp.async, four slots, 16 bytes each.
__global__ void pass_tiles(const uint4* in, uint4* out, int tiles) {
  __shared__ alignas(16) uint4 tile[4][256];
  __shared__ alignas(8) std::uint64_t full[4];
  const uint4* from = in + static_cast<size_t>(blockIdx.x) * tiles * 256;
  if (threadIdx.x == 0) {
    for (int s = 0; s < 4; ++s) start_barrier(shared_address(&full[s]), 256);
  }
  __syncthreads();
  const auto fetch = [&](int t) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                     shared_address(&tile[t % 4][threadIdx.x])),
                 "l"(from + t * 256 + threadIdx.x)
                 : "memory");
    asm volatile(
        "cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(shared_address(&full[t % 4]))
        : "memory");
  };
  for (int t = 0; t < 3; ++t) fetch(t);
  uint4 sum = make_uint4(0, 0, 0, 0);
  for (int t = 0; t < tiles; ++t) {
    wait(shared_address(&full[t % 4]), t / 4 % 2);
    uint4 v = tile[t % 4][threadIdx.x ^ 33];
    sum = make_uint4(sum.x + v.x, sum.y ^ v.y, sum.z + v.z, sum.w ^ v.w);
    __syncthreads();
    if (t + 3 < tiles) fetch(t + 3);
  }
  out[blockIdx.x * 256 + threadIdx.x] = sum;
}

// Pairs of blocks share what each loads: multicast of tiles of 32 by 32, then a product with it.
__global__ void __cluster_dims__(2, 1, 1)
    cast_in_pairs(const __grid_constant__ CUtensorMap x, const float* a, float* out, int depth) {
  __shared__ alignas(128) float tile[64][32];
  __shared__ alignas(8) std::uint64_t full;
  const std::uint32_t barrier = shared_address(&full);
  std::uint32_t rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  if (threadIdx.x == 0) {
    start_barrier(barrier, 1);
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::
                   : "memory");
  const int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, column = threadIdx.x % 32;
  float sum = 0;
  std::uint32_t parity = 0;
  for (int first = 0; first < depth; first += 64) {
    if (threadIdx.x == 0) {
      expect(barrier, sizeof(tile));
      asm volatile(
          "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
          ".multicast::cluster [%0], [%1, {%3, %4}], [%2], %5;" ::"r"(
              shared_address(tile[rank * 32])),
          "l"(&x), "r"(barrier), "r"(0), "r"(first + static_cast<int>(rank) * 32),
          "h"(static_cast<std::uint16_t>(3))
          : "memory");
    }
    wait(barrier, parity);
    parity ^= 1;
#pragma unroll 8
    for (int k = 0; k < 64; ++k) sum = fmaf(a[row * depth + first + k], tile[k][column], sum);
    asm volatile(
        "barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::
            : "memory");
  }
  out[row * 32 + column] = sum;
}

// A matrix in shared memory as wgmma takes it: the swizzle of 128 bytes, 8 rows 1024 bytes apart.
__device__ std::uint64_t descriptor(std::uint32_t address) {
  return (address & 0x3ffff) >> 4 | std::uint64_t{1} << 16 | std::uint64_t{1024 >> 4} << 32 |
         std::uint64_t{1} << 62;
}

__device__ void multiply(float (&d)[32], std::uint64_t a, std::uint64_t b) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {"
      "%0, %1, %2, %3, %4, %5, %6, %7, "
      "%8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, "
      "%24, %25, %26, %27, %28, %29, %30, %31}, "
      "%32, %33, 1, 1, 1, 0, 0;\n"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]),
        "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]),
        "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]),
        "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]),
        "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31])
      : "l"(a), "l"(b));
}

// A product by two warpgroups, 128 by 64 results a block, through four stages.
constexpr int kStages = 4;
constexpr std::uint32_t kHalf = 64 * 64 * 2, kStage = 3 * kHalf;
__global__ void product_stages(const __grid_constant__ CUtensorMap a,
                               const __grid_constant__ CUtensorMap b, float* c, int n, int k) {
  extern __shared__ unsigned char dynamic[];
  __shared__ alignas(8) std::uint64_t barriers[kStages];
  const std::uint32_t stages = (shared_address(dynamic) + 1023) / 1024 * 1024;
  const std::uint32_t full = shared_address(barriers);
  const int tiles = k / 64, row = blockIdx.y * 128, column = blockIdx.x * 64;
  const int group = threadIdx.x / 128;
  const auto fetch = [&](int tile) {
    const std::uint32_t to = stages + tile % kStages * kStage, barrier = full + 8 * (tile % kStages);
    expect(barrier, kStage);
    load_tile(to, a, barrier, tile * 64, row);
    load_tile(to + kHalf, a, barrier, tile * 64, row + 64);
    load_tile(to + 2 * kHalf, b, barrier, tile * 64, column);
  };
  if (threadIdx.x == 0) {
    for (int s = 0; s < kStages; ++s) start_barrier(full + 8 * s, 1);
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    for (int tile = 0; tile < min(kStages, tiles); ++tile) fetch(tile);
  }
  __syncthreads();
  float d[32];
  for (float& value : d) value = 0;
  for (int tile = 0; tile < tiles; ++tile) {
    const std::uint32_t at = stages + tile % kStages * kStage;
    wait(full + 8 * (tile % kStages), tile / kStages % 2);
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    for (int step = 0; step < 4; ++step) {
      multiply(d, descriptor(at + group * kHalf + 32 * step),
               descriptor(at + 2 * kHalf + 32 * step));
    }
    asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0 && tile + kStages < tiles) fetch(tile + kStages);
  }
  for (int i = 0; i < 32; ++i) {
    const int r = row + group * 64 + threadIdx.x % 128 / 32 * 16 + threadIdx.x % 32 / 4 + i / 2 % 2 * 8;
    c[r * n + column + i / 4 * 8 + threadIdx.x % 4 * 2 + i % 2] = d[i];
  }
}
